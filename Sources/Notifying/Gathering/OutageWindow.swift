// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The time, by the log, in which what an outage does is gathered. Part of a receiver's place, because a reading of the log may begin
/// inside of it.
struct OutageWindow: Sendable, Hashable {
    /// When the first change happened, in milliseconds since 1970.
    let began: Int64
    /// In milliseconds; not negative, and ``limit`` at most.
    let length: Int64

    /// Thirty years and more: a sum of it and a time overflows nowhere.
    static let limit: Int64 = 1_000_000_000_000

    init(began: Int64, length: Int64) {
        self.began = began
        self.length = min(length, Self.limit)
    }

    /// Whether a time of the log is in it. So long before it began is not: the clock was set back.
    func contains(_ milliseconds: Int64) -> Bool {
        let (distance, isTooFar) = milliseconds.subtractingReportingOverflow(began)
        return !isTooFar && distance.magnitude <= length.magnitude
    }
}
