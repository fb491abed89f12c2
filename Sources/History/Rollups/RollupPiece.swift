// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// One bucket of one target.
package struct RollupPiece: Sendable, Hashable {
    /// The target's id.
    package let target: String
    /// When the bucket begins, in milliseconds since 1970.
    package let start: Int64
    /// What it says.
    package var bucket: RollupBucket

    init(target: String, start: Int64, bucket: RollupBucket) {
        self.target = target
        self.start = start
        self.bucket = bucket
    }
}
