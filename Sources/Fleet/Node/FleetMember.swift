// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import PostgreSQL

/// A node's part in its fleet on one event loop's thread: the session with its lease and reports, the coordinator, and the targets
/// that are assigned to the node.
final class FleetMember {
    /// Receives the assigned targets after each change, and what the location reported last of those that are new.
    private let declare: @Sendable ([AssignedTarget], [String: TargetState]) -> Void
    private let execute: @Sendable ([TargetCommand]) -> Void
    private let log: @Sendable (LogMessage) -> Void
    let name: String
    let location: String
    private let resolver: Resolver
    private let reports: NodeReports
    private let session: FleetSession
    private let coordinator: Coordinator
    private let maintenance: PartitionMaintenance
    private let rollups: RollupSender?
    private let disputed: DisputedTargets
    let receivers: NodeReceivers
    private let commands: CommandReader
    private let heartbeats: HeartbeatBacklog
    private let cache: MemberCache?
    /// Whether ``targets`` are the cached ones.
    private(set) var isResumed = false
    private let loop: EventLoop
    /// The position of the log at the last call of ``reportsAvailable()``.
    private var known: (epoch: String, newest: UInt64) = ("", 0)
    private var assignments: [OwnAssignment]?
    private var targets: [AssignedTarget]?
    private let reader: OwnTargetReader
    /// The version that the settings are of; nil before the first reading.
    private var settingsVersion: Int64?
    /// The run of the fleet's log in the last renewal; nil before the first.
    private var epoch: String?

    init(
        loop: EventLoop,
        settings: FleetNodeSettings,
        node: NodeDescription,
        database: DatabaseSettings,
        events: any BlockingEventSource & TargetSource,
        seen: SeenLog,
        cache: AssignmentCache?,
        rollups source: (any NodeRollupSource)?,
        declare: @escaping @Sendable ([AssignedTarget], [String: TargetState]) -> Void,
        execute: @escaping @Sendable ([TargetCommand]) -> Void,
        log: @escaping @Sendable (LogMessage) -> Void
    ) throws(ResolverError) {
        self.declare = declare
        self.execute = execute
        disputed = DisputedTargets(name: node.name)
        self.log = log
        (name, location) = (node.name, node.location)
        self.cache = cache.map { cache in
            MemberCache(
                cache,
                owner: CachedAssignments.Owner(
                    node: node.name,
                    location: node.location,
                    database: database.database,
                    role: database.user
                )
            )
        }
        self.loop = loop
        let resolver = try Resolver(loop: loop)
        self.resolver = resolver
        heartbeats = HeartbeatBacklog(loop: loop)
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
        reader = OwnTargetReader(node: node.name, executor: session)
        receivers = NodeReceivers(session: session, shared: SharedReceivers())
        coordinator = Coordinator(loop: loop, settings: FleetSettings())
        maintenance = PartitionMaintenance(loop: loop, session: session, log: log)
        rollups = source.map { [session] in RollupSender(loop: loop, executor: session, source: $0) }
        coordinator.isEligible = settings.coordinates
        coordinator.isListening = settings.listens
        connect()
    }

    private func connect() {
        session.logged = log
        coordinator.log = log
        commands.log = log
        rollups?.log = log
        reader.log = log
        reader.changed = { [weak self] in self?.take($0) }
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
            guard let self else { return }
            receivers.leaseChanged()
            resumeCached()
            changed()
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

    /// Whether the assigned targets are known, if only from the cache.
    var hasAssignments: Bool { targets != nil }

    /// For how many more days the log has partitions; nil on a node that is not the coordinator, and before it knows.
    var logDays: Int? {
        isCoordinator ? maintenance.daysAhead : nil
    }

    /// What became of the node's rollups; nil without a history.
    var rollupStatus: RollupSender.Status? { rollups?.status }

    /// Called after each change of what ``FleetStatus`` shows, at least with each renewal.
    var changed: () -> Void = {}

    /// What became of the cached assignments; nil without a file.
    var cacheStatus: AssignmentCache.Status? { cache?.status }

    /// Reads the cache, connects and registers.
    func start() {
        // Also when the database answers: what an earlier run observed under the tokens and did not report counts.
        if let cached = cache?.load() { reports.restore(cached) }
        session.start()
    }

    /// The log may have new events: its listeners are also called after changes that are no events, such as a probe's result.
    func reportsAvailable() {
        let position = (epoch: reports.epoch, newest: reports.newest)
        guard position != (known.epoch, known.newest) else { return }
        known = position
        if cache?.isOutdated(for: position.epoch) ?? false { writeCache() }
        session.reportsAvailable()
        coordinator.reported()
    }

    /// Keeps a heartbeat that was evaluated here while it could not be stored.
    func keepHeartbeat(isFailure: Bool, detail: String?, of target: String) {
        heartbeats.keep(isFailure: isFailure, detail: detail, of: target)
    }

    /// Resigns and departs, so that other nodes take over at once.
    ///
    /// - Parameters:
    ///   - limit: how long the database may take for both; then the leases end by themselves.
    ///   - completion: called once.
    func close(within limit: Duration, completion: @escaping () -> Void) {
        reader.changed = { _ in }
        // With the states as they are now, for a start without the database.
        writeCache()
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
        heartbeats.disconnected()
        reader.disconnected()
        rollups?.restart()
    }

    private func renewed(_ answer: LeaseAnswer) {
        takeEpoch(answer.epoch)
        if cache?.refuse(unlessOf: answer.identity) ?? false { reports.forget() }
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
        if coordinator.isCoordinator, settingsVersion != nil {
            maintenance.continueWork(keeping: coordinator.settings.keep)
        }
        if let identity = standing.identity, settingsVersion != nil {
            rollups?.continueWork(coordinator.settings.rollups, keeping: coordinator.settings.keep, as: identity)
        }
        disputed.update(answer, session) { [execute] targets in
            execute(targets.map { TargetCommand(id: 0, target: $0, action: .probe) })
        }
        if answer.settingsVersion != settingsVersion { readSettings(answer.settingsVersion) }
        if assignments != nil { reader.update(to: answer.declared, epoch: answer.epoch) }
        let newest = reports.position
        receivers.renewed(answer, reported: newest - Int64(clamping: standing.backlog))
        heartbeats.renewed(on: session)
        commands.renewed(answer.newestCommand, isPruning: coordinator.isCoordinator, on: session)
        changed()
    }

    /// A restored database has other commands under the numbers of earlier ones, and may have no partition for today.
    private func takeEpoch(_ epoch: String) {
        defer { self.epoch = epoch }
        guard let before = self.epoch, before != epoch else { return }
        commands.forget()
        maintenance.restart()
        rollups?.restart()
    }

    private func assigned(_ assignments: [OwnAssignment]) {
        self.assignments = assignments
        cache?.supersede()
        reader.shardsChanged()
        if let answer = session.standing.answer { reader.update(to: answer.declared, epoch: answer.epoch) }
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

    // MARK: Targets

    private func take(_ list: OwnTargets) {
        let found = list.targets
        reports.hold(assignments ?? [], found)
        let first = Set((assignments ?? []).filter(\.isFirst).map(\.key.shard))
        receivers.hold(Set(found.lazy.filter { first.contains($0.shard) }.map(\.id)))
        // What was kept for a restart has no heartbeats.
        let known = isResumed ? [] : targets ?? []
        isResumed = false
        let isOther = found != targets || cache?.isOutdated(for: assignments ?? []) ?? false
        if found != targets {
            targets = found
            declare(found, list.states)
            commands.hold(found.lazy.map(\.id), heartbeats: list.heartbeats(besides: known))
            changed()
        }
        if isOther { writeCache() }
        session.reportsAvailable()
    }

    // MARK: The cache

    /// Probes the cached targets once it is known that the database cannot be used now.
    private func resumeCached() {
        guard let cached = cache?.cached, targets == nil, let outage = session.standing.outage else { return }
        targets = cached.targets.map(\.target)
        isResumed = true
        log(
            LogMessage(
                .warning,
                "the fleet's database cannot be used; probing the targets that were assigned to this node before it started",
                facts: ["targets": "\(cached.targets.count)", "reason": outage.fault.code]
            )
        )
        let states = cached.targets.compactMap { entry in entry.state.map { (entry.target.id, $0) } }
        declare(targets ?? [], Dictionary(states) { first, _ in first })
        commands.hold(cached.targets.lazy.map(\.target.id))
    }

    private func writeCache() {
        guard let cache, let targets else { return }
        cache.write(targets, assignments ?? [], held: reports.snapshot, epoch: reports.epoch)
    }
}

/// The statements of a member besides those of its session.
enum MemberStatements {
    /// The fleet's settings.
    static let settings = Statement("SELECT settings FROM log_head", name: "settings")
}
