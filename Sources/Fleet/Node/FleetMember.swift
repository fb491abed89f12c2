// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import PostgreSQL

/// A node's part in its fleet on one event loop's thread: the session with its lease and reports, the coordinator, and the targets
/// that are assigned to the node.
final class FleetMember {
    /// Receives the assigned targets after each change.
    private let declare: @Sendable ([AssignedTarget]) -> Void
    private let execute: @Sendable ([TargetCommand]) -> Void
    private let log: @Sendable (LogMessage) -> Void
    let name: String
    let location: String
    private let resolver: Resolver
    private let reports: NodeReports
    private let session: FleetSession
    private let coordinator: Coordinator
    private let disputed: DisputedTargets
    let receivers: NodeReceivers
    private let commands: CommandReader
    private let loop: EventLoop
    /// The position of the log at the last call of ``reportsAvailable()``.
    private var known: (epoch: String, newest: UInt64) = ("", 0)
    private var assignments: [OwnAssignment]?
    private var targets: [AssignedTarget]?
    /// The versions that ``targets`` and the settings are of; nil before the first reading.
    private var declared: Int64?
    private var settingsVersion: Int64?
    /// The run of the fleet's log in the last renewal; nil before the first.
    private var epoch: String?
    /// Numbers the readings of targets: the answers of an earlier one are discarded.
    private var reading = 0
    private var isReading = false
    /// When the log's partitions are maintained next, in nanoseconds of the loop's clock; only the coordinator does it.
    private var nextMaintenance: UInt64 = 0

    private static let pageLength: Int64 = 2_000
    private static let maintenanceInterval: UInt64 = 3_600_000_000_000
    private static let maintenanceRetry: UInt64 = 60_000_000_000

    init(
        loop: EventLoop,
        settings: FleetNodeSettings,
        node: NodeDescription,
        database: DatabaseSettings,
        events: any BlockingEventSource & TargetSource,
        seen: SeenLog,
        declare: @escaping @Sendable ([AssignedTarget]) -> Void,
        execute: @escaping @Sendable ([TargetCommand]) -> Void,
        log: @escaping @Sendable (LogMessage) -> Void
    ) throws(ResolverError) {
        self.declare = declare
        self.execute = execute
        disputed = DisputedTargets(name: node.name)
        self.log = log
        (name, location) = (node.name, node.location)
        self.loop = loop
        let resolver = try Resolver(loop: loop)
        self.resolver = resolver
        commands = CommandReader(loop: loop, node: node.name, execute: execute)
        reports = NodeReports(events, location: node.location)
        session = FleetSession(
            FleetSession.Parts(
                loop: loop,
                node: node,
                source: reports,
                makeConnection: { DatabaseConnection(loop: loop, resolver: resolver, settings: database) },
                check: FleetSchema.checkConnection,
                seen: seen
            )
        )
        receivers = NodeReceivers(session: session, shared: SharedReceivers())
        coordinator = Coordinator(loop: loop, settings: FleetSettings())
        coordinator.isEligible = settings.coordinates
        coordinator.isListening = settings.listens
        connect()
    }

    private func connect() {
        session.logged = log
        coordinator.log = log
        commands.log = log
        session.connected = { [weak self] in
            guard let self else { return }
            coordinator.attach(session)
            if coordinator.isListening, coordinator.isEligible { FleetChannel.vacancy.listen(on: session) }
        }
        session.notified = { [weak self] channel in
            switch channel {
            case .work: self?.coordinator.notified()
            case .vacancy: self?.session.renewSoon(within: .milliseconds(50))
            case .log: break
            }
        }
        session.disconnected = { [weak self] _ in self?.disconnected() }
        session.standingChanged = { [weak self] _ in
            self?.receivers.leaseChanged()
            self?.changed()
        }
        coordinator.changed = { [weak self] _ in self?.changed() }
        session.renewed = { [weak self] in self?.renewed($0) }
        session.assignmentsChanged = { [weak self] in self?.assigned($0) }
    }

    var standing: NodeStanding { session.standing }

    var isCoordinator: Bool { coordinator.isCoordinator }

    var coordination: CoordinatorStatistics { coordinator.statistics }

    /// The number of assigned targets.
    var targetCount: Int { targets?.count ?? 0 }

    /// Called after each change of what ``FleetStatus`` shows, at least with each renewal.
    var changed: () -> Void = {}

    func start() { session.start() }

    /// The log may have new events: its listeners are also called after changes that are no events, such as a probe's result.
    func reportsAvailable() {
        let position = (epoch: reports.epoch, newest: reports.newest)
        guard position != (known.epoch, known.newest) else { return }
        known = position
        session.reportsAvailable()
        coordinator.reported()
    }

    /// Resigns and departs, so that other nodes take over at once.
    ///
    /// - Parameters:
    ///   - limit: how long the database may take for both; then the leases end by themselves.
    ///   - completion: called once.
    func close(within limit: Duration, completion: @escaping () -> Void) {
        reading += 1
        receivers.close()
        var isClosed = false
        let end = { [self] in
            guard !isClosed else { return }
            isClosed = true
            coordinator.detach()
            resolver.close()
            completion()
        }
        let timer = loop.schedule(after: limit.nanoseconds) { [session] in
            session.close(departing: false, within: .zero)
            end()
        }
        coordinator.resign { [loop, session] in
            session.close(departing: true, within: limit) { _ in
                loop.cancel(timer)
                end()
            }
        }
    }

    // MARK: What the database reports

    private func disconnected() {
        coordinator.detach()
        commands.disconnected()
        reading += 1
        isReading = false
    }

    private func renewed(_ answer: LeaseAnswer) {
        takeEpoch(answer.epoch)
        let standing = session.standing
        if let identity = standing.identity {
            coordinator.renewed(
                LeaseFacts(
                    identity: identity,
                    isVacant: answer.isVacant,
                    coordinator: answer.coordinator,
                    token: answer.coordinatorToken,
                    roundTrip: standing.skew.roundTrip ?? .zero
                )
            )
        }
        // Not before the settings are known: they say how old a partition must be.
        if coordinator.isCoordinator, settingsVersion != nil, loop.clock.now() >= nextMaintenance { maintainLog() }
        disputed.update(answer, session) { [execute] targets in
            execute(targets.map { TargetCommand(id: 0, target: $0, action: .probe) })
        }
        if answer.settingsVersion != settingsVersion { readSettings(answer.settingsVersion) }
        if answer.declared != declared, assignments != nil { readTargets() }
        let newest = reports.position
        receivers.renewed(answer, reported: newest - Int64(clamping: standing.backlog), newest: newest)
        commands.renewed(answer.newestCommand, isPruning: coordinator.isCoordinator, on: session)
        changed()
    }

    /// A restored database has other commands under the numbers of earlier ones, and may have no partition for today.
    private func takeEpoch(_ epoch: String) {
        defer { self.epoch = epoch }
        guard let before = self.epoch, before != epoch else { return }
        commands.forget()
        nextMaintenance = 0
    }

    private func assigned(_ assignments: [OwnAssignment]) {
        self.assignments = assignments
        // What is held already can be reported under its new tokens.
        isReading = false
        readTargets()
    }

    private func readSettings(_ version: Int64) {
        session.execute(MemberStatements.settings, []) { [weak self] result in
            guard let self, case .success(let rows) = result, rows.rowCount == 1,
                let text = try? rows.text(0, 0)
            else { return }
            settingsVersion = version
            let settings = FleetSettings(text: text)
            session.apply(settings)
            coordinator.settings = settings
        }
    }

    /// Creates the log's partitions for the next days and drops those that are too old. Repeated each hour, and each minute after a
    /// failure: there is a week's time.
    private func maintainLog() {
        nextMaintenance = loop.clock.now() + Self.maintenanceInterval
        maintain(
            LogPartitions.create,
            LogPartitions.daysAhead,
            "create the partitions of the fleet's log for the next days"
        ) { _ in }
        dropPartitions()
    }

    private func dropPartitions() {
        let days = Int(clamping: max(1, coordinator.settings.keep.components.seconds / 86_400))
        maintain(LogPartitions.drop, days, "drop old partitions of the fleet's log") { [weak self] dropped in
            guard dropped > 0, let self else { return }
            log(LogMessage(.info, "dropped old partitions of the fleet's log", facts: ["days": "\(dropped)"]))
            if dropped >= LogPartitions.dropLimit { dropPartitions() }
        }
    }

    private func maintain(_ statement: Statement, _ days: Int, _ words: String, _ completion: @escaping (Int) -> Void) {
        session.execute(statement, [.integer(Int64(days))]) { [weak self] result in
            switch result {
            case .success(let rows): completion((try? rows.integer(0, 0)).map { Int(clamping: $0) } ?? 0)
            case .failure(let error):
                guard let self else { return }
                nextMaintenance = loop.clock.now() + Self.maintenanceRetry
                log(
                    LogMessage(
                        .warning,
                        "cannot \(words); trying again in a minute",
                        facts: ["code": error.reason.rawValue, "error": error.message]
                    )
                )
            }
        }
    }

    // MARK: Targets

    /// Reads all targets of the node's shards. A failure is repeated after the next renewal.
    private func readTargets() {
        guard !isReading, let version = session.standing.answer?.declared else { return }
        isReading = true
        reading += 1
        readPage(reading, version: version, after: 0, before: [])
    }

    private func readPage(
        _ number: Int,
        version: Int64,
        after ordinal: Int64,
        before: [AssignedTarget]
    ) {
        let parameters: [DatabaseValue] = [.text(name), .integer(ordinal), .integer(Self.pageLength)]
        session.execute(DeclarationStatements.assigned, parameters) { [weak self] result in
            guard let self, number == reading else { return }
            do throws(DatabaseError) {
                let rows = try result.get()
                var targets = before
                for row in 0..<rows.rowCount { targets.append(try AssignedTarget(rows, row)) }
                guard rows.rowCount == Int(Self.pageLength) else {
                    return finish(targets, version: version)
                }
                readPage(
                    number,
                    version: version,
                    after: try rows.integer(rows.rowCount - 1, 0),
                    before: targets
                )
            } catch {
                isReading = false
                log(
                    LogMessage(
                        .warning,
                        "cannot read the targets that are assigned to this node",
                        facts: ["code": error.reason.rawValue, "error": error.message]
                    )
                )
            }
        }
    }

    private func finish(_ targets: [AssignedTarget], version: Int64) {
        isReading = false
        declared = version
        reports.hold(assignments ?? [], targets)
        let first = Set((assignments ?? []).filter(\.isFirst).map(\.key.shard))
        receivers.hold(Set(targets.lazy.filter { first.contains($0.shard) }.map(\.id)))
        if targets != self.targets {
            self.targets = targets
            declare(targets)
            commands.hold(targets.lazy.map(\.id))
            changed()
        }
        session.reportsAvailable()
    }
}

/// The statements of a member besides those of its session.
enum MemberStatements {
    /// The fleet's settings.
    static let settings = Statement("SELECT settings FROM log_head", name: "settings")
}

extension AssignedTarget {
    /// A row of ``DeclarationStatements/assigned``.
    fileprivate init(_ rows: DatabaseRows, _ row: Int) throws(DatabaseError) {
        let (placement, number) = (try rows.integer(row, 3), try rows.integer(row, 4))
        self.init(
            id: try rows.text(row, 1),
            shard: Shard(placement: Int(placement), number: Int(number)),
            declaration: try rows.text(row, 2),
            isClientDeclared: try rows.bool(row, 6)
        )
    }
}
