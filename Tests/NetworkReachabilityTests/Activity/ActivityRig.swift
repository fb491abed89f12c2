// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ActivityTracking
import Foundation
import KeyValueObserving

@testable import NetworkReachability

/// A manager, enabled, with a time and a notification centre of its own.
final class ActivityRig: Sendable {
    let scheduler = ManualScheduler()
    let center = NotificationCenter()
    let manager: NetworkActivityIndicatorManager
    /// What was told to whom, in order; the calls of the action from the beginning.
    let told = Journal()

    init(isEnabled: Bool = true, compatibility: ActivityCompatibility = []) {
        manager = NetworkActivityIndicatorManager(
            scheduler: scheduler,
            compatibility: compatibility,
            notificationCenter: center
        )
        manager.isEnabled = isEnabled
        manager.setNetworkingActivityAction { [told] in told.append("action \($0)") }
    }

    var state: NetworkActivityManagerState { manager.currentState }
    var isVisible: Bool { manager.isNetworkActivityIndicatorVisible }

    func increment() {
        manager.incrementActivityCount()
        scheduler.runQueue()
    }

    func decrement() {
        manager.decrementActivityCount()
        scheduler.runQueue()
    }

    /// Goes to a state with one activity where something goes on, none where nothing does.
    func go(to state: NetworkActivityManagerState) {
        if state != .notActive { increment() }
        if state == .active || state == .delayingEnd { scheduler.fireNext() }
        if state == .delayingEnd { decrement() }
    }

    func post(_ name: Notification.Name, _ object: Any?) {
        center.post(name: name, object: object)
    }

    /// Notes both halves of each change of a key.
    func note<Value>(_ key: ObservableKey<NetworkActivityIndicatorManager, Value>) -> KeyValueObservation {
        manager.observe(key, options: [.old, .new, .prior]) { [told] _, change in
            let old = change.old.map { "\($0)" } ?? "-"
            let new = change.new.map { "\($0)" } ?? "-"
            told.append(change.isPrior ? "will \(key.name) \(old)" : "did \(key.name) \(old) \(new)")
        }
    }
}

/// A task as a session would announce it.
final class FakeTask: NetworkActivityTask {
    let originalRequestURL: URL?

    init(_ url: String? = "http://127.0.0.1/") {
        originalRequestURL = url.flatMap { URL(string: $0) }
    }
}
