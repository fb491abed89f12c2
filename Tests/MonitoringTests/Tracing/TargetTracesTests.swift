// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import Probing
import Testing

@testable import Monitoring

@Suite("The traces of a target")
struct TargetTracesTests {
    private static let gateway = IPAddress("192.0.2.1")
    private static let routers = ["192.0.2.1", "203.0.113.1", "203.0.113.2", "203.0.113.3"]
    private static let request = TraceRequest(destination: IPAddress(ipv4: 0xC633_6401), method: .tcp(port: 80))

    private static func traces(_ results: TraceResult...) -> TargetTraces {
        var traces = TargetTraces()
        for (index, result) in results.enumerated() {
            traces.store(TargetTrace(result, at: Timestamp(milliseconds: Int64(index) * 1_000)))
        }
        return traces
    }

    @Test("The end of a trace that ends before the last router: the router, and the one that followed it before")
    func broken() throws {
        let good = TraceResult.reached(Self.request, by: Self.routers)
        let failed = TraceResult.silent(Self.request, behind: Array(Self.routers.prefix(2)))
        let traces = Self.traces(good, failed)
        #expect(traces.good?.result == good && traces.latest?.result == failed)
        let end = try #require(traces.end)
        #expect(end.lastHop?.description == "203.0.113.1 (hop 2)" && end.nextHop?.description == "203.0.113.2 (hop 3)")
        #expect(end.seenAt == Timestamp(milliseconds: 0))
    }

    @Test("The end of the path: the next hop only where it followed the last answer, and outside of loops")
    func end() throws {
        let good = TraceResult.reached(Self.request, by: Self.routers)
        #expect(Self.traces(good).end == nil)
        #expect(Self.traces(good, .silent(Self.request, behind: [])).end == nil)
        let elsewhere = TraceResult.silent(Self.request, behind: ["192.0.2.1", "203.0.113.77"])
        for traces in [Self.traces(good, elsewhere), Self.traces(elsewhere)] {
            let end = try #require(traces.end)
            #expect(end.lastHop?.description == "203.0.113.77 (hop 2)" && end.nextHop == nil && end.seenAt == nil)
        }
        let loop = ["192.0.2.1", "203.0.113.1", "203.0.113.2", "203.0.113.1", "203.0.113.2", "203.0.113.1"]
        #expect(try #require(Self.traces(good, .silent(Self.request, behind: loop)).end).nextHop == nil)
    }

    @Test("The last hop that was asked is no end of the path")
    func cutOff() {
        var request = Self.request
        request.maximumHops = Self.routers.count
        #expect(Self.traces(.silent(request, behind: Self.routers)).end == nil)
    }

    @Test("A good trace to another address is not compared")
    func otherAddress() {
        let other = TraceRequest(destination: IPAddress(ipv4: 0xC633_6402), method: .icmp)
        let traces = Self.traces(
            .reached(other, by: Self.routers),
            .silent(Self.request, behind: Array(Self.routers.prefix(2)))
        )
        #expect(traces.good == nil && traces.comparison == nil)
    }
}

@Suite("The limits of automatic traces")
struct TraceLimitsTests {
    private static func place(_ address: String, _ gateway: String = "192.0.2.1") throws -> TraceLimits.Place {
        TraceLimits.Place(gateway: IPAddress(gateway), destination: try #require(IPAddress(address)))
    }

    @Test("An outage of a thousand targets: one trace for each next hop and prefix, eight at once")
    func sample() throws {
        var limits = TraceLimits()
        var started = 0
        for index in 0..<1_000 {
            let place = try Self.place("198.51.\(index % 4).\(index / 4 % 250)")
            if limits.startFailed(place, since: 0, provenAt: 0, at: 1) { started += 1 }
        }
        #expect(started == 4)
        for index in 0..<1_000 {
            let place = try Self.place("10.\(index / 250).\(index % 250).1")
            if limits.startFailed(place, since: 0, provenAt: 0, at: 1) { started += 1 }
        }
        #expect(started == TraceLimits.concurrent && limits.inFlight == TraceLimits.concurrent)
    }

    @Test(
        "W7: a place after 30 s for a later failure, later for the same, and at once when packets came there since"
    )
    func pauses() throws {
        var limits = TraceLimits()
        let place = try Self.place("198.51.100.1")
        func start(
            since: UInt64,
            provenAt: UInt64 = 0,
            isExplained: Bool = false,
            at now: UInt64,
            _ place: TraceLimits.Place
        ) -> Bool {
            guard limits.startFailed(place, since: since, provenAt: provenAt, isExplained: isExplained, at: now) else {
                return false
            }
            limits.end()
            return true
        }
        #expect(start(since: 0, at: 1, place))
        #expect(!start(since: 2, at: TraceLimits.samePlace, place))
        #expect(start(since: 2, at: 2, try Self.place("198.51.100.9", "192.0.2.9")), "behind another gateway")
        #expect(!start(since: 0, at: TraceLimits.moved, place), "the trace told of this failure")
        #expect(start(since: 2, at: TraceLimits.samePlace + 1, place))
        let last = TraceLimits.samePlace + 1
        #expect(!start(since: last + 2, at: last + 3, place))
        #expect(start(since: last + 2, provenAt: last + 1, at: last + 3, place))
        let other = TraceLimits.moved + TraceLimits.samePlace
        #expect(!start(since: last, isExplained: true, at: last + 3 + other - 1, place))
        #expect(!start(since: last, at: last + 3 + other, place), "its host is at fault, and the trace told so")
        #expect(start(since: last, isExplained: true, at: last + 3 + other, place))
        #expect(start(since: last, at: last + 3 + other + TraceLimits.sameTarget, place))
    }

    @Test("The places of a long outage take turns: one trace a minute behind a gateway, and each place within 5 min")
    func turns() throws {
        var limits = TraceLimits()
        let places = try (0..<4).map { try Self.place("198.51.\($0).1") }
        var started: [Int: [UInt64]] = [:]
        for second in 0..<3_600 as Range<UInt64> {
            for (number, place) in places.enumerated() where (second + UInt64(number)).isMultiple(of: 30) {
                guard
                    limits.startFailed(
                        place,
                        since: 0,
                        provenAt: 0,
                        isExplained: true,
                        at: second * 1_000_000_000
                    )
                else { continue }
                limits.end()
                started[number, default: []].append(second)
            }
        }
        let all = started.values.joined().sorted()
        #expect(all.count >= 40 && all.count <= 80, "\(started)")
        #expect(zip(all, all.dropFirst()).allSatisfy { $1 - $0 <= 120 })
        for place in started.values { #expect(zip(place, place.dropFirst()).allSatisfy { $1 - $0 <= 330 }) }
        #expect(started.count == places.count)
    }
}
