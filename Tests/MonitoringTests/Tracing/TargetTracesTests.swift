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

    @Test("A trace that ends before the last router: path, the router, and the one that followed it before")
    func broken() throws {
        let good = TraceResult.reached(Self.request, by: Self.routers)
        let failed = TraceResult.silent(Self.request, behind: Array(Self.routers.prefix(2)))
        let traces = Self.traces(good, failed)
        let diagnosis = traces.diagnosis(gateway: Self.gateway)
        #expect(diagnosis?.rule == .pathBroken && diagnosis?.cause == .path && diagnosis?.reason == .timeout)
        #expect(
            diagnosis?.detail
                == "the path stops behind 203.0.113.1 (hop 2), which led on to 203.0.113.2 at 1970-01-01T00:00:00.000Z"
        )
        #expect(traces.good?.result == good && traces.latest?.result == failed)
        let end = try #require(diagnosis?.pathEnd)
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

    @Test("A trace that ends at the last router, or without a good one, proves nothing against the path")
    func unproven() {
        let good = TraceResult.reached(Self.request, by: Self.routers)
        #expect(Self.traces(good, .silent(Self.request, behind: Self.routers)).diagnosis(gateway: nil) == nil)
        #expect(Self.traces(.silent(Self.request, behind: Self.routers)).diagnosis(gateway: nil) == nil)
        #expect(Self.traces(good, .silent(Self.request, behind: [])).diagnosis(gateway: nil) == nil)
        #expect(Self.traces(good).diagnosis(gateway: nil) == nil)
        #expect(TargetTraces().diagnosis(gateway: nil) == nil)
    }

    @Test("A good trace to another address is not compared")
    func otherAddress() {
        let other = TraceRequest(destination: IPAddress(ipv4: 0xC633_6402), method: .icmp)
        let traces = Self.traces(
            .reached(other, by: Self.routers),
            .silent(Self.request, behind: Array(Self.routers.prefix(2)))
        )
        #expect(traces.good == nil && traces.comparison == nil && traces.diagnosis(gateway: nil) == nil)
    }

    @Test("A loop is the path's; an ICMP error is its sender's")
    func reported() {
        let loop = TraceResult.silent(
            Self.request,
            behind: ["192.0.2.1", "203.0.113.1", "203.0.113.2", "203.0.113.1", "203.0.113.2", "203.0.113.1"]
        )
        let looped = Self.traces(loop).diagnosis(gateway: Self.gateway)
        #expect(looped?.rule == .pathBroken && looped?.reason == .ttlExceeded)
        #expect(looped?.detail == "the packets circulate between 203.0.113.1 and 203.0.113.2")
        for (index, rule) in [(0, CauseRule.gatewayRejects), (2, .routerRejects)] {
            let error = PacketError(
                systemError: EHOSTUNREACH,
                message: PacketError.Message(
                    family: .ipv4,
                    type: 3,
                    code: 13,
                    offender: IPAddress(Self.routers[index])
                ),
                local: IPAddress("192.0.2.2"),
                peer: Self.request.destination
            )
            let failed = TraceResult.result(Self.request, Array(Self.routers.prefix(index + 1)), .error(error))
            let diagnosis = Self.traces(failed).diagnosis(gateway: Self.gateway)
            #expect(diagnosis?.rule == rule && diagnosis?.reason == .prohibited)
            #expect(diagnosis?.offender?.address == IPAddress(Self.routers[index]))
        }
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
        for ordinal in 0..<UInt64(1_000) {
            let place = try Self.place("198.51.\(ordinal % 4).\(ordinal / 4 % 250)")
            if limits.startFailed(ordinal, place, at: 1) { started += 1 }
        }
        #expect(started == 4)
        for ordinal in 0..<UInt64(1_000) {
            if limits.startFailed(2_000 + ordinal, try Self.place("10.\(ordinal / 250).\(ordinal % 250).1"), at: 1) {
                started += 1
            }
        }
        #expect(started == TraceLimits.concurrent && limits.inFlight == TraceLimits.concurrent)
    }

    @Test("The same place after 30 s, the same target after 5 min, or once it answered")
    func pauses() throws {
        var limits = TraceLimits()
        let place = try Self.place("198.51.100.1")
        func start(_ ordinal: UInt64, at now: UInt64, _ place: TraceLimits.Place) -> Bool {
            guard limits.startFailed(ordinal, place, at: now) else { return false }
            limits.end()
            return true
        }
        #expect(start(1, at: 0, place))
        #expect(!start(2, at: TraceLimits.samePlace - 1, place))
        #expect(start(2, at: 0, try Self.place("198.51.100.9", "192.0.2.9")), "behind another gateway")
        #expect(start(3, at: TraceLimits.samePlace, place))
        #expect(!start(1, at: TraceLimits.sameTarget - 1, place))
        limits.forget(1)
        #expect(start(1, at: TraceLimits.sameTarget - 1, place))
        #expect(start(3, at: TraceLimits.samePlace + TraceLimits.sameTarget, place))
    }
}
