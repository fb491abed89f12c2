// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Synchronization

/// The last answer of `/status`; good until something changes, and for a second because it tells the time.
final class StatusCache: Sendable {
    final class Entry: Sendable {
        let version: UInt64
        let second: UInt64
        let activity: ActivityStatus
        let answer: PreparedAnswer
        /// The states that some target is in.
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

    /// The entry for a moment, made when there is none. Two threads may make the same one; either is right.
    func entry(version: UInt64, second: UInt64, activity: ActivityStatus, make: () -> Entry) -> Entry {
        if let current = entry.withLock({ $0 }), current.version == version, current.second == second,
            current.activity == activity
        {
            return current
        }
        let made = make()
        entry.withLock { current in
            // A slower thread must not put an older picture over a newer one.
            if let current, current.version > made.version { return }
            current = made
        }
        return made
    }
}

/// What makes `/status` answer 503 when a client asks it to; raw values are what `fail_on` takes.
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
