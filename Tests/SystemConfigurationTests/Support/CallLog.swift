// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Dispatch
import Foundation
import Synchronization
import SystemConfiguration
import Testing

/// One call-out as a client sees it.
struct CallOut: Sendable, Equatable {
    var flags: SCNetworkReachabilityFlags
    var isMainThread: Bool
    var queueLabel: String
    var info: UInt
}

/// Collects call-outs and lets a test wait for them.
final class CallLog: Sendable {
    /// A hang limit, not a measurement.
    private static let limit = DispatchTimeInterval.seconds(30)

    /// What a test names its queue by.
    static let queueLabel = DispatchSpecificKey<String>()

    private let calls = Mutex<[CallOut]>([])
    private let semaphore = DispatchSemaphore(value: 0)

    /// What to set as callback.
    var callback: SCNetworkReachabilityCallBack {
        { _, flags, info in self.record(flags, UInt(bitPattern: info)) }
    }

    var all: [CallOut] { calls.withLock { $0 } }
    var flags: [SCNetworkReachabilityFlags] { all.map(\.flags) }

    func record(_ flags: SCNetworkReachabilityFlags, _ info: UInt = 0) {
        let label = DispatchQueue.getSpecific(key: Self.queueLabel) ?? ""
        calls.withLock {
            $0.append(CallOut(flags: flags, isMainThread: Thread.isMainThread, queueLabel: label, info: info))
        }
        semaphore.signal()
    }

    /// Waits for one more call-out.
    func wait(_ location: SourceLocation = #_sourceLocation) {
        #expect(semaphore.wait(timeout: .now() + Self.limit) == .success, sourceLocation: location)
    }
}
