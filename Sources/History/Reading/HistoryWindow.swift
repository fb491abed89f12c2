// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring

/// What a target's time since a moment came to.
package struct HistoryWindow: Sendable, Hashable {
    /// When it begins.
    package let from: Timestamp
    /// When it ends: now.
    package let to: Timestamp
    /// What it came to.
    package let bucket: RollupBucket

    /// The share of the time in which it answered, of that about which it is known; nil when none is.
    package var uptimeRatio: Double? {
        let judged = bucket.times.judged
        return judged == 0 ? nil : Double(bucket.times.up) / Double(judged)
    }

    /// The share of the time about which it is known whether it answered.
    package var coverageRatio: Double {
        let length = to.milliseconds - from.milliseconds
        return length <= 0 ? 0 : min(Double(bucket.times.judged) / Double(length), 1)
    }
}
