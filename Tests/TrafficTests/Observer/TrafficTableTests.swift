// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO
import Testing

@testable import Traffic

@Suite("The table of watched targets") struct TrafficTableTests {
    private static let target = TrafficEndpoint(IPAddress(ipv4: 0xc000_0201), port: 443)
    private static let other = TrafficEndpoint(IPAddress(ipv4: 0xc633_6401), port: 50_000)
    private static let own = TrafficEndpoint(IPAddress(ipv4: 0xc000_0202), port: 50_001)
    private static let second = SubscriptionRation.second

    private static func take(_ message: SampleMessage, _ table: inout TrafficTable, at now: UInt64 = 5)
        -> [TrafficChange]?
    {
        var outcome: [TrafficChange]?
        unsafe message.bytes.withUnsafeBytes { bytes in
            unsafe DiagReply.forEach(in: NetlinkBytes(bytes)) { reply, _ in
                guard case .socket(let message) = reply, case .counted(let failed) = table.take(message, at: now)
                else { return }
                outcome = failed
            }
        }
        return outcome
    }

    private static func table() -> TrafficTable {
        var table = TrafficTable(at: 0)
        _ = table.watch(["a": [target], "b": [target, target], "c": [other]])
        return table
    }

    @Test("a connection counts for each target on either side of it")
    func sides() throws {
        var table = Self.table()
        #expect(Self.take(.client.between(Self.own, Self.target), &table)?.map(\.target).sorted() == ["a", "b"])
        for id in ["a", "b"] {
            let report = try #require(table.report(of: id, lastMinutes: 1, at: 6))
            #expect(report.total.connections == 1)
            #expect(report.total.served == 0)
            #expect(report.summary.standing.lastSuccess == 5)
        }
        #expect(table.report(of: "c", lastMinutes: 1, at: 6)?.total == TrafficCounts())
        // The target's side of a connection from elsewhere.
        #expect(Self.take(.client.between(Self.target, Self.own), &table) == [])
        #expect(table.report(of: "a", lastMinutes: 1, at: 6)?.total.served == 1)
        #expect(table.report(of: "x", lastMinutes: 1, at: 6) == nil)
    }

    @Test("a connection inside this machine counts once, as the client's")
    func inside() {
        var table = TrafficTable(at: 0)
        let local = TrafficEndpoint(IPAddress(ipv4: 0x7f00_0001), port: 8080)
        _ = table.watch(["a": [local]])
        #expect(Self.take(.client, &table)?.map(\.ending) == [.closed])
        #expect(Self.take(.served, &table) == [])
        #expect(table.report(of: "a", lastMinutes: 1, at: 6)?.total.connections == 1)
        #expect(table.statistics.connections == 1)
        #expect(table.statistics.messages == 2)
    }

    @Test("connections of others are discarded and only counted")
    func others() {
        var table = Self.table()
        let strangers = TrafficEndpoint(IPAddress(ipv4: 0x0808_0808), port: 443)
        #expect(Self.take(.client.between(Self.own, strangers), &table) == nil)
        // The same address with another port, and a listener of the target's endpoint.
        let near = TrafficEndpoint(Self.target.address, port: 80)
        #expect(Self.take(.client.between(Self.own, near), &table) == nil)
        let listener = TrafficEndpoint(IPAddress(ipv4: 0), port: 0)
        #expect(Self.take(.client.between(Self.target, listener), &table) == nil)
        #expect(table.statistics.others == 3)
        #expect(table.statistics.connections == 0)
    }

    @Test("a failed attempt is reported for each target, at most once a second")
    func failures() {
        var table = Self.table()
        let refused = SampleMessage.refused.between(Self.own, Self.target)
        let first = Self.take(refused, &table, at: 7)
        #expect(first?.map(\.target).sorted() == ["a", "b"])
        #expect(first?.allSatisfy { $0.ending == .refused && $0.endpoint == Self.target && $0.time == 7 } == true)
        #expect(Self.take(refused, &table, at: 7 + Self.second - 1) == [])
        #expect(Self.take(refused, &table, at: 7 + Self.second)?.count == 2)
        #expect(table.report(of: "a", lastMinutes: 1, at: 7 + Self.second)?.total.refused == 3)
    }

    @Test("a possible failure is reported once a second, whatever fails or succeeds, and changes no standing")
    func possibleFailures() {
        var table = Self.table()
        let abandoned = SampleMessage.refused.with(.segmentsIn, 0).between(Self.own, Self.target)
        let refused = SampleMessage.refused.between(Self.own, Self.target)
        let closed = SampleMessage.client.between(Self.own, Self.target)
        #expect(Self.take(abandoned, &table, at: 7)?.map(\.isPossibleFailure) == [true, true])
        #expect(Self.take(refused, &table, at: 8)?.count == 2)
        #expect(Self.take(closed, &table, at: 9)?.count == 2)
        #expect(Self.take(abandoned, &table, at: 6 + Self.second) == [])
        #expect(Self.take(closed, &table, at: 6 + Self.second) == [])
        #expect(Self.take(abandoned, &table, at: 7 + Self.second)?.count == 2)
        let standing = table.summary(of: "a")?.standing
        #expect(standing?.failuresInARow == 0)
        #expect(standing?.lastFailure == 8)
        // The other end gave up: this machine serves the target.
        let served = SampleMessage.refused.with(.segmentsIn, 0).between(Self.target, Self.own)
        #expect(Self.take(served, &table, at: 9 * Self.second) == [])
    }

    @Test("a success is reported after a reported failure, and after ten seconds without one")
    func successes() {
        var table = Self.table()
        let closed = SampleMessage.client.between(Self.own, Self.target)
        let refused = SampleMessage.refused.between(Self.own, Self.target)
        #expect(Self.take(closed, &table, at: 7)?.map(\.ending) == [.closed, .closed])
        #expect(Self.take(closed, &table, at: 8) == [])
        #expect(Self.take(refused, &table, at: 9)?.count == 2)
        #expect(Self.take(closed, &table, at: 10)?.map(\.isFailure) == [false, false])
        #expect(Self.take(closed, &table, at: 9 + 10 * Self.second) == [])
        #expect(Self.take(closed, &table, at: 9 + 20 * Self.second)?.count == 2)
        let standing = table.summary(of: "a")?.standing
        #expect(standing?.failuresInARow == 0)
        #expect(standing?.failure == .refused)
    }

    @Test("an endpoint counts for 64 targets; the next is watched when it is updated after one was dropped")
    func sharers() {
        var table = TrafficTable(at: 0)
        for number in 1...65 { _ = table.update("t\(number)", [Self.target]) }
        #expect(Self.take(.refused.between(Self.own, Self.target), &table)?.count == 64)
        let isChanged = table.update("t1", nil)
        #expect(!isChanged)
        _ = table.update("t65", [Self.target])
        #expect(Self.take(.refused.between(Self.own, Self.target), &table, at: 5 + Self.second)?.count == 64)
        #expect(table.summary(of: "t65")?.sinceStart.refused == 1)
    }

    @Test("an excluded socket is neither counted nor reported, once")
    func excluded() {
        var table = Self.table()
        let refused = SampleMessage.refused.between(Self.own, Self.target)
        table.exclude(refused.parse { $0.cookie } ?? 0)
        #expect(Self.take(refused, &table) == [])
        #expect(table.statistics.excluded == 1)
        #expect(Self.take(refused, &table)?.count == 2)
        var sockets = ExcludedSockets(capacity: 2)
        for cookie in UInt64(1)...3 { sockets.insert(cookie) }
        let remembered = (UInt64(1)...3).map { sockets.remove($0) }
        #expect(remembered == [false, true, true])
    }

    @Test("targets that stay keep their records, others are dropped; equal endpoints are no change")
    func watch() {
        var table = Self.table()
        _ = Self.take(.client.between(Self.own, Self.target), &table)
        let isChangedByID = table.watch(["a": [Self.target], "d": [Self.other]])
        #expect(!isChangedByID)
        #expect(table.report(of: "a", lastMinutes: 1, at: 6)?.total.connections == 1)
        #expect(table.report(of: "b", lastMinutes: 1, at: 6) == nil)
        let isChangedByEndpoint = table.watch(["a": [Self.other]])
        #expect(isChangedByEndpoint)
        #expect(table.report(of: "a", lastMinutes: 1, at: 6)?.total.connections == 1)
        #expect(Self.take(.client.between(Self.own, Self.target), &table) == nil)
        _ = table.watch(["a": [], "b": [TrafficEndpoint(Self.own.address, port: 0)]])
        #expect(table.targetsByEndpoint.isEmpty)
    }
}
