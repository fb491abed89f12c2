// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import LinuxIO
internal import PostgreSQL

/// Which assignments were read: a restored database may repeat a version under another epoch.
struct AssignmentVersion: Sendable, Hashable {
    let identity: String
    let epoch: String
    let version: Int64

    init(_ answer: LeaseAnswer) {
        identity = answer.identity
        epoch = answer.epoch
        version = answer.assignment
    }
}

/// Reading the node's assignments and sending reports: one statement at a time, in the gaps between renewals.
extension FleetSession {
    /// How many batches without anything to send one turn reads.
    private static let batchesInTurn = 4

    /// Sends what can be sent now.
    func continueReports() {
        guard let link, link.isReady, link.isRenewed, !link.isReporting, !link.isPaused, !lease.isDeparting,
            lease.isValid(at: now), let identity = lease.identity, let answer
        else { return }
        if readVersion != AssignmentVersion(answer) {
            readAssignments(AssignmentVersion(answer))
        } else if queue.needsEpoch(parts.source) {
            beginEpoch(identity)
        } else if let tokens {
            sendBatch(identity, tokens)
        }
    }

    private func readAssignments(_ version: AssignmentVersion) {
        send(MembershipStatements.ownAssignments) {
            [.text($0.parts.node.name)]
        } take: { session, rows in
            let (assignments, skipped) = OwnAssignment.list(rows, location: session.parts.node.location)
            session.readVersion = version
            session.tokens = Dictionary(assignments.map { ($0.key, $0.token) }) { max($0, $1) }
            if skipped > 0 {
                session.log(
                    .warning,
                    "assignments of this node are invalid or belong to another location; they are ignored",
                    ["count": "\(skipped)", "location": session.parts.node.location]
                )
            }
            session.assignmentsChanged?(assignments)
        }
    }

    private func beginEpoch(_ identity: NodeIdentity) {
        let epoch = StorableText.text(parts.source.epoch)
        let end = LocalPosition(sequence: parts.source.newest, index: LocalPosition.lastIndex)
        send(ReportStatements.beginEpoch) { _ in
            [.text(identity.name), .integer(identity.incarnation), .text(epoch), .integer(end.stored)]
        } take: { session, rows throws(DatabaseError) in
            // Without a row the next renewal finds out why.
            guard rows.rowCount > 0 else {
                session.link?.isPaused = true
                return
            }
            session.queue.adopt(epoch: epoch, reported: try rows.position(0, 0))
        }
    }

    private func sendBatch(_ identity: NodeIdentity, _ tokens: [AssignmentKey: UInt64]) {
        guard let batch = nextBatch(tokens), let epoch = queue.epoch else { return }
        // A renewal before this statement can find that the database lost data: then the batch is not the next one any more.
        send(ReportStatements.report) { session in
            guard session.queue.pending == batch, session.lease.isValid(at: session.now) else { return nil }
            let isFirst = session.reportedAt.map { session.now > $0 + PollPace.quietTime } ?? true
            return [.text(identity.name), .integer(identity.incarnation), .text(epoch)]
                + batch.columns(skew: session.skew.estimate) + [.bool(isFirst)]
        } take: { session, rows throws(DatabaseError) in
            guard rows.rowCount > 0 else {
                session.queue.forgetEpoch()
                session.link?.isPaused = true
                return
            }
            let reported = try rows.position(0, 0)
            guard let last = batch.last, reported >= last else {
                throw DatabaseError(.unexpectedAnswer, "the stored position is before the batch's end")
            }
            session.reportedAt = session.now
            session.queue.acknowledge(reported)
            session.clearFault(of: .reports)
        }
    }

    /// Reads and filters until there is something to send; continues in another turn when there is much that is not reported.
    private func nextBatch(_ tokens: [AssignmentKey: UInt64]) -> ReportBatch? {
        let dropped = queue.dropped
        defer {
            if queue.dropped > dropped {
                log(
                    .info,
                    "reports of shards that this node does not have any more are not sent",
                    ["count": "\(queue.dropped - dropped)"]
                )
            }
        }
        for _ in 0..<Self.batchesInTurn {
            let isMore = queue.read(parts.source)
            if queue.pending == nil {
                if isMore { continue }
                clearFault(of: .reports)
                return nil
            }
            if let batch = queue.batch(for: tokens) { return batch }
        }
        advanceSoon()
        return nil
    }

    /// Executes a statement behind those that wait.
    private func send(
        _ statement: Statement,
        _ parameters: @escaping (FleetSession) -> [DatabaseValue]?,
        take: @escaping (FleetSession, DatabaseRows) throws(DatabaseError) -> Void
    ) {
        guard let link else { return }
        link.isReporting = true
        link.lanes.execute { [weak self, weak link] in
            guard let self, let link, link === self.link else { return nil }
            guard let parameters = parameters(self) else {
                link.isReporting = false
                advanceSoon()
                return nil
            }
            return (statement, parameters)
        } completion: { [weak self, weak link] result in
            guard let self, let link, link === self.link else { return }
            link.isReporting = false
            do throws(DatabaseError) {
                try take(self, result.get())
            } catch {
                handle(error, of: statement, link)
            }
            advance()
        }
    }

    private func handle(_ error: DatabaseError, of statement: Statement, _ link: Link) {
        if statement == ReportStatements.report, error.rejectsValues {
            // Smaller batches find the value that the server rejects.
            let dropped = queue.dropped
            queue.reject()
            if queue.dropped > dropped {
                log(.warning, "the database rejected a report, which is dropped: \(error.message)", [:])
            }
            return
        }
        if error.endsConnection { return lose(link, FleetFault(error)) }
        noteFault(FleetFault(error), of: .reports)
        link.isPaused = true
    }
}

extension DatabaseError {
    /// Whether the server rejects what a statement contains, so that repeating it is in vain.
    var rejectsValues: Bool {
        switch reason {
        case .invalidInput, .constraint: true
        default: false
        }
    }
}
