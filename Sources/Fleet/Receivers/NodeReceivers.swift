// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import LinuxIO
internal import Monitoring
internal import PostgreSQL

/// A node's receivers of notifications on the thread of its membership: offers them, and learns which ones it serves.
final class NodeReceivers {
    private let session: FleetSession
    private var offers: [ReceiverOffer] = []
    /// What the database has: the offers, and of which run.
    private var stored: (identity: NodeIdentity, offers: [ReceiverOffer])?
    private var isOffering = false
    private var isClosed = false
    private var tracker = CutOffTracker()
    private var timer: (token: TimerToken, deadline: UInt64)?
    /// What other threads see.
    let shared: SharedReceivers

    init(session: FleetSession, shared: SharedReceivers) {
        self.session = session
        self.shared = shared
    }

    /// Replaces the receivers that the node can serve.
    func offer(_ offers: [ReceiverOffer]) {
        self.offers = offers.sorted { $0.name < $1.name }
        storeOffers()
    }

    /// Takes the answer to a renewal of the lease.
    ///
    /// - Parameter reported: the position in the node's own log up to which the database has its reports.
    func renewed(_ answer: LeaseAnswer, reported: Int64) {
        leaseChanged()
        tracker.renewed(at: session.now, reported: reported)
        publish()
        storeOffers()
        shared.grant(answer.receivers)
    }

    /// The lease may have ended, or the name may be another process's.
    func leaseChanged() {
        shared.setLease(until: isClosed ? nil : session.lease.validUntil)
        switch session.standing.phase {
        case _ where isClosed: tracker.end()
        case .replaced, .departed: tracker.end()
        case .joining, .member:
            if let end = session.lease.validUntil { tracker.extend(until: end, at: session.now) }
        }
        publish()
    }

    /// Replaces the targets whose changes this node reports while it is cut off.
    func hold(_ targets: Set<String>) { shared.hold(targets) }

    private func publish() {
        shared.setCutOff(tracker)
        guard timer?.deadline != tracker.deadline else { return }
        if let timer { session.parts.loop.cancel(timer.token) }
        timer = tracker.deadline.map { deadline in
            let token = session.parts.loop.schedule(at: deadline) { [weak self] in
                guard let self else { return }
                timer = nil
                tracker.turn(at: session.now)
                publish()
                if tracker.isCutOff { shared.notify() }
            }
            return (token, deadline)
        }
    }

    /// The node leaves: it serves nothing from now on.
    func close() {
        isClosed = true
        leaseChanged()
    }

    private func storeOffers() {
        guard let identity = session.lease.identity, session.isLeaseValid, !isOffering else { return }
        if let stored, stored.identity == identity, stored.offers == offers { return }
        let offers = offers
        isOffering = true
        session.execute(
            ReceiverStatements.offer,
            [.text(identity.name), .integer(identity.incarnation), .texts(offers.map(\.stored))]
        ) { [weak self] result in
            guard let self else { return }
            isOffering = false
            // A failure is repeated with the next renewal.
            guard case .success(let rows) = result, rows.rowCount == 1 else { return }
            stored = (identity, offers)
            storeOffers()
        }
    }

    // MARK: Offsets

    /// Reads where a receiver is to be continued; nil when it is not this node's any more.
    func position(
        of grant: ReceiverGrant,
        completion: @escaping (Result<ReceiverPosition?, FleetFault>) -> Void
    ) {
        let parameters: [DatabaseValue] = [.text(grant.name), .text(session.parts.node.name), .integer(grant.token)]
        session.execute(ReceiverStatements.position, parameters) { result in
            completion(
                result.flatMap { rows in
                    Result { () throws(DatabaseError) in
                        rows.rowCount == 0 ? nil : try ReceiverPosition(rows)
                    }
                }
                .mapError { FleetFault($0) }
            )
        }
    }

    /// Stores offsets.
    func store(
        _ offsets: [ReceiverProgress],
        epoch: String,
        completion: @escaping (Result<Set<String>, FleetFault>) -> Void
    ) {
        guard let identity = session.lease.identity else {
            return completion(.failure(FleetFault(DatabaseError(.closed, "the node is not registered"))))
        }
        session.execute(
            ReceiverStatements.store,
            [
                .text(identity.name), .integer(identity.incarnation), .text(epoch),
                .texts(offsets.map(\.grant.name)), .integers(offsets.map(\.grant.token)),
                .integers(offsets.map { Int64(clamping: $0.consumed) }),
                .texts(offsets.map { $0.progress.map { StorableText.text($0) } }),
                .texts(offsets.map { $0.changes.map { StorableText.text($0) } }),
            ]
        ) { completion(Self.names($0)) }
    }

    private static func names(_ result: Result<DatabaseRows, DatabaseError>) -> Result<Set<String>, FleetFault> {
        result.flatMap { rows in
            Result { () throws(DatabaseError) in
                var names: Set<String> = []
                for row in 0..<rows.rowCount { names.insert(try rows.text(row, 0)) }
                return names
            }
        }
        .mapError { FleetFault($0) }
    }
}
