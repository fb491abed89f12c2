// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring

/// How long a target was in each state, in milliseconds.
package struct StateTimes: Sendable, Hashable {
    /// The states in the order in which files have them; it never changes.
    static let order: [TargetState] = [.unknown, .up, .degraded, .down, .unreachable, .paused, .maintenance]

    var milliseconds: SIMD8<UInt64> = .zero

    /// No time at all.
    package init() {}

    /// The time in one state.
    package internal(set) subscript(state: TargetState) -> UInt64 {
        get { milliseconds[Self.place(of: state)] }
        set { milliseconds[Self.place(of: state)] = newValue }
    }

    /// The time in any state: as long as somebody looked.
    package var observed: UInt64 { milliseconds.wrappedSum() }

    /// The time in which it answered: `up` and `degraded`.
    package var up: UInt64 { self[.up] &+ self[.degraded] }

    /// The time about which it is known whether it answered: `up`, `degraded` and `down`.
    package var judged: UInt64 { up &+ self[.down] }

    mutating func add(_ other: StateTimes) { milliseconds &+= other.milliseconds }

    private static func place(of state: TargetState) -> Int {
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
