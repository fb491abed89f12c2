// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// The targets that have an alert at an Alertmanager, each with the state that it shows.
struct OpenProblems: Sendable, Hashable {
    let problems: [String: TargetState]

    init(_ problems: [String: TargetState] = [:]) { self.problems = problems }

    subscript(target: String) -> TargetState? { problems[target] }
}

/// Which targets are watched and reported to a receiver, where the log does not say that one no longer is: it was removed while
/// reachd did not run, its removal was lost with the power, or the receiver's filter is another.
struct ReportedTargets: Sendable {
    /// The last number of the log's events that are older than this: only behind them it is known what they left open.
    let beginning: UInt64
    /// Why a target is not reported; nil: it is.
    let ending: @Sendable (_ target: String) -> StateChange.Ending?
}

/// The last judgement of every target that is not up, as far as the log was read.
///
/// A restart makes every target `unknown` for a moment, as a pause and a maintenance do: what is delivered is the change from one
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
