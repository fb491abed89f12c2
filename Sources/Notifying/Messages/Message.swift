// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring

/// One notification to a webhook.
struct Message: Sendable, Hashable {
    /// What it is about; raw values are what messages say.
    enum Kind: String, Sendable, Hashable, CaseIterable {
        /// One target.
        case state
        /// Several targets that one cause touched, or one.
        case outage
        /// Another certificate of a target.
        case certificate
        /// Events that were lost before their delivery.
        case gap
        /// A test message.
        case test
    }

    /// Whether something began or ended; raw values are what messages say.
    enum Status: String, Sendable, Hashable, CaseIterable {
        case firing
        case resolved
        /// Neither.
        case info
    }

    /// Targets that a message names at most.
    static let listLimit = 100

    let kind: Kind
    /// That of the incident and the number of the message, or that of the last event in it: another for every message, the same when
    /// it is sent again under the same epoch.
    let id: String
    let at: Timestamp
    let status: Status
    let severity: Severity
    /// The change, or those of the targets that it names.
    let changes: [StateChange]
    /// How many targets it is about.
    var count = 1
    /// How many of them each cause has.
    var causes: [StateCause: Int] = [:]
    /// Changes that it stands for and does not name, because there were too many of the same target.
    var leftOut = 0
    /// Lost events.
    var missed: UInt64 = 0
    /// What is settled when it was acknowledged.
    var covers: SequenceSet
    /// The incident that it belongs to; nil for a message about none.
    var incident: MessageIncident?

    /// Creates a message from its parts.
    init(
        kind: Kind,
        id: String,
        at moment: Timestamp,
        status: Status,
        severity: Severity,
        changes: [StateChange],
        count: Int,
        causes: [StateCause: Int],
        covers: SequenceSet = SequenceSet()
    ) {
        (self.kind, self.id, at) = (kind, id, moment)
        (self.status, self.severity) = (status, severity)
        (self.changes, self.count, self.causes, self.covers) = (changes, count, causes, covers)
    }

    /// A change of one target.
    ///
    /// - Parameter isNews: whether the receiver does not know the state yet; if it does, ``leftOut`` is all there is to report.
    init(_ change: StateChange, leftOut: Int = 0, isNews: Bool = true, covers: SequenceSet) {
        kind = .state
        id = change.id.description
        at = change.at
        let isOver = change.ending != nil || change.to == .up
        status = !isNews ? .info : isOver ? .resolved : change.to.isJudgement ? .firing : .info
        severity = change.severity
        changes = [change]
        causes = change.cause.map { [$0: 1] } ?? [:]
        self.leftOut = leftOut
        self.covers = covers
    }

    /// Several targets; there is at least one change.
    ///
    /// - Parameter listed: how many of the changes it names, from the first; the others it counts.
    init?(outage changes: [StateChange], listed: Int, isOver: Bool, leftOut: Int, covers: SequenceSet) {
        guard let last = changes.max(by: { $0.sequence < $1.sequence }) else { return nil }
        kind = .outage
        id = last.id.description
        at = last.at
        status = isOver ? .resolved : .firing
        severity = changes.map(\.severity).max() ?? .warning
        self.changes = Array(changes.prefix(listed))
        count = changes.count
        causes = changes.reduce(into: [:]) { counts, change in
            if let cause = change.cause { counts[cause, default: 0] += 1 }
        }
        self.leftOut = leftOut
        self.covers = covers
    }

    /// Events that are lost.
    init(missed: ClosedRange<UInt64>, epoch: String, at moment: Timestamp) {
        kind = .gap
        id = EventID(epoch: epoch, sequence: missed.upperBound).description
        at = moment
        status = .info
        severity = .warning
        changes = []
        count = 0
        self.missed = missed.upperBound - missed.lowerBound + 1
        covers = SequenceSet(missed)
    }

    /// A message that says nothing.
    static func test(at moment: Timestamp) -> Message {
        let change = StateChange(
            id: EventID(epoch: EventID.randomEpoch(), sequence: 1),
            at: moment,
            target: "test",
            from: .up,
            to: .down,
            reason: "test",
            detail: "This is a test of reachd, nothing is wrong.",
            cause: .target
        )
        return Message(test: change)
    }

    private init(test change: StateChange) {
        kind = .test
        id = change.id.description
        at = change.at
        status = .info
        severity = .info
        changes = [change]
        covers = SequenceSet()
        incident = MessageIncident(
            key: "test-\(change.id.epoch)",
            id: nil,
            title: "Test of reachd",
            phase: .opened,
            openedAt: change.at,
            total: 1,
            failing: 1
        )
    }

    /// The target, of a message about one.
    var target: StateChange? { kind == .outage || kind == .gap ? nil : changes.first }

    /// The location that alone sees it so; nil: it is so.
    var seenFrom: String? { changes.first?.seenFrom }

    /// Messages with the same one arrive in their order.
    var order: String { incident?.key ?? target?.target ?? "" }

    /// Whether it must wait for all before it, and all behind it for it: it is about many targets.
    var isBarrier: Bool { incident == nil && (kind == .outage || kind == .gap) }

    /// One sentence for people.
    var text: String {
        if let incident, let text = text(of: incident) { return text }
        let view = seenFrom.map { ", as seen from \($0)" } ?? ""
        switch kind {
        case .certificate:
            return changes.first.map { "\($0.label): \($0.detail ?? "the certificate is another")" } ?? ""
        case .test: return "This is a test of reachd, nothing is wrong."
        case .gap: return "\(missed) events were lost before they could be sent; check the current state in reachd."
        case .state:
            guard let change = changes.first else { return "" }
            switch change.ending {
            case .removed: return "\(change.label) was removed while it was \(change.from.rawValue)\(view)."
            case .unrouted:
                return "\(change.label) is no longer reported to this receiver; it was \(change.from.rawValue)\(view)."
            case nil: break
            }
            let omitted = leftOut > 0 ? " (\(leftOut) more changes since the last message)" : ""
            let why = change.to.isHealthy && change.to != .degraded ? nil : change.detail ?? change.reason
            return "\(change.label) is \(change.to.rawValue)\(view)\(why.map { ": \($0)" } ?? ".")\(omitted)"
        case .outage:
            let named = changes.prefix(5).map(\.label)
            let names = named.joined(separator: ", ") + (named.isEmpty || count == named.count ? "" : ", …")
            let subject = count == 1 ? "1 target is" : "\(count) targets are"
            if changes.first?.ending != nil {
                return "\(subject) no longer reported to this receiver: \(names). \(changes.first?.detail ?? "")"
            }
            guard status == .firing else {
                return "\(subject) no longer unreachable\(view)" + (names.isEmpty ? "." : ": \(names)")
            }
            let why = changes.first.flatMap { $0.detail ?? $0.reason }
            return "\(subject) unreachable\(view): \(names)" + (why.map { ". \($0)" } ?? "")
        }
    }
}

/// How bad a change is; raw values are the words of messages and of the configuration.
package enum Severity: String, Sendable, Hashable, CaseIterable, Comparable {
    /// Good to know.
    case info
    /// Something is not as it should be, or cannot be judged.
    case warning
    /// Something does not work.
    case critical

    /// How bad a state is.
    package init(_ state: TargetState) {
        switch state {
        case .down: self = .critical
        case .degraded, .unreachable: self = .warning
        case .up, .unknown, .paused, .maintenance: self = .info
        }
    }

    private var rank: Int {
        switch self {
        case .info: 0
        case .warning: 1
        case .critical: 2
        }
    }

    /// The less bad is the lesser.
    package static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }
}
