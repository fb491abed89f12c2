// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How much time one bucket stands for; raw values are what exports say. Days are those of UTC.
package enum RollupResolution: String, Sendable, Hashable, CaseIterable {
    /// A minute.
    case minute
    /// An hour.
    case hour
    /// A day.
    case day

    /// The length in milliseconds.
    package var length: Int64 {
        switch self {
        case .minute: 60_000
        case .hour: 3_600_000
        case .day: 86_400_000
        }
    }

    /// The number of the bucket that a moment is in, counted from 1970.
    func number(of milliseconds: Int64) -> Int64 {
        let quotient = milliseconds / length
        return milliseconds % length < 0 ? quotient - 1 : quotient
    }

    /// The first moment of the bucket that a moment is in.
    func start(of milliseconds: Int64) -> Int64 { number(of: milliseconds) * length }
}
