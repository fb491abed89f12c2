// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Monitoring
import NetworkPaths
import Testing

import struct HTTPServer.HTTPHeader

@testable import ReachAPI

/// One client's requests never cost another client's.
@Suite("Rate limits of each client")
struct RequestBudgetTests {
    let fixture = Fixture(hasProbes: true)

    init() throws {
        fixture.registry.apply(targets: [try .probed("web"), try .calling("job"), try .calling("other")])
        fixture.handler.apply(AccessRules(writesPerSecond: 2))
    }

    private func post(_ path: String, _ peer: String, _ headers: [HTTPHeader] = []) -> Int {
        fixture.post(path, headers: headers, peer: peer).status
    }

    /// Sends until it is refused; the requests that were not, 20 of them at two a second.
    private func flood(_ path: String, _ peer: String, _ headers: [HTTPHeader] = []) -> Int {
        (0..<100).prefix { _ in post(path, peer, headers) != 429 }.count
    }

    @Test(
        "A client that floods one route is refused there; heartbeats and pauses of others succeed",
        arguments: [
            "/targets/x/heartbeat", "/targets/web/heartbeat", "/targets/job/heartbeat", "/targets/web/pause",
            "/-/reload", "/targets/%zz/pause",
        ]
    )
    func flooded(path: String) {
        let attacker = "192.0.2.66:4711"
        #expect(flood(path, attacker) == 20)
        for peer in ["192.0.2.7:1", "127.0.0.1:1", "127.0.0.2:1", "[2001:db8::1]:1", "unix"] {
            #expect(post("/targets/job/heartbeat", peer) == 204, "\(peer)")
        }
        for peer in ["127.0.0.1:1", "127.0.0.2:1", "[::1]:1", "unix"] {
            #expect(post("/targets/web/pause", peer) == 200, "\(peer)")
        }
        #expect(fixture.post(path, peer: attacker).header("Retry-After") == "1")
        fixture.uptime.nanoseconds += 500_000_000
        #expect(post(path, attacker) != 429)
    }

    @Test("Behind one address each kind, and the heartbeats of each target, have their own limit")
    func sharedAddress() {
        let shared = "127.0.0.1:1"
        #expect(flood("/targets/x/heartbeat", shared) == 20)
        #expect(post("/targets/job/heartbeat", shared) == 204)
        #expect(flood("/targets/job/heartbeat", shared) == 19)
        #expect(post("/targets/other/heartbeat", shared) == 204)
        #expect(post("/targets/web/pause", shared) == 200)
        #expect(flood("/targets/web/pause", shared) == 19)
        #expect(post("/targets/web/pause", "unix") == 200, "the way in that is left")
        #expect(post("/targets/other/heartbeat", shared) == 204)
    }

    @Test("Each token has its own limit from any address; requests without a token do not count")
    func tokens() throws {
        var rules = AccessRules(
            tokens: [
                try AccessTests.token("operator", [.read, .write]), try AccessTests.token("script", [.write]),
                try AccessTests.token("reader", [.read]),
            ]
        )
        rules.writesPerSecond = 2
        fixture.handler.apply(rules)
        let here = "192.0.2.66:1"
        let own = AccessTests.bearer("operator")
        #expect(flood("/targets/web/pause", here) == 20, "401")
        #expect(flood("/targets/web/pause", here, AccessTests.bearer("guess")) == 0)
        #expect(flood("/targets/web/pause", here, AccessTests.bearer("reader")) == 20, "403")
        #expect(flood("/targets/web/pause", "198.51.100.1:1", AccessTests.bearer("script")) == 20)
        #expect(flood("/targets/web/pause", "198.51.100.2:1", AccessTests.bearer("script")) == 0)
        #expect(post("/targets/web/pause", here, own) == 200)
        #expect(post("/targets/job/heartbeat", here, own) == 204)
        #expect(fixture.respond("/status", headers: own, peer: here).status == 200)
        #expect(fixture.respond("/status", peer: here).status == 429)
        #expect(fixture.respond("/livez", peer: here).status == 200)
    }

    @Test("IPv6 is limited per /64; link-local, loopback and IPv4 per address")
    func prefixes() {
        func client(_ peer: String) -> ClientIdentity {
            ClientIdentity(HTTPRequest(method: "GET", path: "/", peer: peer))
        }
        #expect(client("[2001:db8:0:1::1]:1") == client("[2001:db8:0:1:ffff::2]:9"))
        #expect(client("[2001:db8:0:1::1]:1") != client("[2001:db8:0:2::1]:1"))
        #expect(client("[fe80::1%2]:1") != client("[fe80::2%2]:1"))
        #expect(client("[::1]:1") != client("[::2]:1"))
        #expect(client("192.0.2.1:1") == client("192.0.2.1:2"))
        #expect(client("192.0.2.1:1") == client("[::ffff:192.0.2.1]:2"))
        #expect(client("192.0.2.1:1") != client("192.0.2.2:1"))
        #expect(client("unix") == .unixSocket)
        #expect(client("?") == .unknown)
    }

    @Test("Memory is bounded for any number of clients; the longest unused are evicted first")
    func bounded() {
        let time = FakeUptime()
        let budgets = RequestRateLimits { time.nanoseconds }
        budgets.apply(perSecond: 1)
        let busy = ClientIdentity.address(IPAddress(ipv4: 1))
        for _ in 0..<10 { #expect(budgets.spend(.change, by: busy) == nil) }
        for index in 0..<UInt32(RequestRateLimits.limit) * 3 {
            time.nanoseconds += 1
            _ = budgets.spend(.change, by: .address(IPAddress(ipv4: 1_000 + index)))
            if index % 100 == 0 { #expect(budgets.spend(.change, by: busy) != nil, "\(index)") }
        }
        #expect(budgets.count <= RequestRateLimits.limit)
        time.nanoseconds += 20_000_000_000
        #expect(budgets.spend(.change, by: busy) == nil)
    }
}
