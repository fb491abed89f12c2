// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How often a target went over to each state since it was added; part of every record, so it is small.
package struct TransitionCounts: Sendable {
    // 28 bytes; a count that is full begins again, which who reads counters expects of a restart anyway.
    private var numbers = InlineArray<7, UInt32>(repeating: 0)

    /// Nothing happened yet.
    package init() {}

    /// How often it went over to a state.
    package subscript(state: TargetState) -> UInt32 { numbers[state.position] }

    /// With one more, if the states are different.
    func counting(from old: TargetState, to new: TargetState) -> Self {
        guard old != new else { return self }
        var counts = self
        counts.numbers[new.position] &+= 1
        return counts
    }
}
