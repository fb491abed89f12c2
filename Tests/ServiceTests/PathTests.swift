// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import TestSupport
import Testing

@Suite(.enabled(if: Testbed.isAvailable, Comment(rawValue: Testbed.requirement)))
struct PathTests {
    @Test("one line per target, in words or with flags in columns; exit 0 when all are reachable (linux-paths case 03)")
    func lines() async throws {
        try await Testbed.with { bed in
            try bed.base()
            let targets = [
                "default", "203.0.113.5", "192.0.2.9", "192.0.2.2", "192.0.2.2>203.0.113.5", "2001:db8:9::1",
            ]
            let result = try Reachd.run(["path", "-v"] + targets, in: bed.namespace)
            #expect(result.status == 0, "\(result.output)")
            #expect(
                result.lines == [
                    "default                0x00002  -R -------  wired_ethernet eth0  source=192.0.2.2 gateway=192.0.2.1",
                    "203.0.113.5            0x00002  -R -------  wired_ethernet eth0  source=192.0.2.2 gateway=192.0.2.1",
                    "192.0.2.9              0x20002  -R ------d  wired_ethernet eth0  source=192.0.2.2",
                    "192.0.2.2              0x30002  -R -----ld  loopback lo  source=192.0.2.2",
                    "192.0.2.2>203.0.113.5  0x00002  -R -------  wired_ethernet eth0  source=192.0.2.2 gateway=192.0.2.1",
                    "2001:db8:9::1          0x00002  -R -------  wired_ethernet eth0  source=2001:db8:1::2 gateway=2001:db8:1::1",
                ]
            )
            #expect(
                try Reachd.run(["path", "default", "192.0.2.9"], in: bed.namespace).lines == [
                    "default    reachable by eth0 (wired) via 192.0.2.1, source 192.0.2.2",
                    "192.0.2.9  reachable by eth0 (wired), source 192.0.2.2",
                ]
            )
        }
    }

    @Test("exit 1 when one is not reachable, with the reason (case 10)")
    func unreachable() async throws {
        try await Testbed.with { bed in
            try bed.base()
            try bed.i("route add prohibit 10.3.0.0/16")
            let targets = ["default", "10.3.0.1", "192.0.2.77>203.0.113.5"]
            let words = try Reachd.run(["path"] + targets, in: bed.namespace).lines
            #expect(
                words.dropFirst().first?.hasSuffix("  not reachable: prohibited by a route or rule") == true,
                "\(words)"
            )
            let result = try Reachd.run(["path", "-v"] + targets, in: bed.namespace)
            #expect(result.status == 1)
            #expect(result.lines.dropFirst().first?.contains("0x00000  -- -------  - -  reason=prohibited") == true)
            #expect(result.lines.last?.contains("reason=local_address_not_ours") == true)
        }
    }

    @Test("interface types and connections are declared by options (case 42, section 4.4)")
    func options() async throws {
        try await Testbed.with { bed in
            try bed.base()
            let wifi = try Reachd.run(["path", "-v", "--interface-type", "eth*=wifi", "default"], in: bed.namespace)
            #expect(wifi.status == 0 && wifi.output.contains("  wifi eth0  "))
            let cellular = try Reachd.run(
                ["path", "-v", "--interface-type", "eth*=cellular", "default"],
                in: bed.namespace
            )
            #expect(cellular.output.contains("0x40003  WR -t"))
            try bed.i("route add unreachable 10.0.0.0/8")
            let modes = [
                ("traffic", "0x0000f", 0), ("demand", "0x00027", 0), ("intervention", "0x0001f", 1),
                ("manual", "0x00007", 1),
            ]
            for (mode, flags, status) in modes {
                let result = try Reachd.run(
                    ["path", "-v", "--connection", "10.0.0.0/8=\(mode)", "10.1.1.1"],
                    in: bed.namespace
                )
                #expect(result.output.contains(flags), "\(result.output)")
                #expect(result.status == status, "\(mode)")
            }
        }
    }

    @Test("--json is the status block of the HTTP interface")
    func json() async throws {
        try await Testbed.with { bed in
            try bed.base()
            let result = try Reachd.run(["path", "--json", "192.0.2.9", "default%nosuch0"], in: bed.namespace)
            #expect(result.status == 1)
            #expect(result.lines.count == 1)
            #expect(
                result.output.hasPrefix(
                    "{\"paths\":[{\"target\":\"192.0.2.9\",\"path\":{\"status\":\"satisfied\","
                )
            )
            #expect(
                result.output.contains(
                    "\"flags\":{\"value\":131074,\"names\":[\"reachable\",\"is_direct\"],\"text\":\"-R ------d\"}"
                )
            )
            #expect(
                result.output.contains("\"system_configuration\":{\"status\":\"reachable_via_wifi\",\"status_code\":2,")
            )
            #expect(result.output.contains("{\"target\":\"default%nosuch0\",\"path\":{\"status\":\"unsatisfied\""))
            #expect(result.output.contains("\"unsatisfied_reason\":\"no_interface\""))
        }
    }

    @Test("--watch continues, each line with its time", arguments: [false, true])
    func watch(isJSON: Bool) async throws {
        try await Testbed.with { bed in
            try bed.base()
            let format = isJSON ? ["--json"] : ["-v"]
            let process = try Reachd.start(["path", "--watch", "192.0.2.9"] + format, in: bed.namespace)
            let first = try #require(process.readLine())
            #expect(first.contains(isJSON ? "\"value\":131074" : "0x20002"))
            #expect(first.hasPrefix(isJSON ? "{\"at\":\"2" : "2"))
            try bed.i("link set eth0 down")
            var line = process.readLine()
            while let text = line, !text.contains(isJSON ? "\"value\":0" : "0x00000") { line = process.readLine() }
            #expect(line != nil)
            process.kill(SIGTERM)
            #expect(process.wait() == 128 + SIGTERM)
        }
    }

    @Test(
        "L7: an address that no packet can be sent to is refused with a hint",
        arguments: [
            ("fe80::1", "such as fe80::1%eth0"), ("192.0.2.1>2001:db8::1", "write two IPv4 or two IPv6 addresses"),
        ]
    )
    func flaws(target: String, hint: String) throws {
        let result = try Reachd.run(["path", target])
        #expect(result.status == 2)
        #expect(result.output.contains(hint), "\(result.output)")
    }

    @Test("names are resolved before they are evaluated (R53, R55)")
    func names() throws {
        let localhost = try Reachd.run(["path", "-v", "localhost"])
        #expect(localhost.status == 0)
        #expect(localhost.output.contains("0x30002"))
    }
}
