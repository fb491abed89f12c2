// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Monitoring
import MonitoringTestSupport
import Testing

@testable import ReachAPI

@Suite("Clients and pages that may make changes")
struct WriteRuleTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var peer = "127.0.0.1:4711"
        var origin: String?
        var host: String? = "localhost:7532"
        var site: String?
        var isAllowed = false
        var testDescription: String { "\(peer) \(origin ?? "-") \(host ?? "-") \(site ?? "-")" }

        var headers: [HTTPHeader] {
            [("Origin", origin), ("Host", host), ("Sec-Fetch-Site", site)].compactMap { name, value in
                value.map { HTTPHeader(name, $0) }
            }
        }
    }

    static let cases: [Case] = [
        // Where the client is.
        Case(isAllowed: true),
        Case(peer: "127.255.0.9:1", isAllowed: true),
        Case(peer: "[::1]:4711", isAllowed: true),
        Case(peer: "unix", isAllowed: true),
        Case(peer: "192.0.2.1:4711"),
        Case(peer: "128.0.0.1:4711"),
        Case(peer: "[2001:db8::1]:4711"),
        Case(peer: "[fe80::1%2]:4711"),
        Case(peer: "[::ffff:192.0.2.1]:4711"),
        Case(peer: "[::]:4711"),
        Case(peer: "0.0.0.0:1"),
        Case(peer: ""),
        Case(peer: "?"),
        Case(peer: "unix:1"),
        Case(peer: "localhost:1"),
        // Whose page it is.
        Case(origin: "http://localhost:7532", isAllowed: true),
        Case(origin: "https://localhost:7532", isAllowed: true),
        Case(origin: "http://127.0.0.1:7532", host: "127.0.0.1:7532", isAllowed: true),
        Case(origin: "http://[::1]:7532", host: "[::1]:7532", isAllowed: true),
        Case(peer: "unix", origin: "http://evil.example", host: "localhost"),
        Case(origin: "http://localhost:7533"),
        Case(origin: "http://localhost"),
        Case(origin: "http://127.0.0.1:7532"),
        Case(origin: "http://evil.example"),
        Case(origin: "null"),
        Case(origin: ""),
        Case(origin: "http://", host: ""),
        Case(origin: "http://localhost:7532", host: nil),
        Case(origin: "file://localhost:7532"),
        Case(origin: "http://localhost:7532.evil.example"),
        Case(origin: "http://localhost:7532 http://evil.example"),
        Case(host: nil, isAllowed: true),
        // What its browser says of it.
        Case(site: "none", isAllowed: true),
        Case(origin: "http://localhost:7532", site: "same-origin", isAllowed: true),
        Case(site: "cross-site"),
        Case(site: "same-site"),
        Case(site: ""),
        // A name that somebody made to lead here.
        Case(origin: "http://evil.example:7532", host: "evil.example:7532"),
        Case(peer: "unix", origin: "http://evil.example", host: "evil.example"),
        // By an address nobody can.
        Case(origin: "http://192.0.2.9:7532", host: "192.0.2.9:7532", isAllowed: true),
    ]

    @Test("Peers and pages", arguments: cases)
    func rule(_ example: Case) throws {
        let fixture = Fixture()
        fixture.registry.apply(targets: [.address("web")])
        for action in ["pause", "resume"] {
            let response = fixture.post("/targets/web/\(action)", headers: example.headers, peer: example.peer)
            #expect(response.status == (example.isAllowed ? 200 : 403))
            guard !example.isAllowed else { continue }
            #expect(try JSONValue(parsing: response.bytes)["type"] == .string("urn:reachd:problem:forbidden"))
        }
        #expect((fixture.registry.sequence > 1) == example.isAllowed)
    }

    @Test("A name of allowed_hosts may make changes")
    func allowedHost() {
        let fixture = Fixture(settings: APISettings(hosts: .loopback(also: ["reachd.example"])))
        fixture.registry.apply(targets: [.address("web")])
        func status(_ name: String) -> Int {
            let headers = [HTTPHeader("Host", "\(name):7532"), HTTPHeader("Origin", "http://\(name):7532")]
            return fixture.post("/targets/web/pause", headers: headers).status
        }
        #expect(status("reachd.example") == 200)
        #expect(status("localhost") == 200)
        #expect(status("evil.example") == 421)
    }

    @Test("Heartbeats are accepted from every address, but not from pages of other sites")
    func heartbeats() throws {
        let fixture = Fixture(hasProbes: true)
        fixture.registry.apply(targets: [try .calling("job")])
        func status(_ headers: [HTTPHeader] = []) -> Int {
            fixture.post("/targets/job/heartbeat", headers: headers, peer: "192.0.2.1:4711").status
        }
        #expect(status() == 204)
        #expect(status([HTTPHeader("Origin", "http://evil.example"), HTTPHeader("Host", "reachd.example")]) == 403)
        #expect(status([HTTPHeader("Sec-Fetch-Site", "cross-site")]) == 403)
        #expect(fixture.post("/targets/job/pause", peer: "192.0.2.1:4711").status == 403)
        #expect(fixture.post("/targets/job/probe", peer: "192.0.2.1:4711").status == 403)
    }
}
