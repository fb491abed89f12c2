// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Why a stream could not go on from the id that the client named; raw values are the HTTP contract's.
enum ResetReason: String, CaseIterable {
    /// The id is from another run of the log.
    case foreignEpoch = "foreign_epoch"
    /// Events after the id are no longer kept.
    case expired
    /// There is no event of that number yet.
    case future
    /// The text is not an id.
    case malformed
}
