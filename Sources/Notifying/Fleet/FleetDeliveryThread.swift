// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import LinuxIO
import Monitoring
import Synchronization

/// The thread of a ``FleetNotifier``.
final class FleetDeliveryThread: Sendable {
    /// A receiver that this node serves.
    private final class Served {
        let grant: ReceiverGrant
        let driver: ReceiverDriver
        /// Whether its place may differ from the stored one.
        var isChanged = false
        var stored = StoredProgress()

        init(_ grant: ReceiverGrant, _ driver: ReceiverDriver) {
            self.grant = grant
            self.driver = driver
        }
    }

    /// What only the loop's thread touches.
    private final class Confined {
        var settings: [String: ReceiverSettings] = [:]
        var world: ReceiverEnvironment?
        var cutOff: CutOffNotifier?
        var served: [String: Served] = [:]
        /// Those whose place is being read.
        var starts: [String: ReceiverStart] = [:]
        /// The ticket of following the log; nil while there is no receiver.
        var ticket: UInt64?
        /// The log's numbering that the places are of, and its run.
        var numbering: UInt64 = 0
        var epoch = ""
        var isStoring = false
        var timer: TimerToken?
        var isClosed = false
    }

    /// How often places are stored at most while nothing was delivered.
    private static let storeInterval: UInt64 = 500_000_000
    /// How many messages of a receiver another node may repeat.
    private static let repeatLimit = MessageQueue.width
    /// How long the last places may take at the end.
    private static let endLimit: Duration = .milliseconds(200)

    private let parts: FleetNotifier.Parts
    private var receivers: any ReceiverAssignments { parts.receivers }
    private var events: any EventSource { parts.reader.events }
    private let thread: SendingThread
    private var loop: EventLoop { thread.loop }
    private let state: ThreadConfined<Confined>
    private var confined: Confined { state.value }
    private let published = Mutex<[String: FleetDelivery]>([:])
    private let turn: CoalescedTurn
    private let incidents = FleetIncidentCopy()
    private let servesOwnLog = Atomic<Bool>(false)

    /// Starts the thread, without receivers.
    ///
    /// - Throws: ``SystemError`` when a descriptor or the thread could not be had.
    init(_ parts: FleetNotifier.Parts) throws(SystemError) {
        self.parts = parts
        let thread = try SendingThread(
            name: "reachd-fleet-notify",
            resolverFiles: parts.resolverFiles,
            clock: parts.clock,
            timers: parts.timers,
            prologue: {}
        )
        self.thread = thread
        turn = CoalescedTurn(on: thread.loop)
        state = ThreadConfined(Confined(), to: thread.loop)
        _ = thread.loop.executeAndWait { [self] in begin() }
        parts.receivers.onChange { [weak self] in self?.wake() }
        events.onEvents { [weak self] in self?.wake() }
        // The node's own log matters only while the node is cut off, or owes ends of what it reported then.
        parts.source.onEvents { [weak self, receivers = parts.receivers] in
            guard let self, receivers.isCutOff || servesOwnLog.load(ordering: .relaxed) else { return }
            wake()
        }
    }

    private func begin() {
        guard let sender = thread.sender else { return }
        let events = FleetReceiverLog(loop: loop, reader: parts.reader, incidents: incidents)
        events.changed = { [weak self] in self?.wake() }
        confined.world = ReceiverEnvironment(
            loop: loop,
            events: events,
            sender: sender,
            clock: parts.clock,
            log: parts.log,
            permits: { [receivers] in receivers.isLeaseValid },
            repeatLimit: Self.repeatLimit
        )
        confined.cutOff = CutOffNotifier(
            receivers: receivers,
            source: parts.source,
            ledger: parts.ledger,
            loop: loop,
            sender: sender,
            clock: parts.clock,
            log: parts.log
        )
    }

    /// The delivery by this node, by receiver.
    var deliveries: [String: FleetDelivery] { published.withLock { $0 } }

    /// Replaces the receivers that this node offers to serve. Any thread but the notifier's.
    func apply(_ settings: [ReceiverSettings]) {
        _ = loop.executeAndWait { [self] in
            guard !confined.isClosed else { return }
            confined.settings = Dictionary(settings.map { ($0.name, $0) }) { first, _ in first }
            let changed = confined.served.values.filter {
                confined.settings[$0.grant.name] != $0.driver.settings
            }
            // They continue with the other settings where they were: what is stored now is read afterwards.
            if !changed.isEmpty { receivers.store(changed.map(progress), epoch: confined.epoch) { _ in } }
            for served in changed { end(served.grant.name) }
            confined.starts = confined.starts.filter { confined.settings[$0.key] == $0.value.settings }
            confined.cutOff?.apply(settings)
            receivers.offer(settings.map { ReceiverOffer(name: $0.name, digest: $0.digest) })
            follow()
        }
    }

    /// Ends all requests, stores the places, and ends the thread; a second call does nothing. To be called before the node leaves the
    /// fleet, so that another node continues where this one was.
    func stop() {
        let isStored = Semaphore()
        _ = loop.executeAndWait { [self] in
            guard !confined.isClosed else { return isStored.post() }
            confined.isClosed = true
            if let timer = confined.timer { loop.cancel(timer) }
            let offsets = confined.served.values.filter { $0.isChanged || $0.driver.unstored > 0 }.map(progress)
            let epoch = confined.epoch
            for name in confined.served.keys.sorted() { end(name) }
            confined.cutOff?.close()
            (confined.cutOff, confined.starts, confined.world) = (nil, [:], nil)
            if confined.ticket != nil { events.endFollowing() }
            guard !offsets.isEmpty else { return isStored.post() }
            receivers.store(offsets, epoch: epoch) { _ in isStored.post() }
        }
        _ = isStored.wait(within: Self.endLimit)
        thread.close()
    }

    private func wake() {
        turn.request { [weak self] in self?.follow() }
    }

    // MARK: On the loop's thread

    /// Serves the receivers that are this node's, and no others.
    private func follow() {
        guard !confined.isClosed else { return }
        // First: it ends when the node has a lease again.
        confined.cutOff?.follow()
        servesOwnLog.store(confined.cutOff?.isServing ?? false, ordering: .relaxed)
        // Without a lease it is not known which ones these are; then nothing is sent.
        if receivers.isLeaseValid { adopt(receivers.grants.filter { confined.settings[$0.name] != nil }) }
        for name in confined.served.keys.sorted() { confined.served[name]?.driver.pump() }
        store()
        publish()
    }

    private func adopt(_ grants: [ReceiverGrant]) {
        let wanted = Dictionary(grants.map { ($0.name, $0) }) { first, _ in first }
        for (name, served) in confined.served where wanted[name] != served.grant { end(name) }
        confined.starts = confined.starts.filter { wanted[$0.key] == $0.value.grant }
        guard !grants.isEmpty else {
            if confined.ticket != nil { events.endFollowing() }
            confined.ticket = nil
            return
        }
        let ticket = confined.ticket ?? events.beginFollowing()
        confined.ticket = ticket
        guard events.isCurrent(since: ticket) else { return }
        if events.numbering != confined.numbering {
            for name in confined.served.keys.sorted() { end(name) }
            confined.starts = [:]
            incidents.forget()
            (confined.numbering, confined.epoch) = (events.numbering, events.epoch)
        }
        for grant in grants where confined.served[grant.name] == nil && confined.starts[grant.name] == nil {
            start(grant)
        }
    }

    private func start(_ grant: ReceiverGrant) {
        guard let settings = confined.settings[grant.name] else { return }
        let start = ReceiverStart(grant, settings, incidents)
        confined.starts[grant.name] = start
        start.read(receivers, parts.reader, loop) { [weak self] in self?.started(start) }
    }

    private func started(_ start: ReceiverStart) {
        guard confined.starts[start.grant.name] === start, let world = confined.world else { return }
        confined.starts[start.grant.name] = nil
        // What failed, or belongs to another run of the log, is repeated after the next renewal.
        guard let machine = start.machine, start.epoch == confined.epoch else { return }
        let driver = ReceiverDriver(
            start.settings,
            machine: machine,
            position: machine.mark.floor,
            numbering: confined.numbering,
            status: nil,
            world: world
        ) { [weak self] driver in self?.changed(driver) }
        confined.served[start.grant.name] = Served(start.grant, driver)
        parts.log(
            LogMessage(
                .info,
                "this node serves a receiver of the fleet",
                facts: ["receiver": start.grant.name, "after": "\(machine.mark.floor)"]
            )
        )
        driver.pump()
        publish()
    }

    private func end(_ name: String) { confined.served.removeValue(forKey: name)?.driver.close() }

    private func changed(_ driver: ReceiverDriver) {
        guard let served = confined.served[driver.settings.name], served.driver === driver else { return }
        served.isChanged = true
        if driver.unstored > 0 { return store() }
        guard confined.timer == nil else { return }
        confined.timer = loop.schedule(after: Self.storeInterval) { [weak self] in
            guard let self else { return }
            confined.timer = nil
            store()
            publish()
        }
    }

    // MARK: Places

    private func progress(_ served: Served) -> ReceiverProgress {
        let place = served.driver.place
        let update = served.stored.update(place)
        return ReceiverProgress(
            served.grant,
            consumed: place.mark.floor,
            progress: update.whole,
            changes: update.changes
        )
    }

    /// Stores the places of receivers that were changed: at once after a delivery, otherwise when the timer ends.
    private func store() {
        guard !confined.isStoring, !confined.isClosed, receivers.isLeaseValid else { return }
        let isDue = confined.timer == nil
        let changed = confined.served.values.filter { $0.isChanged && (isDue || $0.driver.unstored > 0) }
        guard !changed.isEmpty else { return }
        confined.isStoring = true
        let counts = Dictionary(uniqueKeysWithValues: changed.map { ($0.grant, $0.driver.unstored) })
        for served in changed { served.isChanged = false }
        receivers.store(changed.map(progress), epoch: confined.epoch) { [weak self, loop] result in
            loop.execute { self?.stored(result, counts) }
        }
    }

    private func stored(_ result: Result<Set<String>, FleetFault>, _ counts: [ReceiverGrant: Int]) {
        confined.isStoring = false
        guard !confined.isClosed else { return }
        for (grant, count) in counts {
            guard let served = confined.served[grant.name], served.grant == grant else { continue }
            switch result {
            case .success(let names) where names.contains(grant.name): served.driver.stored(count)
            // It is another node's by now, or the log is another one: the next renewal tells.
            case .success: end(grant.name)
            // Repeated after the next renewal.
            case .failure:
                served.stored.failed()
                served.isChanged = true
            }
        }
        if case .success = result { store() }
        publish()
    }

    private func publish() {
        var deliveries = (confined.cutOff?.statuses ?? [:]).mapValues { FleetDelivery.cutOff(FleetDelivery.Status($0)) }
        for (name, served) in confined.served where deliveries[name] == nil {
            var status = served.driver.status
            status.isDurable = true
            deliveries[name] = .here(FleetDelivery.Status(status))
        }
        let isNew = published.withLock { published in
            defer { published = deliveries }
            return published != deliveries
        }
        if isNew { parts.statusChanged() }
    }
}
