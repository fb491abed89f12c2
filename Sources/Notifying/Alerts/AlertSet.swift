// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import LinuxIO
import Monitoring

/// The alerts of an Alertmanager: active ones, which are sent repeatedly, and ended ones until it acknowledged them.
///
/// A value without clock or I/O. Alertmanager keeps states, not events: of what began and ended while it was away it receives
/// that it ended.
struct AlertSet: Sendable {
    /// Alerts that are to be sent now.
    struct Sending: Sendable, Hashable {
        let alerts: [Alert]
        let attempt: Int
    }

    private struct Item {
        var alert: Alert
        /// The event that made it so; nil when it is sent again without one.
        var sequence: UInt64?
        /// How often it was refused when it was sent alone.
        var refused = 0

        var target: String { alert.labels["target"] ?? "" }
        var isOver: Bool { alert.endsAt != nil }
    }

    /// Alerts in one request.
    static let batchLimit = 200

    private let settings: AlertmanagerSettings
    private let filter: NotificationFilter
    private let refusals: Int
    private let pause: RetryPause
    private var random: any RandomNumberGenerator & Sendable
    private var problems: ProblemTable
    private var firing: [String: Alert] = [:]
    private var states: [String: TargetState] = [:]
    /// The alerts that may have arrived, and whose end did not, by labels.
    private var sent: [[String: String]: Alert] = [:]
    /// The events, behind the place, whose alerts were sent in an earlier run: they may have arrived.
    private let carried: SequenceSet
    /// To be sent, by labels: of several states of an alert the last one counts.
    private var pending: [[String: String]: Item] = [:]
    private var order: [[String: String]] = []
    private var inFlight: [Item] = []
    /// Alerts in the next request at most: fewer after a refusal, so that the one that it is about stands alone.
    private var width = batchLimit
    private var attempts = 0
    private var earliest: UInt64 = 0
    private var nextResend: UInt64?
    private var processed: UInt64
    /// nil once the alerts of targets that are not reported any more have ended.
    private var reported: ReportedTargets?
    private(set) var failures = 0
    private(set) var delivered: UInt64 = 0

    /// - Parameters:
    ///   - processed: the sequence up to which the log was processed.
    ///   - open: the targets that had an alert then; nil: all in `transitions`.
    ///   - carried: later events whose alerts were sent in an earlier run.
    ///   - transitions: the last transitions of targets up to there: their alerts are sent again.
    ///   - reported: the targets of which events will say how their problems end; nil: all.
    init(
        _ receiver: ReceiverSettings,
        _ settings: AlertmanagerSettings,
        processed: UInt64,
        open: OpenProblems? = nil,
        carried: SequenceSet = SequenceSet(),
        transitions: [StateChange] = [],
        reported: ReportedTargets? = nil,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.settings = settings
        filter = receiver.filter
        refusals = receiver.retry.refusals
        pause = RetryPause(receiver.retry)
        self.random = random
        self.processed = processed
        self.reported = reported
        problems = ProblemTable()
        self.carried = carried
        for change in transitions {
            let change = problems.completed(change)
            guard change.to.isProblem, isWanted(change) || open?[change.target] == change.to,
                open.map({ $0[change.target] != nil }) ?? true
            else { continue }
            let alert = Alert(change, settings: settings)
            fire(change.target, change.to, alert, nil)
            // Sent in an earlier run.
            sent[alert.labels] = alert
            if !isWanted(change, goesOn: true) { resolve(change.target, at: Timestamp(milliseconds: .max), nil) }
        }
    }

    /// Where it would continue after a restart: the alerts that may have arrived and whose end did not are open, or, behind the mark,
    /// carried.
    var place: ReceiverOffset {
        let mark = ConsumerOffset(floor: settledThrough)
        var problems: [String: TargetState] = [:]
        // Those that were not read again yet are carried on.
        var carried = carried
        carried.remove(through: max(processed, mark.floor))
        for alert in sent.values {
            if alert.sequence > mark.floor {
                carried.insert(alert.sequence)
            } else if let target = alert.labels["target"] {
                problems[target] = alert.state
            }
        }
        return ReceiverOffset(mark: mark, open: OpenProblems(problems), carried: carried)
    }

    var isInFlight: Bool { !inFlight.isEmpty }
    var waiting: Int { pending.count + inFlight.count }
    var firingTargets: [String] { Array(firing.keys) }

    /// Everything up to this sequence was acknowledged, or concerns no receiver.
    var settledThrough: UInt64 {
        let first = (pending.values.compactMap(\.sequence) + inFlight.compactMap(\.sequence)).min()
        return first.map { $0 - 1 } ?? processed
    }

    mutating func take(_ entry: LogEntry) {
        endUnreported(before: entry)
        processed = max(processed, entry.sequence)
        switch entry {
        case .other, .incident, .certificate: break
        case .removal(let change):
            problems.remove(change.target)
            resolve(change.target, at: change.at, change.sequence)
        case .update(let change):
            if !filter.routes(change) { resolve(change.target, at: change.at, change.sequence) }
        case .change(let change): take(problems.completed(change))
        }
    }

    /// Nothing will be taken up to a number.
    mutating func skip(through sequence: UInt64) { processed = max(processed, sequence) }

    /// Behind the last event of earlier runs it is known which alerts they left: those of targets that are not reported any more end.
    private mutating func endUnreported(before entry: LogEntry) {
        guard let reported, entry.sequence > reported.beginning else { return }
        self.reported = nil
        for target in firing.keys.sorted() where reported.ending(target) != nil {
            resolve(target, at: entry.at, entry.sequence)
        }
    }

    private mutating func take(_ change: StateChange) {
        switch change.to {
        // It has not been judged yet: what holds until then is what held.
        case .unknown: return
        case .up, .paused, .maintenance: return resolve(change.target, at: change.at, change.sequence)
        case .degraded, .down, .unreachable: break
        }
        // The same state again, after a restart or for another reason, is wanted as it was.
        let isSame = states[change.target] == change.to
        guard isWanted(change, goesOn: isSame) else { return resolve(change.target, at: change.at, change.sequence) }
        let alert = Alert(change, settings: settings)
        if let old = firing[change.target] {
            if old.labels == alert.labels { return }
            resolve(change.target, at: change.at, change.sequence)
        }
        fire(change.target, change.to, alert, change.sequence)
    }

    private mutating func fire(_ target: String, _ state: TargetState, _ alert: Alert, _ sequence: UInt64?) {
        firing[target] = alert
        states[target] = state
        if carried.contains(alert.sequence) { sent[alert.labels] = alert }
        put(alert, sequence)
    }

    /// A problem that ended does not raise an alert, and the state before only matters where a problem begins.
    private func isWanted(_ change: StateChange, goesOn: Bool = false) -> Bool {
        var filter = filter
        if goesOn { filter.from = [] }
        return filter.matches(change) && Severity(change.to) >= filter.minimumSeverity
    }

    /// Ends what a target has.
    mutating func resolve(_ target: String, at moment: Timestamp, _ sequence: UInt64?) {
        guard var alert = firing.removeValue(forKey: target) else { return }
        states[target] = nil
        guard sent[alert.labels] != nil else {
            // It began and ended before it could be sent: there is nothing to end.
            pending[alert.labels] = nil
            return
        }
        alert.incident = sent[alert.labels]?.incident
        alert.endsAt = moment
        put(alert, sequence)
    }

    private mutating func put(_ alert: Alert, _ sequence: UInt64?) {
        if pending[alert.labels] == nil { order.append(alert.labels) }
        // The earlier number stays: what it stands for was not acknowledged.
        let first = [pending[alert.labels]?.sequence, sequence].compactMap(\.self).min()
        pending[alert.labels] = Item(alert: alert, sequence: first)
    }

    /// The next request, if there is one to make; it counts as on its way.
    ///
    /// - Parameter incident: the open incident that a target is part of.
    mutating func next(now: UInt64, incident: (_ target: String) -> Alert.Incident? = { _ in nil }) -> Sending? {
        guard !isInFlight, now >= earliest else { return nil }
        if let nextResend, nextResend <= now {
            for alert in firing.values where pending[alert.labels] == nil { put(alert, nil) }
            self.nextResend = nil
        }
        // What is in order may have gone meanwhile.
        while inFlight.isEmpty, !order.isEmpty {
            let taken = batch
            inFlight = taken.compactMap { pending.removeValue(forKey: $0) }
            order.removeFirst(taken.count)
        }
        guard !inFlight.isEmpty else {
            scheduleResend(now: now)
            return nil
        }
        for index in inFlight.indices where !inFlight[index].isOver {
            inFlight[index].alert.incident = incident(inFlight[index].target)
            sent[inFlight[index].alert.labels] = inFlight[index].alert
        }
        attempts += 1
        return Sending(alerts: inFlight.map(\.alert), attempt: attempts)
    }

    /// The next alerts in order; one that was refused is alone, so that no other is refused with it.
    private var batch: [[String: String]] {
        func isSuspect(_ labels: [String: String]) -> Bool { pending[labels].map { $0.refused > 0 } ?? false }
        if let first = order.first, isSuspect(first) { return [first] }
        return Array(order.prefix(width).prefix { !isSuspect($0) })
    }

    var deadline: UInt64? {
        guard !isInFlight else { return nil }
        if !order.isEmpty { return earliest }
        return nextResend.map { max($0, earliest) }
    }

    /// Takes what came of the request that is on its way.
    mutating func finish(_ outcome: SendOutcome, now: UInt64) -> MessageQueue.Settlement? {
        guard isInFlight else { return nil }
        switch outcome {
        case .accepted:
            delivered += UInt64(inFlight.count)
            width = min(width * 2, Self.batchLimit)
            acknowledge(now: now)
            return .delivered(SequenceSet())
        case .failed(let failure, let retryAfter):
            failures += 1
            earliest = now + pause.next(failures: failures, wish: retryAfter, random: &random)
            keep()
            return .kept(failure)
        case .refused(let failure):
            failures += 1
            guard inFlight.count == 1 else {
                // It answers at once, and is asked a few times only.
                width = inFlight.count / 2
                keep()
                return .kept(failure)
            }
            inFlight[0].refused += 1
            guard inFlight[0].refused < refusals else {
                acknowledge(now: now)
                return .kept(failure)
            }
            earliest = now + pause.next(failures: inFlight[0].refused, random: &random)
            keep(behind: true)
            return .kept(failure)
        }
    }

    private mutating func acknowledge(now: UInt64) {
        for item in inFlight where item.isOver {
            let labels = item.alert.labels
            sent[labels] = nil
            // What began again and ended meanwhile was not sent.
            if pending[labels]?.isOver == true { pending[labels] = nil }
        }
        inFlight = []
        (attempts, failures, earliest) = (0, 0, 0)
        scheduleResend(now: now)
    }

    private mutating func scheduleResend(now: UInt64) {
        if nextResend == nil, order.isEmpty, !firing.isEmpty { nextResend = now + settings.resendInterval.nanoseconds }
    }

    /// Puts back what did not arrive; a later state of the same alert has taken its place.
    ///
    /// - Parameter behind: behind all others, and not before what came later.
    private mutating func keep(behind: Bool = false) {
        for item in inFlight.reversed() {
            let labels = item.alert.labels
            if let newer = pending[labels] {
                pending[labels]?.sequence = [newer.sequence, item.sequence].compactMap(\.self).min()
            } else {
                pending[labels] = item
                order.insert(labels, at: behind ? order.endIndex : 0)
            }
        }
        inFlight = []
    }

    /// The body of a request.
    func body(_ sending: Sending, at moment: Timestamp) -> [UInt8] {
        // Alertmanager ends what it hears nothing of, should reachd be gone: Prometheus does the same, with the same factor.
        let horizon = Timestamp(
            milliseconds: moment.milliseconds + Int64(clamping: settings.resendInterval.nanoseconds / 1_000_000) * 4
        )
        var json = JSONWriter()
        json.array { json in
            for alert in sending.alerts { alert.write(to: &json, at: moment, horizon: horizon) }
        }
        return json.bytes
    }
}
