// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Live events rendered for one view.
struct LiveBatch {
    /// Empty when the view wants none of them.
    let bytes: [UInt8]
    /// The place after the batch.
    let next: UInt64
    /// How many were lost before it.
    let missed: UInt64
}
