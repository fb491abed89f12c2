// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
public import LinuxIO
public import Monitoring
import Probing
import Synchronization

/// Tells receivers what happened, on a thread of its own: a slow or dead one delays no probe, and no other receiver.
///
/// It reads the event log as any client does. Where a receiver left off is kept in the log's file, so that a restart goes on
/// there: every event is told at least once, in order for each target, with an id that is the same each time.
public final class Notifier: NotificationReporting, Sendable {
    /// What only the loop's thread touches.
    ///
    /// Unchecked because the confinement to one thread is this class's rule, not something a type can say.
    private final class Confined: @unchecked Sendable {
        var resolver: Resolver?
        var runner: ProbeRunner?
        var files: FileWatcher?
        var world: ReceiverWorld?
        var drivers: [ReceiverDriver] = []
        /// Marks that are to be kept, by receiver; nil: to be forgotten.
        var unkept: [String: String?] = [:]
        var keeping: TimerToken?
        var isClosed = false
    }

    /// How often places are kept at most.
    private static let keepInterval: UInt64 = 500_000_000

    private let registry: Registry
    private let ledger: (any DeliveryLedger)?
    private let loop: EventLoop
    private let confined = Confined()
    private let published = Mutex<[NotificationStatus]>([])
    private let isAwake = Atomic<Bool>(false)
    /// Where receivers begin that have no place yet.
    private let beginning: UInt64
    private let log: @Sendable (NotificationNote) -> Void
    private let statusChanged: @Sendable () -> Void

    /// Creates a notifier that tells nobody yet. Before the first target is judged: what is judged then is told.
    ///
    /// - Parameters:
    ///   - registry: whose events.
    ///   - ledger: keeps the places where receivers left off; nil: they begin anew with each start.
    ///   - render: makes of events what the log keeps.
    ///   - resolverFiles: where the resolver's configuration is read, now and when it changes.
    ///   - clock: tells what time it is.
    ///   - timers: runs the time limits.
    ///   - prologue: runs first on the thread; a test enters its network namespace here.
    ///   - log: takes what operators should read; called on the notifier's thread.
    /// - Throws: ``SystemError`` when a descriptor or the thread could not be had.
    public init(
        registry: Registry,
        ledger: (any DeliveryLedger)?,
        render: @escaping @Sendable ([Event]) -> [StoredEvent],
        resolverFiles: ResolverConfigurationFiles = ResolverConfigurationFiles(),
        clock: any WallClock = SystemWallClock(),
        timers: any MonotonicClock = SystemMonotonicClock(),
        prologue: @escaping @Sendable () -> Void = {},
        log: @escaping @Sendable (NotificationNote) -> Void
    ) throws(SystemError) {
        self.registry = registry
        self.ledger = ledger
        self.log = log
        beginning = registry.sequence
        statusChanged = { registry.noteServiceChange() }
        loop = try EventLoop(name: "reachd-notify", clock: timers, prologue: prologue)
        let failure = loop.executeAndWait { [self] () -> SystemError? in
            do {
                let resolver = try Resolver(loop: loop, files: resolverFiles)
                confined.resolver = resolver
                let runner = ProbeRunner(loop: loop, resolver: resolver)
                confined.runner = runner
                confined.files = try FileWatcher(loop: loop, paths: resolverFiles.all) { [weak self] _ in
                    _ = self?.confined.resolver?.reload()
                }
                confined.world = ReceiverWorld(
                    loop: loop,
                    registry: registry,
                    sender: MessageSender(runner: runner, clock: clock),
                    clock: clock,
                    render: render,
                    log: log
                )
                return nil
            } catch {
                return error as? SystemError ?? SystemError(code: ENOMEM, operation: "c-ares")
            }
        }
        if let failure = failure ?? nil {
            stop()
            throw failure
        }
        registry.onEvents { [weak self] in self?.wake() }
    }

    /// How each receiver is, in the order of the configuration.
    public var statuses: [NotificationStatus] { published.withLock { $0 } }

    /// Tells these receivers from now on; one that was told before, under the same name, goes on where it left off. Any thread
    /// but the loop's; waits for the disk.
    public func apply(_ receivers: [ReceiverSettings]) {
        _ = loop.executeAndWait { [self] in adopt(receivers) }
    }

    /// Ends all requests, keeps the places, and ends the thread; a second call does nothing.
    public func stop() {
        _ = loop.executeAndWait { [self] in
            confined.isClosed = true
            for driver in confined.drivers {
                driver.close()
                confined.unkept[driver.settings.name] = .some(driver.mark.description)
            }
            keep()
            confined.drivers = []
            confined.runner?.close()
            confined.files?.close()
        }
        // The completions of what was cancelled come in a further turn.
        _ = loop.executeAndWait { [self] in
            confined.resolver?.close()
            (confined.runner, confined.files, confined.resolver, confined.world) = (nil, nil, nil, nil)
        }
        loop.close()
    }

    private func wake() {
        guard !isAwake.exchange(true, ordering: .acquiringAndReleasing) else { return }
        loop.execute { [weak self] in
            guard let self else { return }
            isAwake.store(false, ordering: .releasing)
            for driver in confined.drivers { driver.pump() }
        }
    }

    // MARK: On the loop's thread

    private func adopt(_ receivers: [ReceiverSettings]) {
        guard let world = confined.world, !confined.isClosed else { return }
        var known = ledger?.deliveryMarks() ?? [:]
        let old = Dictionary(confined.drivers.map { ($0.settings.name, $0) }) { first, _ in first }
        for (name, driver) in old { known[name] = driver.mark.description }
        var kept: Set<String> = []
        let drivers = receivers.map { settings in
            kept.insert(settings.name)
            if let driver = old[settings.name], driver.settings == settings { return driver }
            old[settings.name]?.close()
            // Who is new hears of what happens from now on; at a start that is all that this run finds.
            let beginning = confined.drivers.isEmpty && old.isEmpty ? beginning : registry.sequence
            return driver(settings, known[settings.name].flatMap(DeliveryMark.init), beginning, world)
        }
        for (name, driver) in old where !kept.contains(name) { driver.close() }
        // One that comes back after a month is not told of the month.
        for name in known.keys where !kept.contains(name) { confined.unkept[name] = .some(nil) }
        confined.drivers = drivers
        for driver in drivers { noteChange(driver) }
        publish()
        if !receivers.isEmpty, ledger?.isDurable != true {
            log(
                NotificationNote(
                    level: .warning,
                    text: "there is no durable event log: what receivers were not told before reachd ends is lost",
                    facts: [:]
                )
            )
        }
        for driver in drivers { driver.pump() }
    }

    private func driver(
        _ settings: ReceiverSettings,
        _ mark: DeliveryMark?,
        _ beginning: UInt64,
        _ world: ReceiverWorld
    ) -> ReceiverDriver {
        // The newest events may have gone with the power.
        let mark =
            mark.map { $0.floor > registry.sequence ? DeliveryMark(floor: registry.sequence) : $0 }
            ?? DeliveryMark(floor: beginning)
        // What is not declared any more has nobody who could say that it is up.
        let problems = (ledger?.lastProblems(through: mark.floor) ?? []).filter { event in
            event.target.map { registry.target($0) != nil } ?? false
        }
        let machine: any ReceiverMachine
        switch settings.channel {
        case .webhook(let webhook):
            machine = WebhookMachine(settings, webhook, mark: mark, transitions: problems)
        case .alertmanager(let alertmanager):
            let epoch = registry.epoch
            machine = AlertmanagerMachine(
                settings,
                alertmanager,
                mark: mark,
                transitions: problems.compactMap { StateChange($0, epoch: epoch) }
            )
        }
        return ReceiverDriver(settings, machine: machine, position: mark.floor, world: world) { [weak self] driver in
            self?.noteChange(driver)
            self?.publish()
        }
    }

    private func noteChange(_ driver: ReceiverDriver) {
        confined.unkept[driver.settings.name] = .some(driver.mark.description)
        guard confined.keeping == nil, !confined.isClosed else { return }
        confined.keeping = loop.schedule(after: Self.keepInterval) { [weak self] in
            guard let self else { return }
            confined.keeping = nil
            keep()
        }
    }

    private func keep() {
        guard !confined.unkept.isEmpty else { return }
        ledger?.keep(deliveryMarks: confined.unkept)
        confined.unkept = [:]
    }

    private func publish() {
        let isDurable = ledger?.isDurable ?? false
        let statuses = confined.drivers.map { driver in
            var status = driver.status
            status.isDurable = isDurable
            return status
        }
        let isNew = published.withLock { published in
            defer { published = statuses }
            return published != statuses
        }
        if isNew { statusChanged() }
    }
}
