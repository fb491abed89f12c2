// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import HTTPServer
import MonitoringTestSupport
import NetworkPaths
import Probing
import Testing

import struct HTTPServer.HTTPHeader

@testable import Monitoring
@testable import ReachAPI

@Suite("/uplinks")
struct UplinkRouteTests {
    static let wired = DefaultGateway(IPAddress(ipv4: 0xc000_0201), interface: "eth0")
    static let mobile = DefaultGateway(IPAddress(ipv4: 0x0a00_0001), interface: "=wwan,\"0")

    /// Two uplinks: one that failed, and one that took over.
    static func fill(_ registry: Registry) {
        registry.environmentDidChange(NetworkEnvironment(gateways: [wired], families: [.ipv4]))
        _ = registry.take(.answers, of: wired, roundTrip: .microseconds(1_500))
        let trace = TraceRouteTests.trace(.reached, ["192.0.2.1", "10.1.1.1", "203.0.113.2"], at: 1_000)
        registry.take(trace, behind: wired)
        registry.environmentDidChange(
            NetworkEnvironment(gateways: [mobile], families: [.ipv4], lostGateways: [wired: .noCarrier])
        )
    }

    private let fixture = Fixture()

    @Test("JSON: state, outage, latencies, periods and months of each uplink, with a validator")
    func json() throws {
        #expect(fixture.respond("/uplinks").text == #"{"uplinks":[]}"#)
        Self.fill(fixture.registry)
        let uplinks = try #require(fixture.json("/uplinks")["uplinks"]?.array)
        #expect(uplinks.map { $0["id"]?.string } == ["eth0-192.0.2.1", "=wwan,\"0-10.0.0.1"])
        #expect(uplinks[0]["state"] == .string("lost"))
        #expect(uplinks[0][["outage", "cause"]] == .string("no_carrier"))
        #expect(uplinks[0][["gateway_latency", "round_trip_seconds"]] == .number(0.0015))
        #expect(uplinks[0][["public_hop", "address"]] == .string("203.0.113.2"))
        #expect(uplinks[0]["periods"]?.array?.count == 1)
        #expect(uplinks[1]["state"] == .string("in_use") && uplinks[1]["outage"] == nil)
        #expect(fixture.registry.target("gateway-192.0.2.1") == nil, "without automatic targets there is none")
    }

    @Test("A client that has the response gets 304")
    func validator() throws {
        fixture.registry.environmentDidChange(NetworkEnvironment(gateways: [Self.wired], families: [.ipv4]))
        let first = fixture.respond("/uplinks")
        let tag = try #require(first.headers.first { $0.name == "ETag" }?.value)
        #expect(fixture.respond("/uplinks", headers: [HTTPHeader("If-None-Match", tag)]).status == 304)
        Self.fill(fixture.registry)
        #expect(fixture.respond("/uplinks", headers: [HTTPHeader("If-None-Match", tag)]).status == 200)
    }

    @Test("CSV: one table of outages, periods or months, safe for spreadsheets")
    func csv() throws {
        Self.fill(fixture.registry)
        let outages = fixture.respond("/uplinks?format=csv")
        #expect(outages.headers.contains { $0.value == "text/csv; charset=utf-8; header=present" })
        let lines = outages.text.split(separator: "\r\n")
        #expect(lines.first == "uplink,interface,gateway,from,to,seconds,cause,end")
        #expect(lines.count == 2 && lines[1].hasPrefix("eth0-192.0.2.1,eth0,192.0.2.1,20"))
        #expect(lines[1].hasSuffix(",no_carrier,"))
        let periods = fixture.respond("/uplinks?format=csv&table=periods").text
        #expect(periods.contains(#""'=wwan,""0-10.0.0.1","'=wwan,""0",10.0.0.1,20"#))
        #expect(fixture.respond("/uplinks?format=csv&table=months").text.hasPrefix("uplink,interface,gateway,month,"))
    }

    @Test("Unknown parameters and values are refused", arguments: ["format=xml", "table=x", "x=1"])
    func refusals(query: String) {
        #expect(fixture.respond("/uplinks?\(query)").status == 400)
    }

    @Test("Metrics of each uplink")
    func metrics() {
        Self.fill(fixture.registry)
        let text = fixture.respond("/metrics").text
        #expect(text.contains(#"reachd_uplink_in_use{interface="eth0",gateway="192.0.2.1"} 0"#))
        #expect(text.contains(#"reachd_uplink_failed{interface="eth0",gateway="192.0.2.1"} 1"#))
        #expect(text.contains(#"reachd_uplink_outages_total{interface="eth0",gateway="192.0.2.1"} 1"#))
        #expect(
            text.contains(#"reachd_uplink_gateway_round_trip_seconds{interface="eth0",gateway="192.0.2.1"} 0.0015"#)
        )
    }
}
