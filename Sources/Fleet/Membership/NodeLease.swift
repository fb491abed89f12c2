// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import LinuxIO

/// A node's lease: decides when to connect, to register and to renew, and how long the lease is valid.
///
/// A value without clock and I/O. All times are nanoseconds of one clock that counts suspension (``SystemBootClock``). The owner asks
/// for the next step, begins it, and reports how it ended; only one operation is in progress at a time.
struct NodeLease: Sendable {
    /// What the database knows of the node, as far as the node knows.
    enum Membership: Sendable, Hashable {
        /// Not registered, or the database lost the registration.
        case unregistered
        /// Registered with this identity.
        case registered(NodeIdentity)
        /// A renewal found no row of this identity: it must be found out why.
        case missing(NodeIdentity)
        /// Another process registered the name later and owns it. Final: a process that registered again would replace the other
        /// one, which would do the same.
        case replaced(NodeIdentity, by: Int64)
        /// The node left the fleet, or the attempt failed. Final.
        case departed(isStored: Bool)
    }

    /// An operation on the database.
    enum Operation: Sendable, Hashable {
        /// Open a connection and check the schema.
        case connect
        /// Register under the next incarnation.
        case register
        /// Extend the lease, or end it when the node departs.
        case renew(isDeparting: Bool)
        /// Read which incarnation the database has for the name.
        case inspect
    }

    /// What to do next.
    enum Step: Sendable, Hashable {
        /// Begin an operation.
        case start(Operation)
        /// Ask again at a time; nil: after the next event.
        case wait(until: UInt64?)
        /// Close the connection: nothing follows.
        case end
    }

    /// The node's name.
    let name: String
    /// The length of the lease, in nanoseconds. A change takes effect with the next renewal.
    private(set) var length: UInt64
    /// The membership.
    private(set) var membership: Membership = .unregistered
    /// Until when the database does not consider the lease ended; nil before the first registration.
    private(set) var validUntil: UInt64?
    /// Whether a connection with a checked schema is open.
    private(set) var isConnected = false
    /// Whether the node works as it should. An unhealthy node lets its lease end, so that others take its shards.
    var isHealthy = true
    /// Whether the node leaves the fleet.
    private(set) var isDeparting = false

    private var operation: (kind: Operation, sent: UInt64)?
    private var nextRenewal: UInt64 = 0
    private var retryAt: UInt64 = 0
    private var delay: RetryDelay

    /// How often a lease is renewed while it lasts.
    static let renewals: UInt64 = 5
    /// The shortest and the longest lease.
    static let lengths: ClosedRange<Duration> = .seconds(1) ... .seconds(3600)

    /// Creates a lease that is not registered.
    ///
    /// - Parameters:
    ///   - name: the node's name.
    ///   - length: the length of the lease, limited to ``lengths``.
    ///   - random: spreads retries.
    init(
        name: String,
        length: Duration,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.name = name
        self.length = Self.nanoseconds(length)
        delay = RetryDelay(random: random)
    }

    /// The identity, while the node has one.
    var identity: NodeIdentity? {
        switch membership {
        case .registered(let identity), .missing(let identity), .replaced(let identity, _): identity
        case .unregistered, .departed: nil
        }
    }

    /// The length of the lease.
    var duration: Duration { .nanoseconds(Int64(clamping: length)) }

    /// Whether the node may send anything but a renewal: it is registered and its lease is valid.
    func isValid(at now: UInt64) -> Bool {
        guard case .registered = membership, let validUntil else { return false }
        return now < validUntil
    }

    // MARK: Deciding

    /// What to do next.
    func step(at now: UInt64) -> Step {
        switch membership {
        case .replaced, .departed: return .end
        case .unregistered, .registered, .missing: break
        }
        // A departure does not wait for a connection.
        if isDeparting, !isConnected { return .end }
        if operation != nil { return .wait(until: nil) }
        if isDeparting {
            guard case .registered = membership else { return .end }
            return .start(.renew(isDeparting: true))
        }
        guard isHealthy else { return .wait(until: nil) }
        guard now >= retryAt else { return .wait(until: retryAt) }
        guard isConnected else { return .start(.connect) }
        switch membership {
        case .unregistered: return .start(.register)
        case .missing: return .start(.inspect)
        default: return now >= nextRenewal ? .start(.renew(isDeparting: false)) : .wait(until: nextRenewal)
        }
    }

    // MARK: Events

    /// An operation that ``step(at:)`` demands begins.
    mutating func begin(_ kind: Operation, at now: UInt64) {
        operation = (kind, now)
    }

    /// The statement of the operation is handed to the server only now, because another one was in progress.
    mutating func sent(at now: UInt64) {
        operation?.sent = now
    }

    /// The connection is open and its schema is supported.
    mutating func connected() {
        guard end(.connect) != nil else { return }
        isConnected = true
        // Whatever happened meanwhile is learned by a renewal.
        nextRenewal = 0
    }

    /// The node is registered.
    mutating func registered(as incarnation: Int64) {
        guard let sent = end(.register) else { return }
        membership = .registered(NodeIdentity(name: name, incarnation: incarnation))
        validUntil = sent + length
        // The first renewal follows immediately and reads what every node needs to know.
        nextRenewal = 0
        delay.reset()
    }

    /// The lease is renewed, or the departure is stored.
    mutating func renewed() {
        if end(.renew(isDeparting: true)) != nil {
            validUntil = nil
            membership = .departed(isStored: true)
        } else if let sent = end(.renew(isDeparting: false)) {
            validUntil = max(validUntil ?? 0, sent + length)
            nextRenewal = sent + length / Self.renewals
            delay.reset()
        }
    }

    /// A renewal found no row of this identity.
    mutating func rowMissing() {
        if end(.renew(isDeparting: true)) != nil { return membership = .departed(isStored: false) }
        guard end(.renew(isDeparting: false)) != nil, case .registered(let identity) = membership else { return }
        membership = .missing(identity)
        validUntil = nil
    }

    /// The incarnation that the database has for the name was read.
    ///
    /// A higher one belongs to another process. A lower one, or none, means that the database lost data: the node registers again.
    ///
    /// - Parameter stored: nil when the name is not registered.
    /// - Returns: whether the answer explains the missing row. The same incarnation does not: the fleet's head row is missing.
    mutating func inspected(_ stored: Int64?, at now: UInt64) -> Bool {
        guard end(.inspect) != nil, case .missing(let identity) = membership else { return true }
        guard let stored, stored >= identity.incarnation else {
            membership = .unregistered
            return true
        }
        if stored > identity.incarnation {
            membership = .replaced(identity, by: stored)
            return true
        }
        membership = .registered(identity)
        retryAt = now + retryDelay()
        return false
    }

    /// The operation failed; it is repeated after a delay. A departure is not repeated.
    mutating func failed(at now: UInt64) {
        guard let ended = operation?.kind else { return }
        operation = nil
        if ended == .renew(isDeparting: true) { membership = .departed(isStored: false) }
        retryAt = now + retryDelay()
    }

    /// The connection ended. The lease stays valid as long as it is: nobody else has the node's shards before.
    mutating func disconnected(at now: UInt64) {
        isConnected = false
        if operation != nil {
            failed(at: now)
        } else if retryAt <= now {
            retryAt = now + retryDelay()
        }
    }

    /// The node leaves the fleet: one last renewal ends the lease, if there is a connection.
    mutating func depart() { isDeparting = true }

    /// The session ends; nothing more is sent.
    mutating func close() {
        operation = nil
        isConnected = false
        switch membership {
        case .replaced, .departed: break
        case .unregistered, .registered, .missing: membership = .departed(isStored: false)
        }
    }

    /// Renews the lease at a time, if it is not renewed before.
    mutating func renewSoon(at time: UInt64) { nextRenewal = min(nextRenewal, time) }

    /// Another length of the lease, limited to ``lengths``.
    mutating func setLength(_ length: Duration) { self.length = Self.nanoseconds(length) }

    /// At most a quarter of the lease: a node must return within one lease of the database's return, and when the outage was shorter
    /// than half a lease, before its own ends.
    private mutating func retryDelay() -> UInt64 { delay.next(atMost: length / 4) }

    /// Ends the operation if it is this one.
    ///
    /// - Returns: when it was sent.
    private mutating func end(_ kind: Operation) -> UInt64? {
        guard let operation, operation.kind == kind else { return nil }
        self.operation = nil
        return operation.sent
    }

    private static func nanoseconds(_ length: Duration) -> UInt64 {
        min(max(length, lengths.lowerBound), lengths.upperBound).nanoseconds
    }
}
