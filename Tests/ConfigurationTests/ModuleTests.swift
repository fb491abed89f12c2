// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Probing
import Schema
import Testing

@testable import Configuration

@Suite("Modules of /probe") struct ModuleTests {
    @Test("a module is a probe without a target")
    func modules() throws {
        let modules = try load(
            """
            probe_modules:
              - { name: http_2xx, probe: { type: http, timeout: 3s, redirects: 5, expect: { status: "200" } } }
              - { name: ssh, probe: { type: tcp, port: 22, dialogue: [ { expect: "^SSH-" } ] } }
              - { name: dns, probe: { type: dns, dns: { name: example.org }, family: ipv6 } }
              - { name: icmp, probe: { type: icmp, timeout: 2m } }
              - { name: grpc, probe: { type: grpc, tls: {} } }
              - { name: udp, probe: { type: udp, expect: { reply: . } } }
              - { name: tls, probe: { type: tls } }
            """
        ).probeModules
        // Those of the configuration, and of the built-in ones those whose names are free.
        #expect(modules.map(\.name) == ["http_2xx", "ssh", "dns", "icmp", "grpc", "udp", "tls", "tcp_connect"])
        #expect(modules.map(\.hasPort) == [false, true, false, false, false, false, false, false])
        #expect(modules.map(\.hasTimeout) == [true, false, false, true, false, false, false, false])
        #expect(
            modules[0].template.timeout == .seconds(3) && modules[3].template.timeout == .seconds(120)
                && modules[2].template.family == .ipv6
        )
        guard case .http(let http) = modules[0].template.kind else { return #expect(Bool(false)) }
        #expect(http.redirects == 5)
        let builtIn = try load("").probeModules
        #expect(builtIn.map(\.name) == ["http_2xx", "tcp_connect", "icmp", "dns"])
        #expect(builtIn.allSatisfy { !$0.hasPort && !$0.hasTimeout })
        #expect(try load(BuiltInModules.declaration).probeModules == builtIn)
    }

    @Test(
        "invalid modules",
        arguments: [
            ("{ name: a }", "missing_key"), ("{ probe: { type: tcp } }", "missing_key"),
            ("{ name: a, probe: { type: push } }", "conflict"),
            ("{ name: a, probe: { type: http, url: 'http://a/' } }", "conflict"),
            ("{ name: a, probe: { type: tcp, interval: 5s } }", "conflict"),
            ("{ name: a, probe: { type: tcp, fall: 2 } }", "conflict"),
            ("{ name: a, probe: { type: tcp, url: 'http://a/' } }", "conflict"),
            ("{ name: a, probe: { type: dns } }", "missing_key"),
            ("{ name: a, probe: { type: udp } }", "missing_key"),
            ("{ name: 'a b', probe: { type: tcp } }", "invalid_value"),
            ("{ name: a, probe: { type: icmp, icmp: { count: 121, spacing: 1s } } }", "conflict"),
            ("{ name: a, probe: { type: icmp, timeout: 5s, icmp: { count: 6, spacing: 1s } } }", "conflict"),
            ("{ name: a, probe: { type: tcp, dialogue: [ { send: a, expect: b } ] } }", "conflict"),
        ]
    )
    func faulty(module: String, code: String) {
        let found = diagnostics("probe_modules:\n  - \(module)")
        #expect(
            found.count == 1 && found.allSatisfy { $0.hasPrefix("reachd.yaml:2:") && $0.contains("[\(code)]") },
            "\(found)"
        )
    }

    @Test("errors have a position in the file, and their pointers are valid")
    func places() {
        let found = faultValues(
            """
            probe_modules:
              - name: a
                probe: { type: tcp }
              - name: a
                probe:
                  type: http
                  interval: 5s
                  expect: { status: "7" }
            """
        )
        #expect(
            found.map(\.pointer).sorted() == [
                "/probe_modules/1/name", "/probe_modules/1/probe/expect/status", "/probe_modules/1/probe/interval",
            ]
        )
        #expect(found.map { "\($0.place)" }.sorted() == ["reachd.yaml:4:11", "reachd.yaml:7:17", "reachd.yaml:8:25"])
    }

    @Test("a change of modules is reported and takes effect at once")
    func difference() throws {
        let old = try load("")
        let new = try load("probe_modules: [ { name: a, probe: { type: icmp } } ]")
        let difference = ConfigurationDifference(from: old, to: new)
        #expect(difference.settings.map(\.key) == ["probe_modules"] && difference.needsRestart.isEmpty)
    }
}
