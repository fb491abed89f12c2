// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Testing

@testable import Fleet

private let second: UInt64 = 1_000_000_000

@Suite("A node's lease") struct NodeLeaseTests {
    private static func makeLease(_ length: Duration = .seconds(5)) -> NodeLease {
        NodeLease(name: "node-1", length: length)
    }

    /// A lease that was registered and renewed at a time.
    private static func registered(at now: UInt64, incarnation: Int64 = 3) -> NodeLease {
        var lease = makeLease()
        lease.begin(.connect, at: now)
        lease.connected()
        lease.begin(.register, at: now)
        lease.registered(as: incarnation)
        lease.begin(.renew(isDeparting: false), at: now)
        lease.renewed()
        return lease
    }

    @Test("A node connects, registers, and renews at once and then every fifth of the lease")
    func start() {
        var lease = Self.makeLease()
        #expect(lease.step(at: 0) == .start(.connect))
        lease.begin(.connect, at: 0)
        #expect(lease.step(at: 0) == .wait(until: nil))
        lease.connected()
        #expect(lease.step(at: second) == .start(.register))
        lease.begin(.register, at: second)
        #expect(lease.step(at: second) == .wait(until: nil))
        #expect(!lease.isValid(at: second))
        lease.registered(as: 7)
        #expect(lease.membership == .registered(NodeIdentity(name: "node-1", incarnation: 7)))
        #expect(lease.validUntil == 6 * second)
        #expect(lease.step(at: 2 * second) == .start(.renew(isDeparting: false)))
        lease.begin(.renew(isDeparting: false), at: 2 * second)
        lease.renewed()
        #expect(lease.step(at: 2 * second) == .wait(until: 3 * second))
        #expect(lease.step(at: 3 * second) == .start(.renew(isDeparting: false)))
    }

    @Test("The lease is valid for its length from when the statement was handed over, not from its answer")
    func validity() {
        var lease = Self.registered(at: 10 * second)
        lease.begin(.renew(isDeparting: false), at: 11 * second)
        lease.sent(at: 12 * second)
        #expect(lease.validUntil == 15 * second)
        lease.renewed()
        #expect(lease.validUntil == 17 * second)
        #expect(lease.isValid(at: 17 * second - 1))
        #expect(!lease.isValid(at: 17 * second))
    }

    @Test("After a failure the node retries after a delay, and the lease ends when nothing succeeds")
    func failure() {
        var lease = Self.registered(at: 10 * second)
        lease.begin(.renew(isDeparting: false), at: 11 * second)
        lease.failed(at: 11 * second)
        guard case .wait(let retry?) = lease.step(at: 11 * second) else { return #expect(Bool(false)) }
        #expect((11 * second + second / 5)...(11 * second + 2 * second / 5) ~= retry)
        #expect(lease.step(at: retry) == .start(.renew(isDeparting: false)))
        #expect(lease.validUntil == 15 * second)
        #expect(!lease.isValid(at: 15 * second))
        #expect(lease.identity?.incarnation == 3)
    }

    @Test("After many failures the node retries at least four times within a lease")
    func manyFailures() {
        var lease = Self.registered(at: 10 * second)
        var now = 11 * second
        for _ in 0..<20 {
            lease.begin(.renew(isDeparting: false), at: now)
            lease.failed(at: now)
            guard case .wait(let retry?) = lease.step(at: now) else { return #expect(Bool(false)) }
            #expect(retry - now <= lease.length / 4)
            now = retry
        }
    }

    @Test("An interrupted connection keeps the incarnation, also beyond the end of the lease")
    func interruption() {
        var lease = Self.registered(at: 10 * second)
        lease.disconnected(at: 11 * second)
        #expect(lease.isValid(at: 14 * second))
        #expect(lease.step(at: 20 * second) == .start(.connect))
        lease.begin(.connect, at: 20 * second)
        lease.connected()
        #expect(!lease.isValid(at: 20 * second))
        #expect(lease.step(at: 20 * second) == .start(.renew(isDeparting: false)))
        lease.begin(.renew(isDeparting: false), at: 20 * second)
        lease.renewed()
        #expect(lease.isValid(at: 20 * second))
    }

    @Test("A missing row of a name that another process registered later is final")
    func replaced() {
        var lease = Self.registered(at: 10 * second)
        lease.begin(.renew(isDeparting: false), at: 11 * second)
        lease.rowMissing()
        #expect(!lease.isValid(at: 11 * second))
        #expect(lease.step(at: 11 * second) == .start(.inspect))
        lease.begin(.inspect, at: 11 * second)
        #expect(lease.inspected(4, at: 11 * second) == true)
        #expect(lease.membership == .replaced(NodeIdentity(name: "node-1", incarnation: 3), by: 4))
        lease.disconnected(at: 12 * second)
        lease.isHealthy = true
        lease.depart()
        #expect(lease.step(at: 100 * second) == .end)
    }

    @Test("A database that lost the registration gets another one", arguments: [nil, 2] as [Int64?])
    func lostRegistration(_ stored: Int64?) {
        var lease = Self.registered(at: 10 * second)
        lease.begin(.renew(isDeparting: false), at: 11 * second)
        lease.rowMissing()
        lease.begin(.inspect, at: 11 * second)
        #expect(lease.inspected(stored, at: 11 * second) == true)
        #expect(lease.step(at: 11 * second) == .start(.register))
    }

    @Test("A missing row although the registration exists is a failure that is retried")
    func unexplained() {
        var lease = Self.registered(at: 10 * second)
        lease.begin(.renew(isDeparting: false), at: 11 * second)
        lease.rowMissing()
        lease.begin(.inspect, at: 11 * second)
        #expect(lease.inspected(3, at: 11 * second) == false)
        #expect(!lease.isValid(at: 11 * second))
        guard case .wait(until: .some) = lease.step(at: 11 * second) else { return #expect(Bool(false)) }
        #expect(lease.step(at: 12 * second) == .start(.renew(isDeparting: false)))
    }

    @Test("An unhealthy node does not renew until it is healthy again")
    func health() {
        var lease = Self.registered(at: 10 * second)
        lease.isHealthy = false
        #expect(lease.step(at: 11 * second) == .wait(until: nil))
        #expect(lease.isValid(at: 14 * second))
        #expect(!lease.isValid(at: 15 * second))
        lease.isHealthy = true
        #expect(lease.step(at: 16 * second) == .start(.renew(isDeparting: false)))
    }

    @Test("A departing node renews once more and does nothing after it", arguments: [true, false])
    func departure(succeeds: Bool) {
        var lease = Self.registered(at: 10 * second)
        lease.isHealthy = false
        lease.depart()
        #expect(lease.step(at: 10 * second) == .start(.renew(isDeparting: true)))
        lease.begin(.renew(isDeparting: true), at: 10 * second)
        if succeeds { lease.renewed() } else { lease.failed(at: 10 * second) }
        #expect(lease.membership == .departed(isStored: succeeds))
        #expect(lease.step(at: 20 * second) == .end)
        #expect(!lease.isValid(at: 10 * second))
    }

    @Test("A departing node without a connection does not wait for one")
    func departureWithoutConnection() {
        var lease = Self.registered(at: 10 * second)
        lease.disconnected(at: 11 * second)
        lease.begin(.connect, at: 12 * second)
        lease.depart()
        #expect(lease.step(at: 12 * second) == .end)
    }

    @Test("A departure waits for the renewal in progress")
    func departureAfterRenewal() {
        var lease = Self.registered(at: 10 * second)
        lease.begin(.renew(isDeparting: false), at: 11 * second)
        lease.depart()
        #expect(lease.step(at: 11 * second) == .wait(until: nil))
        lease.renewed()
        #expect(lease.step(at: 11 * second) == .start(.renew(isDeparting: true)))
    }

    @Test("Another length takes effect with the next renewal, within the limits")
    func length() {
        var lease = Self.registered(at: 10 * second)
        lease.setLength(.seconds(10))
        #expect(lease.validUntil == 15 * second)
        lease.begin(.renew(isDeparting: false), at: 11 * second)
        lease.renewed()
        #expect(lease.validUntil == 21 * second)
        #expect(lease.step(at: 11 * second) == .wait(until: 13 * second))
        lease.setLength(.zero)
        #expect(lease.duration == .seconds(1))
        lease.setLength(.seconds(100_000))
        #expect(lease.duration == .seconds(3600))
    }

    @Test("Late results of an operation that ended are ignored")
    func lateResults() {
        var lease = Self.registered(at: 10 * second)
        lease.begin(.renew(isDeparting: false), at: 11 * second)
        lease.disconnected(at: 11 * second)
        let before = lease.validUntil
        lease.renewed()
        lease.registered(as: 99)
        lease.rowMissing()
        lease.connected()
        _ = lease.inspected(99, at: 12 * second)
        lease.failed(at: 12 * second)
        #expect(lease.validUntil == before)
        #expect(lease.membership == .registered(NodeIdentity(name: "node-1", incarnation: 3)))
        #expect(!lease.isConnected)
    }
}
