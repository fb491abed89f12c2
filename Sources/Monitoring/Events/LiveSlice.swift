// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A run of live events.
package struct LiveSlice: Sendable {
    /// The events, oldest first.
    package let events: [LiveEvent]
    /// The place of the first of ``events``; larger by more than one than what was asked for when some were lost.
    package let first: UInt64
}
