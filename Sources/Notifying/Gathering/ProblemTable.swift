// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// The last judgement of every target that is not up, as far as the log was read.
///
/// A restart makes every target `unknown` for a moment, as a pause and a maintenance do: what is told is the change from one
/// judgement to the next.
struct ProblemTable: Sendable {
    private var states: [String: TargetState] = [:]

    init() {}

    /// Begins with the last transitions of targets, as of the place where the reading begins.
    init(_ transitions: [StateChange]) {
        for change in transitions where change.to.isJudgement && change.to != .up { states[change.target] = change.to }
    }

    /// A change with the last judgement as the state before; remembers the one after.
    mutating func completed(_ change: StateChange) -> StateChange {
        var change = change
        if !change.from.isJudgement, let state = states[change.target] { change.from = state }
        if change.to.isJudgement { states[change.target] = change.to == .up ? nil : change.to }
        return change
    }

    mutating func remove(_ target: String) { states[target] = nil }
}
