// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// An Alertmanager: it receives the current state, repeatedly.
final class AlertmanagerMachine: ReceiverMachine {
    private var book: AlertSet
    private let incidents: (any IncidentSource)?
    private var lastToken: UInt64 = 0

    /// - Parameters:
    ///   - place: where it left off, with the targets that had an alert there; without them all in `transitions` had.
    ///   - transitions: the last transitions of targets up to there.
    ///   - reported: the targets of which events will say how their problems end; nil: all.
    ///   - incidents: the incidents that targets are part of; nil: none.
    init(
        _ receiver: ReceiverSettings,
        _ settings: AlertmanagerSettings,
        place: ReceiverOffset,
        transitions: [StateChange] = [],
        reported: ReportedTargets? = nil,
        incidents: (any IncidentSource)? = nil,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.incidents = incidents
        book = AlertSet(
            receiver,
            settings,
            processed: place.mark.floor,
            open: place.open,
            carried: place.carried,
            transitions: transitions,
            reported: reported,
            random: random
        )
    }

    /// It keeps one alert a target, however long its server is away.
    var hasRoom: Bool { true }
    var mark: ConsumerOffset { ConsumerOffset(floor: book.settledThrough) }
    var place: ReceiverOffset { book.place }
    /// It receives the current state, possibly again.
    var told: SequenceSet { SequenceSet() }
    var waiting: Int { book.waiting }
    var failures: Int { book.failures }

    func deadline(isCaughtUp: Bool) -> UInt64? { book.deadline }

    func take(_ entries: [LogEntry], now: UInt64) {
        for entry in entries { book.take(entry) }
    }

    func skip(_ sequences: ClosedRange<UInt64>) { book.skip(through: sequences.upperBound) }

    func miss(_ sequences: ClosedRange<UInt64>, epoch: String, at moment: Timestamp, world: [StateChange]) {
        let known = Set(world.map(\.target))
        for target in book.firingTargets where !known.contains(target) { book.resolve(target, at: moment, nil) }
        for change in world { book.take(.change(change)) }
        book.take(.other(id: EventID(epoch: epoch, sequence: sequences.upperBound), at: moment))
    }

    func advance(now: UInt64, at moment: Timestamp, isCaughtUp: Bool) {}

    func next(now: UInt64, at moment: Timestamp) -> Delivery? {
        var titles: [String: String] = [:]
        guard let sending = book.next(now: now, incident: { incident(of: $0, &titles) }) else { return nil }
        lastToken += 1
        return Delivery(
            token: lastToken,
            content: .body(book.body(sending, at: moment)),
            id: nil,
            attempt: sending.attempt
        )
    }

    /// - Parameter titles: those of incidents that were read already, by their ids.
    private func incident(of target: String, _ titles: inout [String: String]) -> Alert.Incident? {
        guard let incidents, let id = incidents.incidents(of: target).first,
            let title = titles[id] ?? incidents.incident(id, membersFrom: 0, limit: 0)?.incident.title
        else { return nil }
        titles[id] = title
        return Alert.Incident(id: id, title: title)
    }

    func finish(_ token: UInt64, _ outcome: SendOutcome, now: UInt64) -> MessageQueue.Settlement? {
        book.finish(outcome, now: now)
    }
}
