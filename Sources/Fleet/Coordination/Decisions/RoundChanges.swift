// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// What a round decided, for ``WriteStatement``. Each target, vote and assignment is in a list at most once, because a statement
/// cannot write a row twice.
struct RoundChanges: Sendable, Hashable {
    /// The inbox's rows that are done.
    var inboxIDs: [Int64] = []
    /// The votes to store.
    var votes: [VoteChange] = []
    /// The verdicts to replace.
    var verdicts: [VerdictChange] = []
    /// What the log gets, in its order.
    var entries: [LogEntry] = []
    /// The targets whose locations disagree.
    var disagreements: [Disagreement] = []
    /// The targets whose locations do not disagree any more.
    var agreed: [String] = []
    /// The assignments whose owner has probed all targets, with the token.
    var confirmed: [AssignmentKey: Int64] = [:]
    /// The rows that did not count, by reason.
    var rejected: [RejectionReason: Int] = [:]
    /// The targets whose verdict began or ceased to block those that depend on them.
    var blockingChanged: [String] = []
    /// The targets that several others watch, each with the vote of the location that alone is against; see ``IsolationTally``.
    var aloneAgainst: [String: LoneVote?] = [:]
    /// Which locations get no answer from the targets; see ``LossTally``.
    var losses: [String: Loss?] = [:]
    /// How the targets are for incidents, in the order of the decisions.
    var observations: [IncidentObservation] = []
    /// When the targets of a shard have to be decided again because of the time.
    var due: [Shard: Duration] = [:]

    /// The changes of verdicts among ``entries``.
    var events: [StateEvent] { entries.compactMap(\.state) }

    /// Whether there is nothing to write.
    var isEmpty: Bool {
        inboxIDs.isEmpty && votes.isEmpty && verdicts.isEmpty && disagreements.isEmpty && agreed.isEmpty
            && confirmed.isEmpty
    }
}

/// A vote to store.
struct VoteChange: Sendable, Hashable {
    let target: String
    let location: String
    let vote: StoredVote
}

/// A verdict to replace; its version is the one to be replaced.
struct VerdictChange: Sendable, Hashable {
    let target: String
    let verdict: StoredVerdict
}

/// A disagreement of a target's locations.
struct Disagreement: Sendable, Hashable {
    let target: String
    let shard: Shard
    let since: Duration
    /// When the verdict shows it; nil when it does so already.
    let due: Duration?
}
