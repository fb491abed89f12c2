// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Monitoring
internal import PostgreSQL
import Synchronization

/// A node's receivers of notifications on the thread of its membership: offers them, and learns which ones it serves.
final class NodeReceivers {
    private let session: FleetSession
    private var offers: [ReceiverOffer] = []
    /// What the database has: the offers, and of which run.
    private var stored: (identity: NodeIdentity, offers: [ReceiverOffer])?
    private var isOffering = false
    private var isClosed = false
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
    func renewed(_ answer: LeaseAnswer) {
        leaseChanged()
        storeOffers()
        shared.grant(answer.receivers)
    }

    /// The lease may have ended, or the name may be another process's.
    func leaseChanged() { shared.setLease(until: isClosed ? nil : session.lease.validUntil) }

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
                    Result { () throws(DatabaseError) in rows.rowCount == 0 ? nil : try ReceiverPosition(rows) }
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
                .texts(offsets.map { StorableText.text($0.progress) }),
            ]
        ) { result in
            completion(
                result.flatMap { rows in
                    Result { () throws(DatabaseError) in
                        var names: Set<String> = []
                        for row in 0..<rows.rowCount { names.insert(try rows.text(row, 0)) }
                        return names
                    }
                }
                .mapError { FleetFault($0) }
            )
        }
    }
}

/// Where a receiver is to be continued.
package struct ReceiverPosition: Sendable, Hashable {
    /// The log's last number up to which the receiver needs nothing more.
    package let consumed: UInt64
    /// The same in the form of the notifier that stored it; nil when none has.
    package let progress: String?
    /// The run of the log.
    package let epoch: String
    /// The number of the log's newest event.
    package let newest: UInt64

    fileprivate init(_ rows: DatabaseRows) throws(DatabaseError) {
        consumed = UInt64(clamping: try rows.count(0, 0))
        progress = try rows.optionalText(0, 1)
        epoch = try rows.shortText(0, 2)
        newest = UInt64(clamping: try rows.count(0, 3))
    }
}

/// An offset to store.
package struct ReceiverProgress: Sendable, Hashable {
    /// The receiver, with the token under which it is served.
    package let grant: ReceiverGrant
    /// The log's last number up to which the receiver needs nothing more.
    package let consumed: UInt64
    /// The same in the notifier's own form.
    package let progress: String

    /// Creates an offset.
    package init(_ grant: ReceiverGrant, consumed: UInt64, progress: String) {
        self.grant = grant
        self.consumed = consumed
        self.progress = progress
    }
}

/// What other threads see of a node's receivers.
final class SharedReceivers: Sendable {
    private struct State {
        var grants: [ReceiverGrant] = []
        var listeners: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    private let leaseEnd = Atomic<UInt64>(0)

    var grants: [ReceiverGrant] { state.withLock { $0.grants } }

    /// Whether the lease is valid.
    ///
    /// - Parameter now: the time of the membership's clock, in nanoseconds.
    func isLeaseValid(at now: UInt64) -> Bool { now < leaseEnd.load(ordering: .acquiring) }

    func onRenewal(_ listener: @escaping @Sendable () -> Void) { state.withLock { $0.listeners.append(listener) } }

    func setLease(until end: UInt64?) { leaseEnd.store(end ?? 0, ordering: .releasing) }

    func grant(_ grants: [ReceiverGrant]) {
        let listeners = state.withLock { state in
            state.grants = grants
            return state.listeners
        }
        for listener in listeners { listener() }
    }
}
