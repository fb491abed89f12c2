// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import History

/// What the slices of a window came to, oldest first.
struct Timeline {
    let window: UptimeWindow
    /// In milliseconds since 1970; as many as ``slices``.
    let ranges: [Range<Int64>]
    let slices: [RollupBucket]
}
