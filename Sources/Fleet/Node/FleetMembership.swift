// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
package import LinuxIO
package import Monitoring
package import PostgreSQL
import Synchronization

/// This process's membership in a fleet, on a thread of its own: a slow or absent database delays no probe.
///
/// Without the database the node keeps probing its own targets and those that the fleet assigned to it.
package final class FleetMembership: Sendable {
    /// The receivers of notifications that the node serves.
    package let receivers: FleetReceivers
    private let loop: EventLoop
    private let member: ThreadConfined<FleetMember>
    private let cache: AssignmentCache?
    private let turn: CoalescedTurn
    private let published = Mutex<FleetStatus?>(nil)

    /// Starts the thread; nothing is sent before ``start()``.
    ///
    /// - Parameters:
    ///   - settings: the node's settings, with a database.
    ///   - database: how to connect.
    ///   - version: the program's version.
    ///   - events: the node's registry.
    ///   - seen: what the node has seen of the fleet's log.
    ///   - cache: a file for the assignments, beside the node's event log; nil for none. It is written on a thread of its own.
    ///   - rollups: the node's history, of which the fleet's targets' buckets are stored in the database; nil for none.
    ///   - declare: receives the targets that are assigned to the node after each change, and the states that the node's location
    ///     reported last, by id; on the membership's thread; must not block.
    ///   - execute: carries out what other nodes ask of targets that were declared before, and probes those that another location reports
    ///     down; on the membership's thread; must not block.
    ///   - log: receives messages for the operator, on the membership's thread.
    /// - Throws: ``SystemError`` when a descriptor or the thread cannot be created.
    package init(
        settings: FleetNodeSettings,
        database: DatabaseSettings,
        version: String,
        events: any BlockingEventSource & TargetSource,
        seen: SeenLog = SeenLog(),
        cache file: StateFile? = nil,
        rollups: (any NodeRollupSource)? = nil,
        declare: @escaping @Sendable ([AssignedTarget], [String: TargetState]) -> Void,
        execute: @escaping @Sendable ([TargetCommand]) -> Void,
        log: @escaping @Sendable (LogMessage) -> Void
    ) throws(SystemError) {
        let loop = try EventLoop(name: "reachd-fleet", clock: SystemBootClock())
        self.loop = loop
        turn = CoalescedTurn(on: loop)
        do throws(SystemError) {
            cache = if let file { try AssignmentCache(file, log: log) } else { nil }
        } catch {
            loop.close()
            throw error
        }
        let cache = cache
        let node = NodeDescription(
            name: settings.node ?? MachineName.current,
            location: settings.location,
            url: settings.url,
            version: version,
            capacity: settings.capacity
        )
        let made = loop.executeAndWait { () -> Result<(ThreadConfined<FleetMember>, FleetReceivers), SystemError> in
            do throws(ResolverError) {
                let member = try FleetMember(
                    loop: loop,
                    settings: settings,
                    node: node,
                    database: database,
                    events: events,
                    seen: seen,
                    cache: cache,
                    rollups: rollups,
                    declare: declare,
                    execute: execute,
                    log: log
                )
                let receivers = FleetReceivers(
                    loop: loop,
                    receivers: ThreadConfined(member.receivers, to: loop),
                    shared: member.receivers.shared,
                    location: node.location
                )
                return .success((ThreadConfined(member, to: loop), receivers))
            } catch {
                return .failure(SystemError(code: ENOMEM, operation: "c-ares"))
            }
        }
        switch made {
        case .success(let (member, receivers))?: (self.member, self.receivers) = (member, receivers)
        case .failure(let error)?:
            loop.close()
            cache?.close(within: .zero)
            throw error
        case nil: throw SystemError(code: ESHUTDOWN, operation: "reachd-fleet")
        }
        _ = loop.executeAndWait { [self] in
            member.value.changed = { [weak self] in self?.publish() }
            publish()
        }
        events.onEvents { [weak self] in self?.wake() }
    }

    private func publish() {
        let status = FleetStatus(member.value)
        published.withLock { $0 = status }
    }

    /// Connects and registers. Any thread.
    package func start() {
        loop.execute { [member] in member.value.start() }
    }

    /// The node's standing, at most one renewal old. Any thread.
    package var status: FleetStatus? {
        let now = loop.clock.now()
        guard var status = published.withLock({ $0 }) else { return nil }
        status.hasLease = (status.standing.validUntil ?? 0) > now
        return status
    }

    /// Stores a heartbeat of a fleet's target that this node evaluated while it could not be stored, for later owners, once the
    /// database can be used. Any thread; does not wait.
    package func keepHeartbeat(isFailure: Bool, detail: String?, of target: String) {
        loop.execute { [member] in member.value.keepHeartbeat(isFailure: isFailure, detail: detail, of: target) }
    }

    /// Leaves the fleet, so that other nodes take over the targets at once, and ends the thread. Any thread but the membership's.
    ///
    /// - Parameter limit: How long the database may take to record it.
    package func stop(within limit: Duration) {
        let end = Semaphore()
        let isAccepted = loop.execute { [member] in
            member.value.close(within: limit) { end.post() }
        }
        if isAccepted { end.wait() }
        loop.close()
        cache?.close(within: Self.cacheLimit)
    }

    /// How long the disk may take for the assignments when the service stops.
    private static let cacheLimit: Duration = .seconds(2)

    private func wake() {
        turn.request { [weak self] in self?.member.value.reportsAvailable() }
    }
}

/// A node's standing in its fleet, for the HTTP interface and the log.
package struct FleetStatus: Sendable {
    /// The node's name.
    package let node: String
    /// The node's location.
    package let location: String
    /// Whether the node's lease was valid when the status was read.
    package internal(set) var hasLease = false
    /// The session's standing.
    package let standing: NodeStanding
    /// Whether this node is the coordinator.
    package let isCoordinator: Bool
    /// What it did as the coordinator.
    package let coordination: CoordinatorStatistics
    /// The number of targets that are assigned to it.
    package let targets: Int
    /// Whether these are the ones that were assigned before the node started, because the database has not been read since.
    package let isResumed: Bool
    /// Whether the node knows which targets are assigned to it.
    package let hasAssignments: Bool
    /// The file of the assignments; nil without one.
    package let cache: AssignmentCache.Status?
    /// For how many more days the fleet's log has partitions; nil on a node that is not the coordinator, and before it knows.
    package let logDays: Int?
    /// Buckets of targets that this node stored in the database since it started; nil without a history.
    package let storedRollups: UInt64?
    /// Completed hours and days that this node has not wholly stored; nil without a history.
    package let waitingRollups: UInt64?

    init(_ member: FleetMember) {
        (node, location) = (member.name, member.location)
        standing = member.standing
        isCoordinator = member.isCoordinator
        coordination = member.coordination
        targets = member.targetCount
        isResumed = member.isResumed
        hasAssignments = member.hasAssignments
        logDays = member.logDays
        storedRollups = member.rollupStatus?.stored
        waitingRollups = member.rollupStatus?.waiting
        cache = member.cacheStatus
    }
}
