// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import LinuxIO
internal import Monitoring
internal import PostgreSQL

/// The connection and the statements of the membership.
extension FleetSession {
    /// One connection, from its opening to its end.
    final class Link {
        let connection: any FleetConnection
        let lanes: StatementLanes
        /// Whether the schema is supported.
        var isReady = false
        /// Whether the lease was renewed on this connection. Only then is it known what the database has.
        var isRenewed = false
        /// Whether a statement of the reports is in progress.
        var isReporting = false
        /// Whether reports wait for the next renewal, because a statement failed.
        var isPaused = false
        /// Whether the log has what this node had seen of it on other connections.
        var isVerified = false
        /// Whether that is being compared.
        var isVerifying = false

        init(connection: any FleetConnection, lanes: StatementLanes) {
            self.connection = connection
            self.lanes = lanes
        }
    }

    // MARK: Opening and closing

    func openLink() {
        let connection = parts.makeConnection()
        let link = Link(connection: connection, lanes: StatementLanes(loop: parts.loop, executor: connection))
        self.link = link
        connection.closed = { [weak self, weak link] error in
            guard let self, let link, link === self.link else { return }
            lose(link, FleetFault(error))
        }
        connection.notified = { [weak self] in
            if let channel = FleetChannel(named: $0.channel) { self?.notified?(channel) }
        }
        connection.connect { [weak self, weak link] result in
            guard let self, let link, link === self.link else { return }
            switch result {
            case .failure(let error): lose(link, FleetFault(error))
            case .success: checkSchema(link)
            }
        }
    }

    private func checkSchema(_ link: Link) {
        parts.check(link.lanes) { [weak self, weak link] result in
            guard let self, let link, link === self.link else { return }
            switch result {
            case .failure(let fault): lose(link, fault)
            case .success:
                link.isReady = true
                lease.connected()
                connected?()
                advance()
            }
        }
    }

    /// Ends a connection after a fault; another one follows after a delay.
    func lose(_ link: Link, _ fault: FleetFault) {
        guard link === self.link else { return }
        noteFault(fault, of: .lease)
        lease.disconnected(at: now)
        dropLink(fault)
        advance()
    }

    /// Closes the connection if there is one.
    func dropLink(_ fault: FleetFault? = nil) {
        guard let link else { return }
        self.link = nil
        link.connection.closed = nil
        let error = DatabaseError(
            .closed,
            fault.map { "the statement was not sent: \($0.message)" } ?? "the session ended"
        )
        link.lanes.close(error)
        link.connection.close()
        if link.isReady { disconnected?(fault ?? FleetFault(error)) }
    }

    // MARK: Statements

    func register() {
        let node = parts.node
        var epoch = ""
        sendFirst(
            MembershipStatements.register,
            { session in
                epoch = StorableText.text(session.parts.source.epoch)
                return [
                    .text(node.name), .text(node.location), node.url.map { .text($0) } ?? .null, .text(node.version),
                    .integer(Int64(node.capacity)), .text(epoch), .integer(session.lease.duration.microseconds),
                ]
            },
            { session, rows throws(DatabaseError) in
                let incarnation = try rows.count(0, 0)
                let reported = try rows.position(0, 1)
                session.lease.registered(as: incarnation)
                session.queue.adopt(epoch: epoch, reported: reported)
                session.log(
                    .info,
                    "registered in the fleet",
                    ["node": node.name, "location": node.location, "incarnation": "\(incarnation)"]
                )
            }
        )
    }

    func renew(isDeparting: Bool) {
        guard let identity = lease.identity else { return lease.failed(at: now) }
        var sent: UInt64 = 0
        var seen: LogMark?
        sendFirst(
            MembershipStatements.renew,
            { session in
                sent = session.now
                seen = session.parts.seen.mark
                return session.renewal(of: identity, isDeparting: isDeparting)
            },
            { session, rows throws(DatabaseError) in
                guard let answer = try LeaseAnswer(rows) else { return session.lease.rowMissing() }
                session.lease.renewed()
                session.take(answer, sent: sent, seen: seen)
            }
        )
    }

    func inspect() {
        sendFirst(
            MembershipStatements.incarnation,
            { [.text($0.parts.node.name)] },
            { session, rows throws(DatabaseError) in
                let stored = rows.rowCount == 0 ? nil : try rows.count(0, 0)
                guard session.lease.inspected(stored, at: session.now) else {
                    return session.noteFault(.notInitialized, of: .lease)
                }
                session.reportReplacement()
            }
        )
    }

    private func renewal(of identity: NodeIdentity, isDeparting: Bool) -> [DatabaseValue] {
        // What can be skipped is no backlog.
        _ = queue.read(parts.source)
        let standing = standing
        let oldest = standing.oldestUnreported.map { ($0 + skew.estimate).microseconds }
        return [
            .text(identity.name), .integer(identity.incarnation), .integer(lease.duration.microseconds),
            .integer(Int64(clamping: standing.backlog)), oldest.map { .integer($0) } ?? .null,
            .integer(skew.estimate.microseconds), .integer((skew.roundTrip ?? .zero).microseconds),
            network.map { .text(StorableText.text($0)) } ?? .null, .bool(isDeparting),
        ]
    }

    /// Executes a statement of the lease before all others.
    private func sendFirst(
        _ statement: Statement,
        _ parameters: @escaping (FleetSession) -> [DatabaseValue],
        _ take: @escaping (FleetSession, DatabaseRows) throws(DatabaseError) -> Void
    ) {
        guard let link else { return lease.failed(at: now) }
        link.lanes.executeFirst { [weak self, weak link] in
            guard let self, link === self.link else { return nil }
            lease.sent(at: now)
            return (statement, parameters(self))
        } completion: { [weak self, weak link] result in
            guard let self, let link, link === self.link else { return }
            do throws(DatabaseError) {
                try take(self, result.get())
            } catch {
                noteFault(FleetFault(error), of: .lease)
                // Another connection may succeed: settings of the role, such as its time limits, are those of its beginning.
                if error.endsConnection || !lease.isValid(at: now) { return lose(link, FleetFault(error)) }
                lease.failed(at: now)
            }
            advance()
        }
    }

    private func take(_ answer: LeaseAnswer, sent: UInt64, seen: LogMark?) {
        let arrived = now
        skew.measure(
            database: answer.now,
            wall: .milliseconds(parts.wall.now().milliseconds),
            roundTrip: .nanoseconds(Int64(clamping: arrived - sent)),
            elapsed: .nanoseconds(Int64(clamping: arrived - (measuredAt ?? arrived)))
        )
        measuredAt = arrived
        self.answer = answer
        if queue.epoch != nil { queue.reconcile(answer.reported) }
        link?.isRenewed = true
        link?.isPaused = false
        clearFault(of: .lease)
        // Before the others, whose statements follow.
        verifyLog(answer, seen: seen)
        renewed?(answer)
    }

    private func reportReplacement() {
        guard case .replaced(let identity, let other) = lease.membership else { return }
        // The database works; it is another one's.
        faults = FaultRecord()
        log(
            .error,
            "another process registered the name of this node; this process stops reporting. Give each node its own name "
                + "(fleet.node) and restart",
            ["node": identity.name, "incarnation": "\(identity.incarnation)", "replaced_by": "\(other)"]
        )
    }
}

extension DatabaseError {
    /// Whether a connection is of no use after the error: it ended, or the server refuses what it would also refuse later, as one that
    /// became a standby. Another host of the URI may accept it.
    var endsConnection: Bool {
        switch reason {
        case .statementTimeout, .lockTimeout, .diskFull, .outOfResources, .serialization, .invalidInput, .constraint,
            .unexpectedAnswer, .queueFull:
            false
        default: true
        }
    }
}
