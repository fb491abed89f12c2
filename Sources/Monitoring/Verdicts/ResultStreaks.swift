// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Probing

/// How many results in a row, counted back from the newest, are of a kind.
struct ResultStreaks: Sendable, Hashable {
    /// Only failures.
    private(set) var failures = 0
    /// Only successes.
    private(set) var successes = 0
    /// Successes and degraded ones.
    private(set) var passes = 0
    /// Failures and degraded ones.
    private(set) var nonSuccesses = 0

    mutating func record(_ verdict: ProbeOutcome) {
        failures = verdict == .failure ? Self.more(failures) : 0
        successes = verdict == .success ? Self.more(successes) : 0
        passes = verdict == .failure ? 0 : Self.more(passes)
        nonSuccesses = verdict == .success ? 0 : Self.more(nonSuccesses)
    }

    /// Beyond the largest threshold a count says nothing new.
    private static func more(_ count: Int) -> Int { min(count + 1, VerdictSettings.countRange.upperBound) }
}
