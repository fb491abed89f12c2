// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How long buckets are kept.
package struct RollupSettings: Sendable, Hashable {
    /// Minutes; hours are made of them.
    package var minutes: Duration
    /// Hours; days are made of them.
    package var hours: Duration
    /// Days.
    package var days: Duration
    /// The room that all of them may take, in bytes.
    package var bytes: UInt64

    /// Creates settings.
    package init(
        minutes: Duration = .seconds(48 * 3600),
        hours: Duration = .seconds(35 * 86_400),
        days: Duration = .seconds(730 * 86_400),
        bytes: UInt64 = 1 << 30
    ) {
        self.minutes = minutes
        self.hours = hours
        self.days = days
        self.bytes = bytes
    }

    /// How long buckets of a resolution are kept, in milliseconds.
    func milliseconds(_ resolution: RollupResolution) -> Int64 {
        let duration =
            switch resolution {
            case .minute: minutes
            case .hour: hours
            case .day: days
            }
        // As long as time has names.
        return min(duration.components.seconds, 315_576_000_000) * 1000
    }
}

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
