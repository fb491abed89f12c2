// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Testing

@testable import ReachAPI

@Suite("The Host field on a loopback bind")
struct HostRuleTests {
    private var fixture: Fixture {
        var settings = APISettings()
        settings.hosts = .loopback(also: ["reachd.internal"])
        return Fixture(settings: settings)
    }

    @Test(
        "Names of this machine are accepted, others are 421",
        arguments: [
            ("localhost", 200), ("LOCALHOST:7532", 200), ("localhost.", 200), ("a.localhost", 200), ("127.0.0.1", 200),
            ("127.9.9.9:7532", 200), ("[::1]:7532", 200), ("[::1]", 200), ("reachd.internal:1", 200),
            ("evil.example", 421), ("localhost.evil.example", 421), ("192.0.2.1", 421), ("", 421), ("127.0.0.1.x", 421),
            ("[::2]", 421), ("xlocalhost", 421), ("::1", 421), ("[::1].evil.example", 421), ("[::1]evil", 421),
            ("localhost:evil", 421), ("localhost:65536", 421), ("user@localhost", 421), ("[127.0.0.1]", 421),
        ] as [(String, Int)]
    )
    func names(host: String, status: Int) {
        #expect(fixture.respond("/status", headers: [HTTPHeader("Host", host)]).status == status)
    }

    @Test("The authority of the absolute form overrides the Host field")
    func absoluteForm() {
        let field = HTTPHeader("Host", "localhost")
        #expect(fixture.respond("http://evil.example/status", headers: [field]).status == 421)
        #expect(fixture.respond("http://localhost:7532/status").status == 200)
    }

    @Test("A unix socket, a bind to all addresses and HTTP/1.0 without the field are not checked")
    func unasked() {
        let foreign = HTTPHeader("Host", "evil.example")
        let overUnix = HTTPRequest(method: "GET", path: "/status", headers: [foreign], peer: "unix")
        #expect(fixture.handler.respond(to: overUnix).status == 200)
        #expect(Fixture().respond("/status", headers: [foreign]).status == 200)
        #expect(fixture.respond("/status").status == 200)
    }
}
