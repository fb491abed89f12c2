// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// A target's change of state, as receivers get it.
struct StateChange: Sendable, Hashable {
    let id: EventID
    let at: Timestamp
    let target: String
    /// The target's name, if it has one and still exists when the event is read: events carry only the id.
    var name: String?
    let group: String?
    let tags: [String: String]
    /// The last state before it that was a judgement, if any was.
    var from: TargetState
    let to: TargetState
    private(set) var reason: String?
    private(set) var detail: String?
    let cause: StateCause?
    /// The hosts that the reason names, if it names any.
    var evidence: FaultEvidence?
    /// The location that alone sees it so, because it is cut off from its fleet; nil: it is so.
    var seenFrom: String?
    /// Why nothing more follows about the target; nil: it is watched, and reported to the receiver.
    var ending: Ending?

    /// Why a problem ends for a receiver though the target did not recover; raw values are the codes of reasons in messages.
    enum Ending: String, Sendable, Hashable, CaseIterable {
        /// The target is not watched any more.
        case removed = "target_removed"
        /// The receiver's filter, or the target's group or tags, are others now.
        case unrouted = "target_unrouted"

        /// One sentence for people.
        var detail: String {
            switch self {
            case .removed: "Monitoring stopped."
            case .unrouted: "The receiver's filter no longer matches."
            }
        }
    }

    var sequence: UInt64 { id.sequence }

    /// The name, or the id of a target without one.
    var label: String { name ?? target }

    /// As bad as the worse of both states: the end of a problem matters to receivers that got its begin.
    var severity: Severity { max(Severity(from), Severity(to)) }

    /// Whether a network that is our own, or what the target depends on, went away or came back: such changes are gathered.
    var isOutage: Bool { to == .unreachable || from == .unreachable && to == .up }

    /// The same change as the end of what a receiver was notified of.
    func ended(_ ending: Ending) -> StateChange {
        var change = StateChange(
            id: id,
            at: at,
            target: target,
            group: group,
            tags: tags,
            from: from,
            to: .unknown,
            reason: ending.rawValue,
            detail: ending.detail
        )
        change.ending = ending
        (change.name, change.seenFrom) = (name, seenFrom)
        return change
    }

    /// Reads a transition of the log; nil for any other event.
    init?(_ event: RecordedEvent, epoch: String) {
        guard event.type == .state, let transition = event.transition, let target = event.target else { return nil }
        id = EventID(epoch: epoch, sequence: event.sequence)
        at = event.at
        self.target = target
        group = event.group
        tags = event.tags
        from = transition.from
        to = transition.to
        reason = transition.reason
        detail = event.detail.map(Self.shortened)
        cause = transition.cause
        evidence = event.reason.flatMap(FaultEvidence.init(reason:))
    }

    /// Reads a target's declaration, or the end of one; nil for an event without a target.
    init?(declaration event: RecordedEvent, epoch: String) {
        guard let target = event.target else { return nil }
        self.init(
            id: EventID(epoch: epoch, sequence: event.sequence),
            at: event.at,
            target: target,
            group: event.group,
            tags: event.tags,
            from: .unknown,
            to: .unknown
        )
    }

    init(
        id: EventID,
        at moment: Timestamp,
        target: String,
        group: String? = nil,
        tags: [String: String] = [:],
        from: TargetState,
        to: TargetState,
        reason: String? = nil,
        detail: String? = nil,
        cause: StateCause? = nil
    ) {
        self.id = id
        at = moment
        self.target = target
        self.group = group
        self.tags = tags
        self.from = from
        self.to = to
        self.reason = reason
        self.detail = detail
        self.cause = cause
    }

    /// Says why, with a stable code and in a sentence.
    mutating func explain(_ code: String, _ sentence: String) {
        (reason, detail) = (code, Self.shortened(sentence))
    }

    private static let detailLimit = 1_000

    private static func shortened(_ text: String) -> String {
        text.utf8.count <= detailLimit ? text : String(text.prefix(detailLimit / 4)) + "…"
    }
}

extension TargetState {
    /// Whether it says something about the target, and not about reachd or its operator.
    var isJudgement: Bool {
        switch self {
        case .up, .degraded, .down, .unreachable: true
        case .unknown, .paused, .maintenance: false
        }
    }

    /// Whether it is a judgement that receivers are notified of as a problem.
    var isProblem: Bool { isJudgement && self != .up }
}
