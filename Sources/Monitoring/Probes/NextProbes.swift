// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// When the next probe of each target is due: the driver of the probes writes it, and any thread reads it.
final class NextProbes: Sendable {
    private let times = Mutex<[UInt64: Timestamp]>([:])

    /// The time of a target, by its ordinal; in the past while its probe waits for a place or runs. nil while none is planned.
    subscript(ordinal: UInt64) -> Timestamp? {
        get { times.withLock { $0[ordinal] } }
        set { times.withLock { $0[ordinal] = newValue } }
    }
}
