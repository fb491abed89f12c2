// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Events rendered for one view: from one position in the log to another.
struct EventBatch {
    /// Empty when the view wants none of the events between the positions.
    let bytes: [UInt8]
    /// The position after the batch.
    let next: UInt64
}
