// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import LinuxIO
import Monitoring
import Synchronization

/// The targets that a node was to notify of when it was last cut off; all in a run that was not.
private final class HeldThen: Sendable {
    private let targets = Mutex<Set<String>?>(nil)

    func replace(by targets: Set<String>) { self.targets.withLock { $0 = targets } }

    func contains(_ target: String) -> Bool { targets.withLock { $0?.contains(target) ?? true } }
}

/// Notifies receivers of the fleet's targets that this node watches, as it sees them, while it cannot reach the fleet's database. On the
/// loop's thread.
///
/// It reads the node's own log and incidents, and assumes that receivers know what the fleet had reported of before. When the node has
/// returned, the fleet reports again, and the node sends nothing but the ends of what it notified of itself: nothing else knows of these
/// messages. What it owes is stored beside the offsets, so that a restart forgets no end.
final class CutOffNotifier {
    /// How often places are stored at most.
    private static let storeInterval: UInt64 = 500_000_000
    /// No receiver's name has a space.
    private static let prefix = "cut off: "

    /// A receiver that is notified from here.
    private struct Served {
        let driver: ReceiverDriver
        /// nil for an Alertmanager, whose alerts end by themselves when they are not sent again.
        let machine: IncidentMachine?
    }

    private let receivers: any ReceiverAssignments
    private let source: any BlockingEventSource & TargetSource & IncidentSource
    private let ledger: (any OffsetStore)?
    private let events: OwnLog
    /// The same with the targets that were reported on: what was reported ends, whichever nodes they are assigned to by now.
    private let reported: OwnLog
    private let held = HeldThen()
    private let world: ReceiverEnvironment
    private var settings: [ReceiverSettings] = []
    private var served: [String: Served] = [:]
    private var isActive = false
    /// The own log's numbering that the drivers are of.
    private var numbering: UInt64 = 0
    /// What an earlier run owed, by receiver, until it is served.
    private var earlier: [String: ReceiverOffset] = [:]
    private var isLoaded = false
    private var unstored: Set<String> = []
    private var timer: TimerToken?
    private var isClosed = false

    /// - Parameters:
    ///   - receivers: whether the node is cut off.
    ///   - source: the node's own log.
    ///   - ledger: stores what is owed; nil: a restart forgets it.
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
        reported = OwnLog(source: source, scope: .fleet(seenFrom: receivers.location) { [held] in held.contains($0) })
        world = ReceiverEnvironment(loop: loop, events: events, sender: sender, clock: clock, log: log)
    }

    /// Whether a name among the stored places is one of these.
    static func isKey(_ name: String) -> Bool { name.hasPrefix(prefix) }

    /// The status of the receivers that are notified from here, by name.
    var statuses: [String: NotificationStatus] { served.mapValues(\.driver.status) }

    /// Whether changes of the node's own log matter.
    var isServing: Bool { !served.isEmpty }

    /// Replaces the receivers; one with other settings continues where it was.
    func apply(_ receivers: [ReceiverSettings]) {
        settings = receivers.filter { $0.whenCutOff == .notify }
        for (name, known) in served where !settings.contains(known.driver.settings) {
            earlier[name] = known.driver.place
            end(name)
        }
        begin()
    }

    /// Begins or ends, and sends what is to be sent.
    func follow() {
        guard !isClosed else { return }
        load()
        if source.numbering != numbering { renumber() }
        if receivers.isCutOff != isActive { turn() }
        begin()
        for name in served.keys.sorted() {
            served[name]?.driver.pump()
            if !isActive, let machine = served[name]?.machine, !machine.owesEnds { end(name) }
        }
    }

    /// Ends everything, and stores what is owed; a second call does nothing.
    func close() {
        guard !isClosed else { return }
        store()
        for name in served.keys { served[name]?.driver.close() }
        served = [:]
        isClosed = true
        if let timer { world.loop.cancel(timer) }
    }

    // MARK: Sending

    private func turn() {
        isActive = receivers.isCutOff
        if isActive {
            let ids = source.records.compactMap(\.target?.settings.id)
            held.replace(by: Set(ids.filter { receivers.isHeld($0) }))
        }
        for name in served.keys { restart(name) }
        guard isActive else {
            return world.log(LogMessage(.info, "this node does not notify of what it sees itself any more"))
        }
        world.log(
            LogMessage(
                .warning,
                "without the fleet's database for a minute; this node notifies of what it sees itself",
                facts: ["receivers": "\(settings.count)", "location": receivers.location]
            )
        )
    }

    /// Events have other numbers: what is owed does not depend on them.
    private func renumber() {
        numbering = source.numbering
        for name in served.keys { restart(name) }
    }

    private func restart(_ name: String) {
        guard let known = served.removeValue(forKey: name) else { return }
        if known.machine != nil { earlier[name] = known.driver.place }
        known.driver.close()
    }

    /// Serves the receivers that are to be served and are not.
    private func begin() {
        guard !isClosed else { return }
        for settings in settings where served[settings.name] == nil && (isActive || earlier[settings.name] != nil) {
            start(settings, earlier.removeValue(forKey: settings.name))
        }
    }

    /// - Parameter earlier: what is owed from before.
    private func start(_ settings: ReceiverSettings, _ earlier: ReceiverOffset?) {
        // Cut off: from where the fleet was, as far as it is known. Otherwise only incidents matter, not events.
        let floor = isActive ? UInt64(max(0, receivers.baseline + Int64(numbering))) : source.sequence
        var place = ReceiverOffset(mark: ConsumerOffset(floor: floor))
        place.notices = earlier?.notices ?? [:]
        var incidents = isActive ? events.incidents : reported.incidents
        incidents.seenFrom = receivers.location
        let isActive = isActive
        incidents.isListed = { incident in
            isActive && EventID(parsing: incident.id).map { $0.sequence > floor } ?? true
        }
        let machine = settings.machine(
            from: place,
            incidents: incidents,
            transitions: { events.problems(through: floor) },
            reported: { ReportedTargets(beginning: .max) { _ in nil } }
        )
        if !isActive {
            guard let ending = machine as? IncidentMachine else { return note(settings.name) }
            ending.end()
        }
        let driver = ReceiverDriver(
            settings,
            machine: machine,
            position: place.mark.floor,
            numbering: numbering,
            status: nil,
            world: world
        ) { [weak self] in self?.note($0.settings.name) }
        served[settings.name] = Served(driver: driver, machine: machine as? IncidentMachine)
    }

    private func end(_ name: String) {
        guard let known = served.removeValue(forKey: name) else { return }
        known.driver.close()
        note(name)
    }

    // MARK: Places

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
        for (name, text) in marks where Self.isKey(name) {
            guard let place = ReceiverOffset(text), !place.notices.isEmpty else { continue }
            let receiver = String(name.dropFirst(Self.prefix.count))
            if served[receiver] == nil { earlier[receiver] = place }
        }
    }

    private func store() {
        guard !unstored.isEmpty else { return }
        let places = unstored.map { name -> (String, String?) in
            let place = served[name]?.driver.place ?? earlier[name]
            return (Self.prefix + name, place.flatMap { $0.notices.isEmpty ? nil : $0.description })
        }
        ledger?.keep(
            deliveryMarks: Dictionary(places) { first, _ in first },
            numbering: source.numbering
        )
        unstored = []
    }
}
