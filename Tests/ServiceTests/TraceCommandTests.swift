// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@Suite("reachd trace", .timeLimit(.minutes(15)))
struct TraceCommandTests {
    @Test("a host one hop away that refuses: the hop, the refusal, exit status 0")
    func refused() throws {
        let result = try Reachd.run(["trace", "127.0.0.1:1"])
        #expect(result.status == 0)
        #expect(result.output.contains("127.0.0.1:1 (127.0.0.1) by tcp, port 1\n"))
        #expect(result.output.contains("refused: 127.0.0.1, 1 hop away, refuses: the connection is reset. "))
        let table = try Reachd.run(["trace", "-n", "127.0.0.1:1"], environment: ["COLUMNS": "120"]).lines
        #expect(table.contains { $0.firstMatch(of: /^HOP  ADDRESS {3} *MEDIAN$/) != nil }, "\(table)")
        #expect(table.contains { $0.firstMatch(of: /^  1  127\.0\.0\.1  \d[\d.]* .?s$/) != nil }, "\(table)")
        let json = try Reachd.run(["trace", "--json", "127.0.0.1:1"])
        #expect(json.output.contains(#""address":"127.0.0.1","method":"tcp","port":1,"outcome":"refused""#))
        #expect(json.output.contains(#""one_flow":true,"hops":[{"hop":1,"addresses":["127.0.0.1"],"sent":1,"lost":0,"#))
    }

    @Test("names of routers are of the system's resolver, unless --numeric")
    func names() throws {
        let named = try Reachd.run(["trace", "127.0.0.1:1"])
        #expect(named.output.contains("localhost (127.0.0.1)"))
        let json = try Reachd.run(["trace", "--json", "127.0.0.1:1"])
        #expect(json.output.contains(#""names":{"127.0.0.1":"localhost"}"#))
        let numeric = try Reachd.run(["trace", "--numeric", "127.0.0.1:1"])
        #expect(!numeric.output.contains("localhost"))
        #expect(try !Reachd.run(["trace", "-n", "--json", "127.0.0.1:1"]).output.contains("names"))
    }

    @Test("a service that listens is reached, by TCP and by its URL")
    func reached() throws {
        let server = try HookServer { _, _ in .status(200) }
        for target in ["127.0.0.1:\(server.port)", "http://127.0.0.1:\(server.port)/"] {
            let result = try Reachd.run(["trace", target])
            #expect(result.status == 0)
            #expect(result.output.contains("reached: 127.0.0.1, 1 hop away, answers. "))
        }
    }

    @Test("UDP: the closed port is named by its ICMP error")
    func datagrams() throws {
        let result = try Reachd.run(["trace", "--udp", "127.0.0.1:9"])
        #expect(result.status == 0)
        #expect(result.output.contains("refuses: the port is closed (ICMP type 3, code 3)"))
    }

    @Test(
        "wrong use names the option or the target",
        arguments: [
            ["trace"], ["trace", "-4", "-6", "a:1"], ["trace", "--hops", "65", "a:1"],
            ["trace", "--attempts", "0", "a:1"], ["trace", "--timeout", "61s", "a:1"], ["trace", "a:b:c"],
        ]
    )
    func usage(_ arguments: [String]) throws {
        #expect(try Reachd.run(arguments).status == 2)
    }

    @Test("a name without an address fails with status 1")
    func name() throws {
        let result = try Reachd.run(["trace", "-6", "name.invalid:1", "--timeout", "1s"])
        #expect(result.status == 1)
    }

    @Test(
        "three routers, and a firewall at the second: each hop, the router at fault, exit status 1",
        .enabled(if: Testbed.isAvailable && Testbed.firewallObstacle == nil, "\(Testbed.requirement)")
    )
    func routers() async throws {
        try await Testbed.with { testbed in
            try testbed.base()
            let chain = try RouterChain(3, behind: testbed)
            defer { chain.remove() }
            let target = "\(chain.address4):80"
            let open = try Reachd.run(["trace", target, "--timeout", "10s"], in: testbed.namespace)
            #expect(open.status == 0)
            for address in chain.addresses4 + [chain.address4] { #expect(open.output.contains(address)) }
            #expect(open.output.contains("refused: \(chain.address4), 4 hops away, refuses: the connection is reset"))
            try chain.reject(2, "admin-prohibited")
            let closed = try Reachd.run(["trace", target, "--timeout", "10s"], in: testbed.namespace)
            #expect(closed.status == 1)
            #expect(closed.output.contains("rejected: \(chain.addresses4[1]) (hop 2) says: a firewall prohibits"))
            #expect(!closed.output.contains(chain.addresses4[2]))
        }
    }
}
