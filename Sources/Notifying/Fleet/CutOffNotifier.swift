// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import LinuxIO
import Monitoring

/// Notifies receivers of the fleet's targets that this node watches, as it sees them, while it cannot reach the fleet's database. On the
/// loop's thread.
///
/// It reads the node's own log, and assumes that receivers know what the fleet had reported of it. The node that serves a receiver
/// later knows nothing of these messages. So the problems that they left open are handed over to the fleet when the node has returned:
/// what the fleet's log does not end is ended there.
final class CutOffNotifier {
    /// How often open problems are stored at most.
    private static let storeInterval: UInt64 = 500_000_000

    private let receivers: any ReceiverAssignments
    private let source: any BlockingEventSource & TargetSource & IncidentSource
    private let ledger: (any OffsetStore)?
    private let events: OwnLog
    private let world: ReceiverEnvironment
    private var settings: [ReceiverSettings] = []
    /// The names of all receivers of this node.
    private var offered: Set<String> = []
    private var drivers: [String: ReceiverDriver] = [:]
    private var isActive = false
    /// The own log's numbering that the drivers are of.
    private var numbering: UInt64 = 0
    private var carried = CarriedProblems()
    private var isLoaded = false
    private var isHandingOver = false
    private var unstored: Set<String> = []
    private var timer: TimerToken?
    private var isClosed = false

    /// - Parameters:
    ///   - receivers: whether the node is cut off.
    ///   - source: the node's own log.
    ///   - ledger: stores the problems that were left open; nil: a restart forgets them.
    init(
        receivers: any ReceiverAssignments,
        source: any BlockingEventSource & TargetSource & IncidentSource,
        ledger: (any OffsetStore)?,
        loop: EventLoop,
        sender: MessageSender,
        clock: any WallClock,
        log: @escaping @Sendable (LogMessage) -> Void
    ) {
        self.receivers = receivers
        self.source = source
        self.ledger = ledger
        events = OwnLog(source: source, scope: .fleet(seenFrom: receivers.location) { receivers.isHeld($0) })
        world = ReceiverEnvironment(
            loop: loop,
            events: events,
            sender: sender,
            clock: clock,
            log: log,
            permits: { receivers.isCutOff }
        )
    }

    /// The status of the receivers that are notified from here, by name.
    var statuses: [String: NotificationStatus] { drivers.mapValues(\.status) }

    /// Replaces the receivers; one with other settings continues where it was.
    func apply(_ receivers: [ReceiverSettings]) {
        settings = receivers.filter { $0.whenCutOff == .notify }
        offered = Set(receivers.map(\.name))
        guard isActive else { return }
        var places: [String: ReceiverOffset] = [:]
        for (name, driver) in drivers where !settings.contains(driver.settings) {
            places[name] = driver.place
            end(name)
        }
        for settings in settings where drivers[settings.name] == nil { start(settings, places[settings.name]) }
    }

    /// Begins or ends, and sends what is to be sent.
    func follow() {
        guard !isClosed else { return }
        load()
        if isActive, !receivers.isCutOff || source.numbering != numbering { endAll() }
        if !isActive, receivers.isCutOff { begin() }
        for name in drivers.keys.sorted() { drivers[name]?.pump() }
        handOver()
    }

    /// Ends everything, and stores what was left open; a second call does nothing.
    func close() {
        guard !isClosed else { return }
        endAll()
        store()
        isClosed = true
        if let timer { world.loop.cancel(timer) }
    }

    // MARK: Sending

    private func begin() {
        isActive = true
        numbering = source.numbering
        world.log(
            LogMessage(
                .warning,
                "without the fleet's database for a minute; this node notifies of what it sees itself",
                facts: ["receivers": "\(settings.count)", "location": receivers.location]
            )
        )
        for settings in settings { start(settings, nil) }
    }

    /// - Parameter place: where it was; nil: where the fleet was, as far as it is known.
    private func start(_ settings: ReceiverSettings, _ place: ReceiverOffset?) {
        let floor = UInt64(max(0, receivers.baseline + Int64(numbering)))
        // Without known problems, those of then count as known.
        let place = place ?? ReceiverOffset(mark: ConsumerOffset(floor: floor))
        let machine = settings.machine(
            from: place,
            transitions: events.problems(through: place.mark.floor),
            reported: ReportedTargets(beginning: .max) { _ in nil }
        )
        drivers[settings.name] = ReceiverDriver(
            settings,
            machine: machine,
            position: place.mark.floor,
            numbering: numbering,
            status: nil,
            world: world
        ) { [weak self] in self?.changed($0) }
    }

    private func endAll() {
        guard isActive else { return }
        isActive = false
        for name in drivers.keys.sorted() { end(name) }
        world.log(LogMessage(.info, "this node does not notify of what it sees itself any more"))
    }

    private func end(_ name: String) {
        guard let driver = drivers.removeValue(forKey: name) else { return }
        carried.take(driver.notified, of: name)
        driver.close()
        note(name)
    }

    // MARK: Open problems

    private func changed(_ driver: ReceiverDriver) { note(driver.settings.name) }

    private func note(_ name: String) {
        unstored.insert(name)
        guard timer == nil, !isClosed else { return }
        timer = world.loop.schedule(after: Self.storeInterval) { [weak self] in
            guard let self else { return }
            timer = nil
            store()
        }
    }

    private func load() {
        guard !isLoaded, let ledger, ledger.isDurable, let marks = ledger.deliveryMarks() else { return }
        isLoaded = true
        carried.load(marks)
    }

    private func store() {
        guard !unstored.isEmpty else { return }
        for name in unstored { if let driver = drivers[name] { carried.take(driver.notified, of: name) } }
        let marks = unstored.map { carried.mark(of: $0) }
        ledger?.keep(
            deliveryMarks: Dictionary(marks.map { ($0.name, $0.value) }) { first, _ in first },
            numbering: source.numbering
        )
        unstored = []
    }

    /// Leaves the problems to the fleet when its log has what this node observed.
    private func handOver() {
        guard !isActive, !isHandingOver, receivers.isLeaseValid, receivers.isSettled else { return }
        let problems = carried.next
        guard !problems.isEmpty else { return }
        isHandingOver = true
        let confined = ThreadConfined(self, to: world.loop)
        receivers.handOver(problems) { [loop = world.loop] result in
            loop.execute { confined.value.handedOver(problems, result) }
        }
    }

    private func handedOver(_ problems: [CarriedProblem], _ result: Result<Set<String>, FleetFault>) {
        isHandingOver = false
        // A failure is repeated after the next renewal.
        guard !isClosed, case .success(let names) = result else { return }
        for problem in problems {
            // The coordinator has not assigned a receiver yet that this node offers; no node offers any other.
            guard names.contains(problem.receiver) || !offered.contains(problem.receiver) else { continue }
            carried.remove(problem.target, of: problem.receiver)
            note(problem.receiver)
        }
    }
}
