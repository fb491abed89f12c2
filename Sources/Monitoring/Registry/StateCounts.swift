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
