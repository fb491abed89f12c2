// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import TestSupport

/// A target's random past: up to two lives, between which it was not declared, with changes of its state and of the cause alone.
struct StateLife: CustomStringConvertible {
    /// A change, with times in milliseconds.
    struct Change {
        let from: TargetState
        let to: TargetState
        let previousSince: Int64
        let at: Int64
        /// When it was written into the log.
        let written: Int64
    }

    let target: String
    private(set) var events: [Change] = []
    private(set) var state = TargetState.unknown
    private(set) var since: Int64 = 0
    /// What it was when, computed from the course of events itself.
    private var stretches: [(state: TargetState, range: Range<Int64>)] = []

    init(_ target: String, until end: Int64, _ random: inout SeededGenerator) {
        self.target = target
        let day: Int64 = 86_400_000
        var time = end - 4 * day
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            time = Int64.random(in: time...end - 1, using: &random)
            (state, since) = (.unknown, time)
            for _ in 0..<Int.random(in: 0...9, using: &random) {
                let isState = !random.once(in: 3)
                // A report may be older than that of another location about the cause, and not older than the state.
                let at = Int64.random(in: since...end - 1, using: &random)
                let next =
                    isState ? TargetState.allCases.filter { $0 != state }.randomElement(using: &random) ?? .up : state
                let written = max(at, events.last?.written ?? 0)
                events.append(Change(from: state, to: next, previousSince: since, at: at, written: written))
                guard isState else { continue }
                stretches.append((state, since..<at))
                (state, since) = (next, at)
            }
            // What it was when it was removed, no event tells.
            time = events.last?.written ?? time
        }
        stretches.append((state, since..<Int64.max))
    }

    /// How long it was in each state.
    func times(in range: Range<Int64>) -> [TargetState: UInt64] {
        var times: [TargetState: UInt64] = [:]
        for (state, stretch) in stretches where stretch.overlaps(range) {
            let part = stretch.clamped(to: range)
            times[state, default: 0] += UInt64(part.upperBound - part.lowerBound)
        }
        return times
    }

    var description: String { "\(target): \(stretches.map { "\($0.state) \($0.range)" })" }
}
