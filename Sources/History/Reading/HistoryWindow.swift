// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Monitoring

/// What a target's time since a moment came to.
public struct HistoryWindow: Sendable, Hashable {
    /// When it begins.
    public let from: Timestamp
    /// When it ends: now.
    public let to: Timestamp
    /// What it came to.
    public let bucket: RollupBucket

    /// The share of the time in which it answered, of that about which it is known; nil when none is.
    public var uptimeRatio: Double? {
        let judged = bucket.times.judged
        return judged == 0 ? nil : Double(bucket.times.up) / Double(judged)
    }

    /// The share of the time about which it is known whether it answered.
    public var coverageRatio: Double {
        let length = to.milliseconds - from.milliseconds
        return length <= 0 ? 0 : min(Double(bucket.times.judged) / Double(length), 1)
    }
}
