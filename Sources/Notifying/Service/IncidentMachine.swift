// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring

/// A webhook or a messaging service that is notified of incidents.
///
/// It compares what the receiver knows of each incident with how the incident is (``IncidentPolicy``); the log only says which ones
/// changed. So nothing has to be made again from the log after a restart, and what was lost of the log hides no end.
final class IncidentMachine: ReceiverMachine {
    private let settings: ReceiverSettings
    private let incidents: ReceiverIncidents
    private let policy: IncidentPolicy
    private var queue: MessageQueue
    private var certificates: CertificateNotices
    private(set) var mark: ConsumerOffset
    private var notices: [String: IncidentNotice]
    /// When to look at an incident, in milliseconds since 1970; absent while nothing but a change of it matters.
    private var looks: [String: Int64] = [:]
    /// When an incident was looked at last.
    private var looked: [String: Int64] = [:]
    /// The incidents that have a message in the queue.
    private var queued: Set<String> = []
    /// The time of the last event.
    private var latest: Timestamp?
    /// The wall clock when it was read last.
    private var time = Timestamp(milliseconds: 0)
    /// The monotonic time of the next look.
    private var nextLook: UInt64?

    /// How long after a look an incident is looked at again because targets joined or left it, in milliseconds: each look costs what
    /// the incident has in targets.
    private static let pause: Int64 = 250
    /// The longest wait for a time of the wall clock, which may be set.
    private static let longestWait: Int64 = 60_000
    /// Whether nothing but the ends of what the receiver was notified of is sent.
    private var isEnding = false

    /// - Parameters:
    ///   - place: where it left off.
    ///   - incidents: the node's incidents.
    init(
        _ receiver: ReceiverSettings,
        place: ReceiverOffset,
        incidents: ReceiverIncidents,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        settings = receiver
        self.incidents = incidents
        policy = IncidentPolicy(receiver)
        certificates = CertificateNotices(receiver)
        queue = MessageQueue(receiver.retry, random: random)
        mark = place.mark
        notices = place.notices
        findOpen(since: nil)
        for id in notices.keys { looks[id] = .min }
    }

    var place: ReceiverOffset {
        var place = ReceiverOffset(mark: mark, open: OpenProblems())
        place.notices = notices.filter { $0.value.isStored }
        return place
    }

    var hasRoom: Bool { !queue.isFull }
    var told: SequenceSet { mark.settled }
    /// Whether the receiver was notified of an incident, and not of its end.
    var owesEnds: Bool { notices.values.contains { $0.state == .open || $0.state == .opening } }
    var waiting: Int {
        queue.count + certificates.waiting + looks.keys.reduce(0) { $0 + (notices[$1]?.state == .pending ? 1 : 0) }
    }
    var failures: Int { queue.failures }
    /// Every message says how its incident is; nothing is left out of it.

    func deadline(isCaughtUp: Bool) -> UInt64? {
        [queue.deadline, queue.isFull ? nil : nextLook].compactMap(\.self).min()
    }

    /// Sends nothing from now on but the ends of what the receiver was notified of.
    func end() {
        isEnding = true
        for (id, notice) in notices where notice.state == .pending {
            (notices[id], looks[id], looked[id]) = (nil, nil, nil)
        }
    }

    // MARK: The log

    func take(_ entries: [LogEntry], now: UInt64) {
        for entry in entries {
            latest = entry.at
            let isSettled = mark.isSettled(entry.sequence)
            switch entry {
            case .incident(let change): follow(change, isNew: !isSettled)
            case .certificate(let certificate) where !isSettled && certificates.take(certificate):
                // It is settled when it was delivered.
                nextLook = 0
                continue
            case .update(let change): look(atIncidentsOf: change.target)
            case .change, .removal, .certificate, .other: break
            }
            mark.acknowledge(entry.sequence...entry.sequence)
        }
    }

    func skip(_ sequences: ClosedRange<UInt64>) { mark.acknowledge(sequences) }

    func miss(_ sequences: ClosedRange<UInt64>, epoch: String, at moment: Timestamp, world: [StateChange]) {
        mark.acknowledge(sequences)
        findOpen(since: latest)
        for id in notices.keys { looks[id] = .min }
    }

    /// Its group or tags may be others, so that other incidents are the receiver's.
    private func look(atIncidentsOf target: String) {
        for id in incidents.source.incidents(of: target) where notices[id] != nil {
            looks[id] = .min
            nextLook = 0
        }
    }

    private func follow(_ entry: IncidentEntry, isNew: Bool) {
        let id = entry.incident
        switch entry.action {
        case .opened, .reopened:
            guard isNew, !isEnding, [.settled, .discarded].contains(notices[id]?.state ?? .settled) else { break }
            if notices[id] == nil {
                guard let incident = incidents.source.incident(id, membersFrom: 0, limit: 0)?.incident else { return }
                notices[id] = IncidentNotice(.pending, incident)
            }
            notices[id]?.state = .pending
            notices[id]?.begunAt = entry.action == .opened ? 0 : entry.at.milliseconds
        case .updated, .edited, .closed: break
        }
        guard notices[id] != nil else { return }
        let pause = entry.action == .updated ? (looked[id] ?? .min / 2) + Self.pause : .min
        looks[id] = min(looks[id] ?? .max, pause)
        nextLook = 0
    }

    /// Adds incidents that nothing is known of: those that are open, and with a time those that were opened since.
    private func findOpen(since moment: Timestamp?) {
        guard !isEnding else { return }
        for incident in incidents.list(since: moment) where notices[incident.id] == nil {
            let isNew = incident.isOpen || incident.openedAt >= moment ?? incident.openedAt
            notices[incident.id] = IncidentNotice(isNew ? .pending : .settled, incident)
        }
    }

    // MARK: Time

    func advance(now: UInt64, at moment: Timestamp, isCaughtUp: Bool) {
        time = moment
        let milliseconds = moment.milliseconds
        for id in ordered(looks.filter { $0.value <= milliseconds && !queued.contains($0.key) }.keys) {
            guard !queue.isFull else { break }
            look(id, at: moment)
        }
        for message in certificates.due(at: milliseconds) { queue.append(message) }
        let next = looks.filter { !queued.contains($0.key) }.values.min()
        nextLook = [next, certificates.next(at: milliseconds)].compactMap(\.self).min().map { time in
            let (wait, isTooFar) = time.subtractingReportingOverflow(milliseconds)
            return now + UInt64(isTooFar ? Self.longestWait : min(max(wait, 0), Self.longestWait)) * 1_000_000
        }
    }

    /// Incidents in the order of their messages: as in every list, those that a nearer fault covers behind the others; else as they opened.
    private func ordered(_ ids: some Collection<String>) -> [String] {
        guard ids.count > 1, !queue.isFull else { return Array(ids) }
        let keys = ids.map { id in
            let incident = incidents.source.incident(id, membersFrom: 0, limit: 0)?.incident
            return (place: incident?.coveredBy == nil ? 0 : 1, since: notices[id]?.openedAt ?? .min, id: id)
        }
        return keys.sorted { ($0.place, $0.since, $0.id) < ($1.place, $1.since, $1.id) }.map(\.id)
    }

    private func look(_ id: String, at moment: Timestamp) {
        guard let notice = notices[id] else {
            looks[id] = nil
            return
        }
        looked[id] = moment.milliseconds
        let view = incidents.view(id, settings.filter, settings.severities)
        switch policy.decide(view, notice, at: moment.milliseconds) {
        case .send(let phase) where isEnding && phase != .closed && notice.state != .opening: looks[id] = nil
        case .send(let phase):
            let message = message(phase, id, view, notice, at: moment)
            queue.append(message)
            queued.insert(id)
            if phase == .opened {
                // From here on it may arrive.
                notices[id]?.state = .opening
                notices[id]?.begunAt = message.at.milliseconds
            }
            looks[id] = nil
        case .assume:
            notices[id]?.state = .open
            notices[id]?.begunAt = view?.failingSince?.milliseconds ?? moment.milliseconds
            looks[id] = nil
        case .wait(let time):
            looks[id] = time
            // It fails again, and the receiver is to be notified of that also if it is over by then.
            if time != nil, notice.state == .settled, let since = view?.failingSince {
                notices[id]?.state = .pending
                notices[id]?.begunAt = since.milliseconds
            }
        case .settle:
            notices[id]?.state = .settled
            looks[id] = view?.incident.isOpen == true ? nil : moment.milliseconds + IncidentBook.reopeningTime
        case .forget: (notices[id], looks[id], looked[id]) = (nil, nil, nil)
        }
    }

    private func message(
        _ phase: MessageIncident.Phase,
        _ id: String,
        _ view: IncidentView?,
        _ notice: IncidentNotice,
        at moment: Timestamp
    ) -> Message {
        guard let view, !view.members.isEmpty else { return Message(endOf: id, notice, at: moment) }
        return Message(phase, view, notice)
    }

    // MARK: Sending

    func next(now: UInt64, at moment: Timestamp) -> Delivery? {
        guard let sending = queue.next(now: now) else { return nil }
        return Delivery(sending, to: settings.channel)
    }

    func finish(_ token: UInt64, _ outcome: SendOutcome, now: UInt64) -> MessageQueue.Settlement? {
        let message = queue.message(token)
        let settlement = queue.finish(token, outcome, now: now)
        switch settlement {
        case .delivered: if let message { settle(message, isDelivered: true) }
        case .givenUp: if let message { settle(message, isDelivered: false) }
        case .kept, nil: break
        }
        return settlement
    }

    private func settle(_ message: Message, isDelivered: Bool) {
        mark.acknowledge(message.covers)
        guard let incident = message.incident else { return }
        queued.remove(incident.key)
        notices[incident.key]?.settle(incident.phase, message, isDelivered: isDelivered, at: time.milliseconds)
        looks[incident.key] = .min
        // At once: what is stored next says what is owed next.
        if !queue.isFull { look(incident.key, at: time) }
        nextLook = 0
    }
}
