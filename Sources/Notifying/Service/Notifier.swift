// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import LinuxIO
package import Monitoring
import Synchronization

/// Delivers notifications on a thread of its own: a slow or dead receiver delays no probe and no other receiver.
///
/// It reads the event log as any client does, to see which incidents changed. What receivers were notified of is stored in the log's
/// file, so that a restart continues there: messages arrive at least once, those of one incident in order.
///
/// A log that cannot be opened at the start delays nothing: receivers are notified of what happens under provisional numbers. When the
/// log is opened, what happened meanwhile is appended to its events, and what it says of the receivers is merged with what they were
/// notified of meanwhile: they get what the earlier run could not send, and the ends of its incidents.
package final class Notifier: NotificationReporting, Sendable {
    /// What only the loop's thread touches.
    private final class Confined {
        var world: ReceiverEnvironment?
        var drivers: [ReceiverDriver] = []
        var isBegun = false
        /// The log's numbering that the receivers' places are of.
        var numbering: UInt64
        /// The number of the newest event of earlier runs; receivers that have no place yet begin behind it.
        var beginning: UInt64
        /// The log could not be read when the receivers were begun: it may have places for them.
        var isProvisional = false
        /// Receivers whose places are to be kept; forgotten, where there is no such receiver any more.
        var unkept: Set<String> = []
        var keeping: TimerToken?
        var isClosed = false

        init(numbering: UInt64, beginning: UInt64) {
            self.numbering = numbering
            self.beginning = beginning
        }
    }

    /// How often places are kept at most.
    private static let keepInterval: UInt64 = 500_000_000

    private let events: OwnLog
    private var source: any BlockingEventSource & TargetSource & IncidentSource { events.source }
    private let ledger: (any OffsetStore)?
    private let thread: SendingThread
    private var loop: EventLoop { thread.loop }
    private let loopState: ThreadConfined<Confined>
    private var confined: Confined { loopState.value }
    private let published = Mutex<[NotificationStatus]>([])
    private let turn: CoalescedTurn
    private let log: @Sendable (LogMessage) -> Void
    private let statusChanged: @Sendable () -> Void

    /// Creates a notifier without receivers. To be called before the first target is evaluated, so that no change is missed.
    ///
    /// - Parameters:
    ///   - source: The log and the targets that receivers report.
    ///   - hasFleet: Whether the node belongs to a fleet, whose targets are not notified of from here: ``FleetNotifier`` does.
    ///   - ledger: keeps the places where receivers left off; nil: they begin anew with each start.
    ///   - resolverFiles: where the resolver's configuration is read, now and when it changes.
    ///   - clock: the wall clock.
    ///   - timers: runs the time limits.
    ///   - prologue: runs first on the thread; a test enters its network namespace here.
    ///   - statusChanged: Called after a change of ``statuses``, on the notifier's thread; must not block.
    ///   - log: takes what operators should read; called on the notifier's thread.
    /// - Throws: ``SystemError`` when a descriptor or the thread could not be had.
    package init(
        source: any BlockingEventSource & TargetSource & IncidentSource,
        hasFleet: Bool = false,
        ledger: (any OffsetStore)?,
        resolverFiles: ResolverConfigurationFiles = ResolverConfigurationFiles(),
        clock: any WallClock = SystemWallClock(),
        timers: any MonotonicClock = SystemMonotonicClock(),
        prologue: @escaping @Sendable () -> Void = {},
        statusChanged: @escaping @Sendable () -> Void = {},
        log: @escaping @Sendable (LogMessage) -> Void
    ) throws(SystemError) {
        let events = OwnLog(source: source, scope: hasFleet ? .own : .all)
        self.events = events
        self.ledger = ledger
        self.log = log
        // In this order: should it be moved meanwhile the receivers are begun anew.
        let initial = Confined(numbering: source.numbering, beginning: source.sequence)
        self.statusChanged = statusChanged
        let thread = try SendingThread(
            name: "reachd-notify",
            resolverFiles: resolverFiles,
            clock: clock,
            timers: timers,
            prologue: prologue
        )
        self.thread = thread
        turn = CoalescedTurn(on: thread.loop)
        loopState = ThreadConfined(initial, to: thread.loop)
        _ = thread.loop.executeAndWait { [loopState] in
            guard let sender = thread.sender else { return }
            loopState.value.world = ReceiverEnvironment(
                loop: thread.loop,
                events: events,
                sender: sender,
                clock: clock,
                log: log
            )
        }
        source.onEvents { [weak self] in self?.wake() }
    }

    /// How each receiver is, in the order of the configuration.
    package var statuses: [NotificationStatus] { published.withLock { $0 } }

    /// Replaces the receivers; one with the same name as before continues at its offset. Any thread
    /// but the loop's; waits for the disk.
    package func apply(_ receivers: [ReceiverSettings]) {
        _ = loop.executeAndWait { [self] in replaceReceivers(by: receivers) }
    }

    /// Ends all requests, keeps the places, and ends the thread; a second call does nothing.
    package func stop() {
        _ = loop.executeAndWait { [self] in
            confined.isClosed = true
            for driver in confined.drivers {
                driver.close()
                confined.unkept.insert(driver.settings.name)
            }
            keep()
            confined.drivers = []
            confined.world = nil
        }
        thread.close()
    }

    private func wake() {
        turn.request { [weak self] in
            guard let self else { return }
            follow()
            for driver in confined.drivers { driver.pump() }
        }
    }

    // MARK: On the loop's thread

    private func replaceReceivers(by receivers: [ReceiverSettings]) {
        guard !confined.isClosed else { return }
        follow()
        let stored = storedMarks()
        let isFirst = !confined.isBegun
        confined.isBegun = true
        if isFirst { confined.isProvisional = ledger != nil && stored == nil }
        let old = Dictionary(confined.drivers.map { ($0.settings.name, $0) }) { first, _ in first }
        var kept: Set<String> = []
        confined.drivers = receivers.compactMap { settings in
            kept.insert(settings.name)
            let known = old[settings.name]
            if let known, known.settings == settings { return known }
            known?.close()
            // A new receiver gets events from now on; at a start that is all that this run finds.
            let place =
                known?.place
                ?? (isFirst ? place(settings.name, in: stored) : ReceiverOffset(floor: source.sequence))
            // Other targets are not reported any more from here on, where a filter is another.
            let beginning = isFirst ? confined.beginning : source.sequence
            return driver(settings, place, behind: beginning)
        }
        for (name, driver) in old where !kept.contains(name) { driver.close() }
        // A receiver that returns after a month does not get the events of the month.
        for name in Set(old.keys).union((stored ?? [:]).keys)
        where !kept.contains(name) && !CutOffNotifier.isKey(name) {
            confined.unkept.insert(name)
        }
        for driver in confined.drivers { noteChange(driver) }
        publish()
        if !receivers.isEmpty, ledger?.isDurable != true {
            log(
                LogMessage(
                    .warning,
                    "without a durable event log, receivers lose undelivered notifications when reachd stops; see history.path"
                )
            )
        }
        for driver in confined.drivers { driver.pump() }
    }

    /// Begins the receivers anew when events have other numbers now, or the log says at last where receivers left off.
    private func follow() {
        let distance = source.numbering - confined.numbering
        guard distance > 0 || confined.isProvisional, ledger?.isReturning != true, !confined.isClosed else { return }
        let stored = storedMarks()
        guard distance > 0 || stored != nil else { return }
        confined.isProvisional = stored == nil
        if distance > 0 {
            confined.numbering += distance
            confined.beginning = distance
            confined.unkept = []
        }
        // A log without events of an earlier run has no offsets.
        if confined.beginning > 0 {
            confined.drivers = confined.drivers.compactMap { old in
                old.close()
                // An event that needed no delivery then may need one now that the log's content is known.
                let told = old.told.moved(by: distance)
                var place = place(old.settings.name, in: stored)
                place.mark.acknowledge(told)
                place.notices.merge(old.place.notices) { $1 }
                return driver(old.settings, place, behind: confined.beginning, status: old.status)
            }
        }
        for driver in confined.drivers { noteChange(driver) }
        publish()
    }

    /// The places that the log has; nil while it is not to be had.
    private func storedMarks() -> [String: String]? {
        guard let ledger, ledger.isDurable else { return nil }
        return ledger.deliveryMarks()
    }

    private func place(_ name: String, in stored: [String: String]?) -> ReceiverOffset {
        guard let place = stored?[name].flatMap(ReceiverOffset.init) else {
            return ReceiverOffset(floor: confined.beginning)
        }
        // The newest events may have gone with the power.
        return place.cut(behind: confined.beginning)
    }

    /// - Parameter beginning: the last event that is older than the targets and the filter of now.
    private func driver(
        _ settings: ReceiverSettings,
        _ place: ReceiverOffset,
        behind beginning: UInt64,
        status: NotificationStatus? = nil
    ) -> ReceiverDriver? {
        guard let world = confined.world else { return nil }
        let machine = settings.machine(
            from: place,
            incidents: events.incidents,
            transitions: { problems(through: place.mark.floor) },
            reported: { reported(settings.filter, behind: beginning) }
        )
        return ReceiverDriver(
            settings,
            machine: machine,
            position: place.mark.floor,
            numbering: confined.numbering,
            status: status,
            world: world
        ) { [weak self] driver in
            self?.noteChange(driver)
            self?.publish()
        }
    }

    /// What was wrong with targets after an event, as the log says, or memory where there is none.
    private func problems(through sequence: UInt64) -> [StateChange] {
        guard let ledger, ledger.isDurable else { return events.problems(through: sequence) }
        let epoch = source.epoch
        return ledger.lastProblems(through: sequence).compactMap { StateChange($0, epoch: epoch) }
    }

    /// The targets that are watched, and that a filter lets through to its receiver.
    private func reported(_ filter: NotificationFilter, behind beginning: UInt64) -> ReportedTargets {
        ReportedTargets(beginning: beginning) { [events] target in
            guard let settings = events.target(target) else { return .removed }
            return filter.routes(target, group: settings.group, tags: settings.tags) ? nil : .unrouted
        }
    }

    private func noteChange(_ driver: ReceiverDriver) {
        confined.unkept.insert(driver.settings.name)
        guard confined.keeping == nil, !confined.isClosed else { return }
        confined.keeping = loop.schedule(after: Self.keepInterval) { [weak self] in
            guard let self else { return }
            confined.keeping = nil
            keep()
        }
    }

    private func keep() {
        // Places that the log may have are not replaced before they are known.
        guard !confined.unkept.isEmpty, !confined.isProvisional else { return }
        let places = Dictionary(confined.drivers.map { ($0.settings.name, $0.place) }) { first, _ in first }
        let changes = confined.unkept.map { ($0, places[$0]?.description) }
        ledger?.keep(deliveryMarks: Dictionary(uniqueKeysWithValues: changes), numbering: confined.numbering)
        confined.unkept = []
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
