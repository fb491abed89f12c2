// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The pauses between attempts: each up to twice the previous one, with a random share, so that many clients of a server that
/// returns do not ask at once.
package struct Backoff: Sendable {
    private let first: Duration
    private let longest: Duration
    private var limit: Duration

    /// Creates the pauses.
    ///
    /// - Parameters:
    ///   - first: the limit of the first pause.
    ///   - longest: the limit of all pauses.
    package init(first: Duration = .seconds(1), longest: Duration) {
        self.first = first
        self.longest = longest
        limit = first
    }

    /// The pause before the next attempt: between half of its limit and its limit.
    package mutating func next() -> Duration {
        var generator = SystemRandomNumberGenerator()
        return next(using: &generator)
    }

    /// Like ``next()``, with the random numbers of a test.
    package mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        let current = min(limit, longest)
        limit = min(current * 2, longest)
        // 53 random bits, 0 to 1.
        let share = Double(generator.next() >> 11) / Double((UInt64(1) << 53) - 1)
        return current / 2 + current / 2 * share
    }

    /// Begins again after a success.
    package mutating func reset() { limit = first }
}
