// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Synchronization

/// The last answer of `/status`; good until the next event, and for a second because it tells the time.
final class StatusCache: Sendable {
    struct Entry: Sendable {
        let sequence: UInt64
        let second: UInt64
        let answer: PreparedAnswer
        /// The states that some target is in.
        let occupied: Set<TargetState>
        let isNetworkReachable: Bool
    }

    private let entry = Mutex<Entry?>(nil)

    /// The entry for a moment, made when there is none. Two threads may make the same one; either is right.
    func entry(sequence: UInt64, second: UInt64, make: () -> Entry) -> Entry {
        if let current = entry.withLock({ $0 }), current.sequence == sequence, current.second == second {
            return current
        }
        let made = make()
        entry.withLock { current in
            // A slower thread must not put an older picture over a newer one.
            if let current, current.sequence > made.sequence { return }
            current = made
        }
        return made
    }
}
