// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import Monitoring

/// The targets a receiver was notified of as not up, and has not been notified of as recovered.
///
/// Invariant: a message with status `resolved` names a target only while it is in here, and takes it out; one with status
/// `firing` names it only in another state than the one in here. So each target alternates for each receiver.
struct OpenProblems: Sendable, Hashable {
    /// What the receiver was notified of.
    struct Problem: Sendable, Hashable {
        let state: TargetState
        /// Whether a message named the target. A large outage only counts some of its targets: its end counts them, too.
        var isNamed = true
    }

    /// What a message replaced, so that the state before it can be had while it is not acknowledged.
    struct Replacement: Sendable, Hashable {
        let target: String
        let problem: Problem?
    }

    /// What a change is to a receiver.
    enum Step: Sendable, Hashable {
        /// The receiver knows, or does not want to know.
        case nothing
        case firing
        case resolved
        /// Neither: a pause, a maintenance.
        case info
    }

    private(set) var problems: [String: Problem]

    init(_ problems: [String: Problem] = [:]) { self.problems = problems }

    /// What a receiver without a kept set is assumed to know: every problem that its filter lets through.
    init(_ transitions: [StateChange], filter: NotificationFilter) {
        problems = [:]
        for change in transitions where change.to.isProblem && filter.matches(change) {
            problems[change.target] = Problem(state: change.to)
        }
    }

    subscript(target: String) -> Problem? { problems[target] }

    /// A change as the receiver sees it: what it was notified of is the state before.
    func seen(_ change: StateChange) -> StateChange {
        guard let problem = problems[change.target], change.to.isJudgement || change.ending != nil else {
            return change
        }
        var change = change
        change.from = problem.state
        return change
    }

    /// Decides on a change that is already ``seen(_:)``. Takes in what is not notified to this receiver, but changes what it knows.
    mutating func step(_ change: StateChange, _ filter: NotificationFilter) -> Step {
        let target = change.target
        guard filter.routes(change) else { return .nothing }
        guard change.to.isJudgement else { return filter.matches(change) ? .info : .nothing }
        guard change.to.isProblem else {
            guard problems[target] != nil else { return .nothing }
            if filter.wantsEnds, !filter.wantsOnlyEnds || filter.matches(change) { return .resolved }
            problems[target] = nil
            return .nothing
        }
        if let known = problems[target]?.state {
            // Not known while this machine's own network is away; what was notified still stands.
            guard known != change.to, change.to != .unreachable else { return .nothing }
        }
        if filter.wantsOnlyEnds {
            problems[target] = Problem(state: change.to)
            return .nothing
        }
        return filter.matches(change) ? .firing : .nothing
    }

    /// Takes in what a message is about to notify of.
    mutating func replace(_ target: String, with problem: Problem?) -> Replacement {
        let replacement = Replacement(target: target, problem: problems[target])
        problems[target] = problem
        return replacement
    }

    /// Goes back to what was known before a message.
    mutating func revert(_ replacements: [Replacement]) {
        for replacement in replacements.reversed() { problems[replacement.target] = replacement.problem }
    }

    /// Takes in a change that was settled in an earlier run.
    mutating func pass(_ change: StateChange, _ filter: NotificationFilter) {
        let change = seen(change)
        switch step(change, filter) {
        case .firing: problems[change.target] = Problem(state: change.to)
        case .resolved: problems[change.target] = nil
        case .nothing, .info: break
        }
    }

    mutating func remove(_ target: String) { problems[target] = nil }

    /// Adds problems that another notifier reported; what is known of their targets stays.
    mutating func add(_ carried: [CarriedProblem]) {
        for problem in carried where problems[problem.target] == nil && problem.state.isProblem {
            problems[problem.target] = Problem(state: problem.state)
        }
    }
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
