// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Synchronization

/// The last answer of `/status`; valid until something changes, for at most a second because it contains the time.
final class StatusCache: Sendable {
    final class Entry: Sendable {
        let version: UInt64
        let second: UInt64
        let activity: ActivityStatus
        let answer: PreparedAnswer
        /// The states that have targets.
        let occupied: Set<TargetState>
        let isNetworkReachable: Bool

        init(
            version: UInt64,
            second: UInt64,
            activity: ActivityStatus,
            answer: PreparedAnswer,
            occupied: Set<TargetState>,
            isNetworkReachable: Bool
        ) {
            self.version = version
            self.second = second
            self.activity = activity
            self.answer = answer
            self.occupied = occupied
            self.isNetworkReachable = isNetworkReachable
        }
    }

    private let entry = Mutex<Entry?>(nil)

    /// The entry for a moment, made if there is none. Two threads may make the same one; either is correct.
    func entry(version: UInt64, second: UInt64, activity: ActivityStatus, make: () -> Entry) -> Entry {
        if let current = entry.withLock({ $0 }), current.version == version, current.second == second,
            current.activity == activity
        {
            return current
        }
        let made = make()
        entry.withLock { current in
            // A slower thread must not replace a newer entry with an older one.
            if let current, current.version > made.version { return }
            current = made
        }
        return made
    }
}

/// The conditions for `/status` to answer 503; raw values are those of `fail_on`.
package enum FailCondition: String, CaseIterable {
    case down, unreachable, degraded, unknown, network

    func holds(for entry: StatusCache.Entry) -> Bool {
        switch self {
        case .down: entry.occupied.contains(.down)
        case .unreachable: entry.occupied.contains(.unreachable)
        case .degraded: entry.occupied.contains(.degraded)
        case .unknown: entry.occupied.contains(.unknown)
        case .network: !entry.isNetworkReachable
        }
    }
}
