// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import LinuxIO
package import Monitoring
package import PostgreSQL

/// A node's membership in a fleet: keeps a connection, renews the lease, and sends reports. On one event loop's thread.
///
/// An idle node sends one statement per fifth of the lease, the renewal, and nothing else. The loop's clock must count suspension
/// (``SystemBootClock``), because the database's clock does as well. The last reference is released on the loop's thread or after the
/// loop ended.
package final class FleetSession {
    /// What a session is made of.
    package struct Parts {
        /// The loop; all calls and callbacks are on its thread.
        let loop: EventLoop
        /// What the node registers.
        let node: NodeDescription
        /// The node's event log.
        let source: any ReportSource
        /// Creates a connection that is not open.
        let makeConnection: () -> any FleetConnection
        /// Decides about the schema of each new connection.
        let check: ConnectionCheck
        /// What the node has seen of the fleet's log.
        let seen: SeenLog
        /// The wall clock.
        let wall: any WallClock
        /// Spreads retries.
        let random: any RandomNumberGenerator & Sendable

        /// Creates parts.
        package init(
            loop: EventLoop,
            node: NodeDescription,
            source: any ReportSource,
            makeConnection: @escaping () -> any FleetConnection,
            check: @escaping ConnectionCheck,
            seen: SeenLog = SeenLog(),
            wall: any WallClock = SystemWallClock(),
            random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
        ) {
            self.loop = loop
            self.node = node
            self.source = source
            self.makeConnection = makeConnection
            self.check = check
            self.seen = seen
            self.wall = wall
            self.random = random
        }
    }

    /// Called when the phase, the identity, the health or the outage changes.
    package var standingChanged: ((NodeStanding) -> Void)?
    /// Called with all shards of the node when they were read: after the first renewal, and after each that announces a new version.
    package var assignmentsChanged: (([OwnAssignment]) -> Void)?
    /// Called after each renewal.
    package var renewed: ((LeaseAnswer) -> Void)?
    /// Called when a connection is open and its schema is supported: statements can be executed. The node may not be registered yet.
    package var connected: (() -> Void)?
    /// Called once for each ``connected`` when that connection ended.
    package var disconnected: ((FleetFault) -> Void)?
    /// Called for each notification on the connection. Ask for a channel's when ``connected`` is called.
    var notified: ((FleetChannel) -> Void)?
    /// Called with messages for the log.
    package var logged: ((LogMessage) -> Void)?

    /// What describes the node's network to people, stored with each renewal; nil for nothing.
    package var network: String?

    let parts: Parts
    var lease: NodeLease
    var queue = ReportQueue()
    var skew = ClockSkew()
    var answer: LeaseAnswer?
    var link: Link?
    var faults = FaultRecord()
    /// The token of each shard of the node; nil until they were read.
    var tokens: [AssignmentKey: UInt64]?
    var readVersion: AssignmentVersion?
    var measuredAt: UInt64?
    /// When the last report was stored.
    var reportedAt: UInt64?
    private var reported: NodeStanding?
    private var timer: (token: TimerToken, deadline: UInt64)?
    private var isAdvancing = false
    private var mustAdvance = false
    private var nextTurn: TimerToken?
    private var isStarted = false
    private var closing: (timer: TimerToken?, completion: (Bool) -> Void)?

    /// Creates a session that is not started.
    ///
    /// - Parameter settings: the fleet's settings as far as they are known; the lease is limited to 1 second … 1 hour.
    package init(_ parts: Parts, settings: FleetSettings = FleetSettings()) {
        self.parts = parts
        lease = NodeLease(name: parts.node.name, length: settings.lease, random: parts.random)
    }

    deinit {
        for token in [timer?.token, nextTurn, closing?.timer] {
            if let token { parts.loop.cancel(token) }
        }
        link?.connection.close()
    }

    var now: UInt64 { parts.loop.clock.now() }

    // MARK: Calls

    /// Connects and registers; a second call does nothing.
    package func start() {
        assert(parts.loop.isCurrent, "a session is used on its loop's thread")
        guard !isStarted else { return }
        isStarted = true
        advance()
    }

    /// The source has something new.
    package func reportsAvailable() { advance() }

    /// Whether the node works as it should; a watchdog sets it. While it is false the lease is not renewed and ends.
    package var isHealthy: Bool {
        get { lease.isHealthy }
        set {
            guard newValue != lease.isHealthy else { return }
            lease.isHealthy = newValue
            advance()
        }
    }

    /// Renews the lease within a time, to learn what changed. Nodes that are notified of the same spread their renewals over it.
    package func renewSoon(within time: Duration) {
        var random = parts.random
        lease.renewSoon(at: now + UInt64.random(in: 0...time.nanoseconds, using: &random))
        advance()
    }

    /// Takes the fleet's settings; another length of the lease takes effect with the next renewal.
    package func apply(_ settings: FleetSettings) { lease.setLength(settings.lease) }

    /// Whether the node is registered and its lease is valid now.
    package var isLeaseValid: Bool { lease.isValid(at: now) }

    /// How the node stands now.
    package var standing: NodeStanding {
        var phase = NodeStanding.Phase.joining
        var replacedBy: Int64?
        switch lease.membership {
        case .unregistered: break
        case .registered, .missing: phase = .member
        case .replaced(_, let by):
            phase = .replaced
            replacedBy = by
        case .departed: phase = .departed
        }
        return NodeStanding(
            phase: phase,
            identity: lease.identity,
            replacedBy: replacedBy,
            validUntil: lease.validUntil,
            isHealthy: lease.isHealthy,
            outage: faults.outage,
            backlog: queue.backlog(newest: parts.source.newest),
            oldestUnreported: queue.pending?.entries.first?.report.at,
            droppedReports: queue.dropped,
            skew: skew,
            answer: answer
        )
    }

    /// Ends the session. Reports that were not sent remain in the source.
    ///
    /// - Parameters:
    ///   - departing: whether the node leaves the fleet, so that its shards move at once. Without it the lease lasts until it ends, and
    ///     a node that restarts within it keeps its shards.
    ///   - within: how long the departure may take.
    ///   - completion: called once, perhaps from inside this call: whether the departure is stored. No other callback follows.
    package func close(departing: Bool, within: Duration, completion: @escaping (Bool) -> Void = { _ in }) {
        guard closing == nil else { return completion(false) }
        closing = (nil, completion)
        guard departing, isStarted else { return finish() }
        closing?.timer = parts.loop.schedule(after: within.nanoseconds) { [weak self] in self?.finish() }
        lease.depart()
        advance()
    }

    private func finish() {
        guard let (timer, completion) = closing else { return dropLink() }
        if let timer { parts.loop.cancel(timer) }
        setTimer(nil)
        standingChanged = nil
        assignmentsChanged = nil
        renewed = nil
        connected = nil
        disconnected = nil
        notified = nil
        logged = nil
        lease.close()
        dropLink()
        closing = (nil, { _ in })
        completion(lease.membership == .departed(isStored: true))
    }

    // MARK: Progress

    /// Does what can be done now. May be called from callbacks.
    func advance() {
        assert(parts.loop.isCurrent, "a session is used on its loop's thread")
        guard isStarted else { return }
        mustAdvance = true
        guard !isAdvancing else { return }
        isAdvancing = true
        while mustAdvance {
            mustAdvance = false
            takeSteps()
        }
        isAdvancing = false
        reportStanding()
    }

    private func takeSteps() {
        while true {
            switch lease.step(at: now) {
            case .start(let operation):
                lease.begin(operation, at: now)
                start(operation)
            case .wait(let deadline):
                setTimer(deadline)
                return continueReports()
            case .end:
                setTimer(nil)
                return finish()
            }
        }
    }

    private func start(_ operation: NodeLease.Operation) {
        switch operation {
        case .connect: openLink()
        case .register: register()
        case .renew(let isDeparting): renew(isDeparting: isDeparting)
        case .inspect: inspect()
        }
    }

    private func setTimer(_ deadline: UInt64?) {
        guard timer?.deadline != deadline else { return }
        if let timer { parts.loop.cancel(timer.token) }
        timer = nil
        guard let deadline else { return }
        let token = parts.loop.schedule(at: deadline) { [weak self] in
            self?.timer = nil
            self?.advance()
        }
        timer = (token, deadline)
    }

    /// Continues in another turn of the loop.
    func advanceSoon() {
        guard nextTurn == nil else { return }
        nextTurn = parts.loop.schedule(at: 0) { [weak self] in
            self?.nextTurn = nil
            self?.advance()
        }
    }

    private func reportStanding() {
        guard let standingChanged else { return }
        let standing = standing
        guard reported?.differsNotably(from: standing) ?? true else { return }
        reported = standing
        standingChanged(standing)
    }

    func log(_ level: LogMessage.Level, _ text: String, _ facts: [String: String] = [:]) {
        logged?(LogMessage(level, text, facts: facts))
    }
}

extension FleetSession: StatementExecutor {
    /// Executes a statement of another part of the node on the same connection; it fails with `closed` while there is none. Renewals
    /// go first.
    package func execute(
        _ statement: Statement,
        _ parameters: [DatabaseValue],
        completion: @escaping (Result<DatabaseRows, DatabaseError>) -> Void
    ) {
        if let link, link.isReady {
            link.lanes.execute(statement, parameters, completion: completion)
        } else {
            _ = parts.loop.schedule(at: 0) {
                completion(.failure(DatabaseError(.closed, "the fleet's database is not connected")))
            }
        }
    }
}
