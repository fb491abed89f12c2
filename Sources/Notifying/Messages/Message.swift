// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring

/// One notification to a receiver.
struct Message: Sendable, Hashable {
    /// What it is about; raw values are what messages say.
    enum Kind: String, Sendable, Hashable, CaseIterable {
        /// One target.
        case state
        /// Several targets that one cause touched, or one.
        case outage
        /// Another certificate of a target.
        case certificate
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
    /// What is settled when it was acknowledged.
    var covers: SequenceSet
    /// The incident that it belongs to; nil for a message about a certificate.
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
            begunAt: change.at,
            total: 1,
            failing: 1
        )
    }

    /// The target, of a message about one.
    var target: StateChange? { kind == .outage ? nil : changes.first }

    /// The location that alone sees it so; nil: it is so.
    var seenFrom: String? { changes.first?.seenFrom }

    /// Messages with the same one arrive in their order.
    var order: String { incident?.key ?? target?.target ?? "" }

    /// One sentence for people.
    var text: String {
        switch kind {
        case .state, .outage: incident.map(text(of:)) ?? ""
        case .certificate: changes.first.map { "\($0.label): \($0.detail ?? "the certificate is another")" } ?? ""
        case .test: "This is a test of reachd, nothing is wrong."
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
