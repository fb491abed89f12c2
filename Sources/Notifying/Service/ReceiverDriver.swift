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
    /// The number of the last event that was read.
    private var position: UInt64
    /// The registry's numbering that it is of.
    private let numbering: UInt64
    private var runs: [UInt64: ProbeRun] = [:]
    /// Settled requests whose offset is not stored yet. Counted where ``ReceiverEnvironment/repeatLimit`` is.
    private(set) var unstored = 0
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
        machine.advance(now: now, at: world.clock.now(), isCaughtUp: isCaughtUp)
        while mayRequest, let delivery = machine.next(now: now, at: world.clock.now()) { send(delivery) }
        schedule(isCaughtUp: isCaughtUp)
        publish()
        if !isCaughtUp, machine.hasRoom { turnSoon() }
    }

    /// Whether another request may be made now.
    private var mayRequest: Bool { world.permits() && runs.count + unstored < world.repeatLimit }

    /// So many of the settled requests are in an offset that was stored: after a restart they are not repeated.
    func stored(_ count: Int) {
        unstored -= count
        pump()
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
        guard world.events.sequence > position else { return true }
        guard machine.hasRoom else { return false }
        let slice = world.events.entries(after: position, limit: Self.sliceLength)
        // The notifier replaces this driver by another one, which knows where to continue.
        guard slice.numbering == numbering else { return true }
        if slice.oldest > position + 1 {
            let lost = position + 1...slice.oldest - 1
            position = slice.oldest - 1
            guard !machine.mark.isSettled(lost) else { return position >= slice.head }
            machine.miss(lost, epoch: slice.epoch, at: world.clock.now(), world: world.events.problems())
            let count = lost.upperBound - lost.lowerBound + 1
            status.missed += count
            note(.error, "events were lost before a receiver was notified", ["events": "\(count)"])
            return position >= slice.head
        }
        // The log says that it has something and has nothing: it cannot be read right now.
        guard !slice.events.isEmpty || slice.through > position else { return true }
        take(slice)
        return position >= slice.head
    }

    private func take(_ slice: EventSlice<LogEntry>) {
        let now = world.loop.clock.now()
        var entries: [LogEntry] = []
        for entry in slice.events where entry.sequence > position {
            if entry.sequence > position + 1 {
                machine.take(entries, now: now)
                entries = []
                machine.skip(position + 1...entry.sequence - 1)
            }
            entries.append(entry)
            position = entry.sequence
        }
        machine.take(entries, now: now)
        if slice.through > position {
            machine.skip(position + 1...slice.through)
            position = slice.through
        }
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
        let settlement = machine.finish(token, outcome, now: world.loop.clock.now())
        switch settlement {
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
                ["id": message.id, "code": failure.code, "reason": failure.detail]
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
        if case .kept = settlement {} else if world.repeatLimit < .max { unstored += 1 }
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
