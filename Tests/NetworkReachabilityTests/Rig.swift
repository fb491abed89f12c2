// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Dispatch
import Foundation
import KeyValueObserving
import Synchronization
import SystemConfiguration

@testable import NetworkReachability

/// A manager on a scripted target, a queue and a notification centre of its own.
final class Rig: Sendable {
    let target: ScriptedTarget
    let queue: DispatchQueue
    let center = NotificationCenter()
    let manager: NetworkReachabilityManager
    /// What was told to whom, in order.
    let told = Journal()

    init(flags: SCNetworkReachabilityFlags? = .reachable, queue: DispatchQueue = DispatchQueue(label: "delivery")) {
        target = ScriptedTarget(flags: flags)
        self.queue = queue
        manager = NetworkReachabilityManager(target: target, deliveryQueue: queue, notificationCenter: center)
    }

    /// Waits until everything that is queued so far, and what that queues, has run.
    func drain() {
        for _ in 0..<3 { manager.executor.sync {} }
    }

    /// Notes each call of the block as its raw status.
    func noteBlock() {
        manager.setReachabilityStatusChange { [told] in told.append("block \($0.rawValue)") }
    }

    /// Notes each notification; the observation ends with the returned object.
    func noteNotifications() -> NotificationToken {
        NotificationToken(center: center) { [told] notification in
            told.append("notification \(notification.userInfo?[AFNetworkingReachabilityNotificationStatusItem] ?? "-")")
        }
    }

    /// Notes each change of the status.
    func noteObserver() -> KeyValueObservation {
        manager.observe(.networkReachabilityStatus, options: [.new]) { [told] _, change in
            told.append("observer \(change.new?.rawValue ?? -9)")
        }
    }
}

/// Lines that several threads write.
final class Journal: Sendable {
    private let state = Mutex<[String]>([])

    var lines: [String] { state.withLock { $0 } }

    func append(_ line: String) { state.withLock { $0.append(line) } }

    func takeAll() -> [String] {
        state.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }
}

/// A registration with a notification centre that ends when it is released.
final class NotificationToken {
    private let center: NotificationCenter
    private let observer: any NSObjectProtocol

    init(center: NotificationCenter, object: AnyObject? = nil, _ handler: @escaping @Sendable (Notification) -> Void) {
        self.center = center
        observer = center.addObserver(
            forName: .AFNetworkingReachabilityDidChange,
            object: object,
            queue: nil,
            using: handler
        )
    }

    deinit {
        center.removeObserver(observer)
    }
}
