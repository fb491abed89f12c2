// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How many targets are in each state.
package struct StateCounts: Sendable, Hashable {
    private var numbers = [Int](repeating: 0, count: TargetState.allCases.count)

    init() {}

    /// The number of targets in a state.
    package internal(set) subscript(state: TargetState) -> Int {
        get { numbers[state.position] }
        set { numbers[state.position] = newValue }
    }

    /// The number of targets.
    package var total: Int { numbers.reduce(0, +) }
}

extension TargetState {
    /// Its place among all states.
    var position: Int {
        switch self {
        case .unknown: 0
        case .up: 1
        case .degraded: 2
        case .down: 3
        case .unreachable: 4
        case .paused: 5
        case .maintenance: 6
        }
    }
}

/// How often a target went over to each state since it was added; part of every record, so it is small.
package struct TransitionCounts: Sendable {
    // 28 bytes; a full counter wraps to zero, which readers of counters treat as a restart.
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
