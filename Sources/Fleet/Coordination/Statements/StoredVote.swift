// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// A vote as the database stores it.
struct StoredVote: Sendable, Hashable {
    /// What the location reports.
    let content: VoteContent
    /// The token of the assignment under which it was reported.
    let token: Int64
    /// The node that reported it.
    let node: String

    /// The vote as verdicts read it.
    func vote(from location: String, owner: VoteOwner) -> Vote {
        Vote(
            location: location,
            state: content.state,
            cause: content.cause,
            reason: content.reason.flatMap(ReasonCode.cached),
            detail: content.detail,
            since: content.since,
            owner: owner
        )
    }
}

/// What a vote says.
struct VoteContent: Sendable, Hashable {
    /// The length limit of a sentence, in characters.
    static let detailLimit = 1_000

    let state: TargetState
    let cause: StateCause?
    /// The code as it was reported: a newer node may report one that this program does not know.
    let reason: String?
    let detail: String?
    /// When the state began.
    let since: Duration
    /// What the location's node reported of the failure, for incidents; nil for a node that reported none.
    var fault: IncidentFault?

    /// Reads a vote; nil when its state or cause is unknown. A fault that cannot be read is none.
    init?(state: String, cause: String?, reason: String?, detail: String?, since: Int64, fault: String? = nil) {
        guard let known = TargetState(rawValue: state) else { return nil }
        let place = cause.flatMap(StateCause.init)
        guard cause == nil || place != nil else { return nil }
        self.init(state: known, cause: place, reason: reason, detail: detail, since: Duration(microseconds: since))
        // A program that knows no faults leaves that of an earlier vote in place.
        self.fault = fault.flatMap { IncidentFault(stored: Array($0.utf8)) }.flatMap { $0.code == reason ? $0 : nil }
    }

    init(state: TargetState, cause: StateCause? = nil, reason: String? = nil, detail: String? = nil, since: Duration) {
        self.state = state
        self.cause = cause
        self.reason = reason
        self.detail = detail
        self.since = since
    }
}

extension ReasonCode {
    private static let codes = Dictionary(allCases.map { ($0.rawValue, $0) }) { first, _ in first }

    /// Reads a code without a search through all of them; nil for an unknown one.
    static func cached(_ text: String) -> ReasonCode? { codes[text] }
}
