// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import Probing
import Synchronization

/// Runs one receiver: reads the log for it, sends, and keeps the time. On the loop's thread.
final class ReceiverDriver {
    /// Events that are read at once, so that one receiver does not keep another waiting.
    private static let sliceLength = 256

    let settings: ReceiverSettings
    private let world: ReceiverEnvironment
    private let machine: any ReceiverMachine
    private let changed: (ReceiverDriver) -> Void
    private let route: MessageSender.Route
    private(set) var status: NotificationStatus
    private var published: NotificationStatus?
    private let leftOutBefore: UInt64
    /// The number of the last event that was read.
    private var position: UInt64
    /// The registry's numbering that it is of.
    private let numbering: UInt64
    private var runs: [UInt64: ProbeRun] = [:]
    private var timer: (token: TimerToken, deadline: UInt64)?
    private var isTurnDue = false
    private var isClosed = false

    /// - Parameters:
    ///   - position: the number of the last event that the machine knows of.
    ///   - numbering: the registry's, which it is of.
    ///   - status: that of the previous driver, to continue; nil to begin anew.
    ///   - changed: called when ``status`` or ``mark`` changed.
    init(
        _ settings: ReceiverSettings,
        machine: any ReceiverMachine,
        position: UInt64,
        numbering: UInt64,
        status: NotificationStatus?,
        world: ReceiverEnvironment,
        changed: @escaping (ReceiverDriver) -> Void
    ) {
        self.settings = settings
        self.machine = machine
        self.position = position
        self.numbering = numbering
        self.world = world
        self.changed = changed
        route = settings.channel.route
        self.status = status ?? NotificationStatus(name: settings.name, type: settings.channel.name)
        leftOutBefore = self.status.leftOut
        self.status.cursor = machine.mark.floor
    }

    /// What need not be delivered again.
    var mark: ConsumerOffset { machine.mark }
    /// Where it would go on after a restart.
    var place: ReceiverOffset { machine.place }
    /// What of it was delivered.
    var told: SequenceSet { machine.told }

    /// Goes on as far as it can.
    func pump() {
        guard !isClosed else { return }
        let isCaughtUp = read()
        let now = world.loop.clock.now()
        machine.advance(now: now, isCaughtUp: isCaughtUp)
        while let delivery = machine.next(now: now, at: world.clock.now()) { send(delivery) }
        schedule(isCaughtUp: isCaughtUp)
        publish()
        if !isCaughtUp, machine.hasRoom { turnSoon() }
    }

    /// Ends everything that is on its way; a second call does nothing.
    func close() {
        isClosed = true
        if let timer { world.loop.cancel(timer.token) }
        timer = nil
        for run in runs.values { run.cancel() }
        runs = [:]
    }

    // MARK: Reading

    /// Reads one slice; true when there is no more for now.
    private func read() -> Bool {
        guard world.source.sequence > position else { return true }
        guard machine.hasRoom else { return false }
        let slice = world.source.events(after: position, limit: Self.sliceLength)
        // The notifier replaces this driver by another one, which knows where to continue.
        guard slice.numbering == numbering else { return true }
        if slice.oldest > position + 1 {
            let lost = position + 1...slice.oldest - 1
            position = slice.oldest - 1
            guard !machine.mark.isSettled(lost) else { return position >= slice.head }
            machine.miss(lost, epoch: slice.epoch, at: world.clock.now(), world: world.problems())
            let count = lost.upperBound - lost.lowerBound + 1
            status.missed += count
            note(.error, "events were lost before a receiver was notified", ["events": "\(count)"])
            return position >= slice.head
        }
        // The log says that it has something and has nothing: it cannot be read right now.
        guard let last = slice.events.last else { return true }
        let entries = slice.events.map { event in
            LogEntry(event, epoch: slice.epoch) { world.source.target($0)?.target?.settings.name }
        }
        machine.take(entries, now: world.loop.clock.now())
        position = last.sequence
        return position >= slice.head
    }

    // MARK: Sending

    private func send(_ delivery: Delivery) {
        let token = delivery.token
        let run = world.sender.send(delivery, to: route) { [weak self] outcome in
            guard let self else { return }
            // A failure to send completes at once; the rest is for another turn.
            runs[token] = nil
            finish(token, outcome)
        }
        if let run { runs[token] = run }
    }

    private func finish(_ token: UInt64, _ outcome: SendOutcome) {
        guard !isClosed else { return }
        let wasFailing = status.state != .ok
        switch machine.finish(token, outcome, now: world.loop.clock.now()) {
        case .delivered:
            status.delivered += 1
            status.lastSuccess = world.clock.now()
            status.state = .ok
            if wasFailing { note(.info, "a receiver accepts messages again", ["pending": "\(machine.waiting)"]) }
        case .givenUp(let message, let failure):
            status.givenUp += 1
            failed(failure)
            status.state = .failing
            note(
                .error,
                "a message was discarded undelivered",
                ["id": "\(message.id)", "code": failure.code, "reason": failure.detail]
            )
        case .kept(let failure):
            failed(failure)
            status.state =
                machine.failures >= NotificationStatus.failingLimit || status.state == .failing ? .failing : .retrying
            if !wasFailing {
                note(.warning, "a receiver does not accept messages", ["code": failure.code, "reason": failure.detail])
            }
        case nil: return
        }
        turnSoon()
    }

    private func failed(_ failure: DeliveryFailure) {
        status.lastError = failure
        status.lastErrorTime = world.clock.now()
    }

    // MARK: Turns

    private func turnSoon() {
        guard !isTurnDue else { return }
        isTurnDue = true
        _ = world.loop.schedule(after: 0) { [weak self] in
            guard let self else { return }
            isTurnDue = false
            pump()
        }
    }

    private func schedule(isCaughtUp: Bool) {
        let deadline = machine.deadline(isCaughtUp: isCaughtUp)
        if let timer {
            guard timer.deadline != deadline else { return }
            world.loop.cancel(timer.token)
            self.timer = nil
        }
        guard let deadline else { return }
        let token = world.loop.schedule(at: deadline) { [weak self] in
            guard let self else { return }
            timer = nil
            pump()
        }
        timer = (token, deadline)
    }

    private func publish() {
        status.pending = machine.waiting
        status.cursor = machine.mark.floor
        status.leftOut = leftOutBefore + machine.leftOut
        guard status != published else { return }
        published = status
        changed(self)
    }

    private func note(_ level: LogMessage.Level, _ text: String, _ facts: [String: String]) {
        var facts = facts
        facts["receiver"] = settings.name
        world.log(LogMessage(level, text, facts: facts))
    }
}

/// What a kind of receiver makes of the log. Without clock and I/O; used by one thread at a time.
protocol ReceiverMachine: AnyObject {
    /// Whether more of the log may be taken.
    var hasRoom: Bool { get }
    /// What need not be delivered again after a restart.
    var mark: ConsumerOffset { get }
    /// Where it would go on after a restart.
    var place: ReceiverOffset { get }
    /// What was delivered or given up, without what needed no delivery. As far as it is worth remembering.
    var told: SequenceSet { get }
    /// What waits for delivery or acknowledgement.
    var waiting: Int { get }
    /// Failures in a row.
    var failures: Int { get }
    /// Changes that messages stand for without naming them, since the start.
    var leftOut: UInt64 { get }

    /// When there is something to do though nothing happens, in nanoseconds; nil for never.
    ///
    /// - Parameter isCaughtUp: whether the log has nothing more for now.
    func deadline(isCaughtUp: Bool) -> UInt64?
    /// Takes the next entries of the log.
    func take(_ entries: [LogEntry], now: UInt64)
    /// Takes note of entries that are lost.
    func miss(_ sequences: ClosedRange<UInt64>, epoch: String, at moment: Timestamp, world: [StateChange])
    /// Does what time is for.
    func advance(now: UInt64, isCaughtUp: Bool)
    /// The next request; it counts as on its way.
    func next(now: UInt64, at moment: Timestamp) -> Delivery?
    /// Takes what came of a request.
    func finish(_ token: UInt64, _ outcome: SendOutcome, now: UInt64) -> MessageQueue.Settlement?
}
