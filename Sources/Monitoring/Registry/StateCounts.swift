// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How many targets are in each state.
public struct StateCounts: Sendable, Hashable {
    private var numbers = [Int](repeating: 0, count: TargetState.allCases.count)

    init() {}

    /// The number of targets in a state.
    public internal(set) subscript(state: TargetState) -> Int {
        get { numbers[Self.position(state)] }
        set { numbers[Self.position(state)] = newValue }
    }

    /// The number of targets.
    public var total: Int { numbers.reduce(0, +) }

    private static func position(_ state: TargetState) -> Int {
        switch state {
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
