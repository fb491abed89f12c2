// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import LinuxIO

/// The delay before the next attempt after failures in a row: 0.2 to 5 seconds, or a shorter limit. It doubles with each failure, and
/// a random half of it keeps the nodes of a fleet from returning at once.
package struct RetryDelay: Sendable {
    /// The shortest delay.
    static let shortest: Duration = .milliseconds(200)
    /// The longest delay.
    package static let longest: Duration = .seconds(5)

    private var failures = 0
    private var random: any RandomNumberGenerator & Sendable

    /// Creates a delay without failures.
    package init(random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()) {
        self.random = random
    }

    /// Counts a failure.
    ///
    /// - Parameter limit: the longest delay, in nanoseconds.
    /// - Returns: the delay in nanoseconds.
    package mutating func next(atMost limit: UInt64 = .max) -> UInt64 {
        // Five doublings of twice the shortest delay exceed the longest.
        let ceiling = min(limit, Self.longest.nanoseconds, Self.shortest.nanoseconds << UInt64(min(failures, 5) + 1))
        failures = min(failures + 1, 6)
        return UInt64.random(in: (ceiling / 2)...ceiling, using: &random)
    }

    /// Forgets the failures.
    package mutating func reset() { failures = 0 }
}
