// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths
import Probing
import Schema
import Testing

@testable import Configuration

@Suite("The policy for targets") struct TargetPolicyTests {
    private func policy(_ text: String, listen: String = "127.0.0.1:0") throws -> TargetPolicy {
        try load("listen: \"\(listen)\"\naccess: {targets: {\(text)}}").http.targetPolicy
    }

    @Test("by default all kinds and ports, no proxies, and loopback only for clients on this machine")
    func standard() throws {
        #expect(try load("").http.targetPolicy == TargetPolicy())
        #expect(try policy("") == TargetPolicy())
        #expect(try policy("", listen: "unix:/run/a.sock") == TargetPolicy())
        #expect(try policy("", listen: "*:7532") == TargetPolicy(allowsLoopback: false))
        #expect(try load("listen: '192.0.2.1:7532'").http.targetPolicy == TargetPolicy(allowsLoopback: false))
        #expect(try policy("loopback: true", listen: "*:7532") == TargetPolicy())
        #expect(try policy("loopback: false") == TargetPolicy(allowsLoopback: false))
    }

    @Test("every key")
    func keys() throws {
        let policy = try policy(
            "allow: [10.0.0.0/8, \"2001:db8::/32\"], deny: 10.1.0.0/16, kinds: [tcp, https], ports: [443, 8000-8999], proxies: true"
        )
        #expect(policy.allowed.map(\.description) == ["10.0.0.0/8", "2001:db8::/32"])
        #expect(policy.denied.map(\.description) == ["10.1.0.0/16"])
        #expect(policy.kinds == [TargetPolicy.Kind("tcp"), TargetPolicy.Kind("https")])
        #expect(policy.ports == [443...443, 8000...8999])
        #expect(policy.allowsProxies)
        #expect(try self.policy("allow: default").allowed.map(\.description) == ["0.0.0.0/0", "::/0"])
    }

    @Test(
        "faults",
        arguments: [
            "allow: 10.0.0.1/8", "allow: [a.test]", "kinds: [ftp]", "kinds: []", "allow: []", "ports: []", "ports: 0",
            "ports: 65536",
            "ports: 9-8", "ports: '80,81'",
            "ports: '-1'", "ports: 1-", "ports: 1-2-3", "allowance: 1",
        ]
    )
    func faulty(text: String) {
        let found = faultValues("access: {targets: {\(text)}}")
        #expect(!found.isEmpty, "\(text)")
        #expect(found.allSatisfy { $0.pointer.hasPrefix("/access/targets/") })
    }

    @Test("a change is taken at a reload")
    func difference() throws {
        let difference = ConfigurationDifference(from: .standard, to: try load("access: {targets: {kinds: tcp}}"))
        #expect(difference.settings.map(\.key) == ["access.targets.kinds"] && difference.needsRestart.isEmpty)
    }

    @Test("the operator's own targets are not bound")
    func own() throws {
        let targets = try load(
            "access: {targets: {allow: 192.0.2.0/24, kinds: icmp}}\n"
                + "targets: [{address: 169.254.169.254, probe: {type: http, port: 80}}]"
        ).targets
        #expect(targets.count == 1)
    }
}
