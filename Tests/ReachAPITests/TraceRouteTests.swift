// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import HTTPServer
import MonitoringTestSupport
import NetworkPaths
import Synchronization
import Testing

@testable import Monitoring
@testable import Probing
@testable import ReachAPI

@Suite("/targets/{id}/trace")
struct TraceRouteTests {
    private let fixture = Fixture(hasProbes: true)

    static func trace(_ end: TraceResult.End, _ addresses: [String], at: Int64) -> TargetTrace {
        let hops = addresses.enumerated().map { index, address in
            TraceHop(
                number: index + 1,
                addresses: IPAddress(address).map { [$0] } ?? [],
                roundTrips: IPAddress(address) == nil ? [] : [.milliseconds(2), .milliseconds(3), .milliseconds(5)],
                sent: 3,
                icmp: TraceHop.ICMPCode(type: 11, code: 0),
                labels: index == 1 ? [MPLSLabel(label: 17, trafficClass: 0, isBottom: true, timeToLive: 1)] : []
            )
        }
        let result = TraceResult(
            request: TraceRequest(destination: IPAddress(ipv4: 0xC633_6401), method: .tcp(port: 80)),
            hops: hops,
            end: end,
            duration: .milliseconds(20),
            packetsSent: 3 * hops.count,
            isOneFlow: true
        )
        return TargetTrace(result, at: Timestamp(milliseconds: at))
    }

    static let routers = ["192.0.2.1", "203.0.113.1", "203.0.113.2"]

    @Test("GET shows the last trace, the last good one and the comparison; POST traces first")
    func traces() throws {
        fixture.registry.apply(targets: [try .probed("web")])
        #expect(fixture.respond("/targets/web/trace").text == #"{"target":"web"}"#)
        var traces = TargetTraces()
        traces.store(Self.trace(.reached, Self.routers + ["198.51.100.1"], at: 1_000))
        fixture.probes.state.withLock { state in
            state.traces["web"] = traces
            state.trace = Self.trace(.silent, Array(Self.routers.prefix(2)), at: 2_000)
        }
        let response = fixture.post("/targets/web/trace")
        #expect(response.status == 200, "\(response.text)")
        let body = try JSONValue(parsing: response.bytes)
        #expect(body[["latest", "outcome"]] == .string("silent"))
        #expect(body[["latest", "detail"]] == .string("no answer from behind 203.0.113.1 (hop 2)"))
        #expect(body[["latest", "hops"]]?.array?.count == 2)
        #expect(body[["last_good", "outcome"]] == .string("reached"))
        #expect(body["comparison"] == .string("stops behind 203.0.113.1 (hop 2), which led on to 203.0.113.2"))
        #expect(body["last_hop"] == .object(["address": .string("203.0.113.1"), "hop": .number(2)]))
        #expect(body[["next_hop", "address"]] == .string("203.0.113.2") && body[["next_hop", "hop"]] == .number(3))
        #expect(body[["next_hop", "at"]] == .string("1970-01-01T00:00:01.000Z"))
        let good = try fixture.json("/targets/web/trace")
        #expect(good[["latest", "outcome"]] == .string("reached") && good["comparison"] == nil)
        #expect(good["last_hop"] == nil && good["next_hop"] == nil)
    }

    @Test("404 without the target; 409 for what cannot be traced")
    func refusals() throws {
        var hidden = try TargetSettings.probed("hidden")
        hidden.hidesAddress = true
        fixture.registry.apply(targets: [try .probed("web"), try .calling("push"), .address("path"), hidden])
        #expect(fixture.respond("/targets/none/trace").status == 404)
        #expect(fixture.post("/targets/none/trace").status == 404)
        for id in ["web", "push", "path", "hidden"] { #expect(fixture.post("/targets/\(id)/trace").status == 409) }
        #expect(fixture.respond("/targets/hidden/trace").status == 409)
        #expect(fixture.post("/targets/web/trace", peer: "192.0.2.1:1").status == 403)
        let cancelled = TraceResult.End.fault(ProbeFault(reason: .cancelled, detail: "the trace was cancelled"))
        fixture.probes.state.withLock { $0.trace = Self.trace(cancelled, [], at: 1_000) }
        #expect(fixture.post("/targets/web/trace").status == 503)
    }
}
