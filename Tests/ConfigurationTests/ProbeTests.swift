// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import NetworkPaths
import Probing
import Schema
import Testing

@testable import Configuration

@Suite("Probes in the configuration") struct ProbeTests {
    private func plan(_ probe: String, target: String = "host: a, port: 443") throws -> ProbePlan {
        try #require(try load("targets: [{\(target), probe: {\(probe)}}]").targets.first?.probe)
    }

    private func request(_ probe: String, target: String = "host: a, port: 443") throws -> ProbeRequest {
        guard case .ask(let request) = try plan(probe, target: target).method else { throw Other() }
        return request
    }

    private struct Other: Error {}

    // MARK: What lands where

    @Test("only the type is needed; everything else has its default")
    func defaults() throws {
        let plan = try plan("type: tcp")
        #expect(plan.verdict == .standard)
        #expect(plan.jitter == 0.1)
        #expect(plan.type == "tcp")
        let expected = ProbeRequest(
            host: .name("a"),
            kind: .tcp(TCPProbeSettings(port: 443)),
            timeout: .seconds(5)
        )
        #expect(plan.method == .ask(expected))
    }

    @Test("without a probe there is none: a section that is absent in a list's element stays absent")
    func absent() throws {
        let target = try #require(try load("targets: [{host: a}]").targets.first)
        #expect(target.probe == nil)
        #expect(target.dependsOn.isEmpty)
        #expect(target.maintenance.isEmpty)
        // And so do those inside a probe: else this would be an icmp section of a tcp probe.
        #expect(try request("type: tcp").latencyBound == nil)
        #expect(diagnostics("targets: [{host: a, port: 1, probe: {type: udp, expect: {silence: true}}}]").isEmpty)
        #expect(diagnostics("targets: [{host: a, probe: }]").count == 1)
    }

    @Test("the verdict's settings")
    func verdict() throws {
        let plan = try plan(
            "type: tcp, interval: 1m, fall: 5, rise: 4, confirm_interval: 2s, backoff_percent: 50, max_interval: 10m, "
                + "jitter_percent: 25, flap_detection: false"
        )
        let expected = try VerdictSettings(
            fall: 5,
            rise: 4,
            interval: .seconds(60),
            confirmInterval: .seconds(2),
            backoffFactor: 1.5,
            maximumInterval: .seconds(600),
            flapDetection: nil
        )
        #expect(plan.verdict == expected)
        #expect(plan.jitter == 0.25)
        #expect(try self.plan("type: tcp, flap_detection: true").verdict.flapDetection == .standard)
    }

    @Test("short intervals shorten the derived durations")
    func shortInterval() throws {
        let plan = try plan("type: tcp, interval: 1s")
        #expect(plan.verdict.confirmInterval == .seconds(1))
        #expect(try request("type: tcp, interval: 1s").timeout == .seconds(1))
        #expect(try request("type: tcp, interval: 10s, timeout: 10s").timeout == .seconds(10))
        #expect(try self.plan("type: tcp, interval: 1h").verdict.maximumInterval == .seconds(3600))
    }

    @Test("address and source of a probe")
    func whom() throws {
        #expect(try request("type: tcp, port: 80").kind == .tcp(TCPProbeSettings(port: 80)))
        var asked = try request("type: icmp", target: "address: fe80::1%eth1")
        #expect(asked.host == .address(try #require(IPAddress("fe80::1"))))
        #expect(asked.interface == "eth1")
        asked = try request("type: icmp, interface: eth2", target: "address: 192.0.2.1, interface: eth1, mark: 42")
        #expect(asked.interface == "eth2")
        #expect(asked.mark == 42)
        asked = try request("type: icmp", target: "address: 192.0.2.1, local_address: 192.0.2.2")
        #expect(asked.host == .address(try #require(IPAddress("192.0.2.1"))))
        #expect(asked.source == IPAddress("192.0.2.2"))
        asked = try request(
            "type: icmp, source_address: 192.0.2.3",
            target: "address: 192.0.2.1, local_address: 192.0.2.2"
        )
        #expect(asked.source == IPAddress("192.0.2.3"))
    }

    @Test(
        "families and addresses",
        arguments: [
            ("any", .any), ("ipv4", .ipv4), ("4", .ipv4), ("'4'", .ipv4), ("ipv6", .ipv6), ("6", .ipv6),
            ("both", .both),
        ] as [(String, ProbeFamily)]
    )
    func families(text: String, family: ProbeFamily) throws {
        #expect(try request("type: tcp, family: \(text)").family == family)
        for choice in AddressChoice.allCases {
            #expect(try request("type: tcp, family: \(text), addresses: \(choice.rawValue)").addresses == choice)
        }
    }

    @Test("expectations of answers")
    func expectation() throws {
        let asked = try request(
            "type: tcp, expect: {reachable: false, max_latency: 250ms, resolved: [192.0.2.0/24, '2001:db8::/32']}"
        )
        #expect(asked.expectsFailure)
        #expect(asked.latencyBound == .milliseconds(250))
        #expect(asked.expectedAddresses.map(\.description) == ["192.0.2.0/24", "2001:db8::/32"])
        #expect(try request("type: tcp, expect: {resolved: 192.0.2.0/24}").expectedAddresses.count == 1)
        #expect(try !request("type: tcp, expect: {}").expectsFailure)
    }

    @Test("a dialogue")
    func dialogue() throws {
        let asked = try request(#"type: tcp, dialogue: [{expect: "^220 "}, {send: "QUIT\r\n"}, {expect: '^\d{3} '}]"#)
        let expected = TCPProbeSettings(
            port: 443,
            dialogue: [
                .expect(try ProbePattern("^220 ")), .send("QUIT\r\n"), .expect(try ProbePattern(#"^\d{3} "#)),
            ]
        )
        #expect(asked.kind == .tcp(expected))
    }

    @Test("datagrams")
    func udp() throws {
        #expect(
            try request("type: udp, expect: {reachable: false}").kind == .udp(UDPProbeSettings(port: 443, payload: []))
        )
        #expect(
            try request(#"type: udp, port: 123, payload: "\x1b\0a", expect: {reply: "^ok$"}"#).kind
                == .udp(
                    UDPProbeSettings(port: 123, payload: [0x1b, 0, 0x61], reply: .matching(try ProbePattern("^ok$")))
                )
        )
        #expect(
            try request("type: udp, payload: ping, expect: {silence: true}").kind
                == .udp(UDPProbeSettings(port: 443, payload: Array("ping".utf8), reply: .notExpected()))
        )
    }

    @Test("echo requests")
    func icmp() throws {
        #expect(try request("type: icmp").kind == .icmp(ICMPProbeSettings()))
        let expected = ICMPProbeSettings(
            count: 4,
            spacing: .milliseconds(50),
            size: 1400,
            timeToLive: 3,
            dontFragment: true,
            degradedLoss: 0.25,
            failedLoss: 0.5
        )
        #expect(
            try request(
                "type: icmp, icmp: {count: 4, spacing: 50ms, size: 1400, ttl: 3, dont_fragment: true, "
                    + "degraded_loss_percent: 25, failed_loss_percent: 50}"
            ).kind == .icmp(expected)
        )
    }

    @Test("questions to name servers")
    func dns() throws {
        // The target's port is as good as the probe's; without both it is 53.
        #expect(
            try request("type: dns, dns: {name: example.org}", target: "address: 192.0.2.53").kind
                == .dns(DNSProbeSettings(name: "example.org"))
        )
        var expected = DNSProbeSettings(name: "example.org", type: DNSRecordType(name: "MX") ?? .a)
        expected.port = 5353
        expected.transport = .tcp
        expected.recursionDesired = false
        expected.recordClass = 3
        expected.expectedCodes = [.noError, .nameError]
        expected.minimumAnswers = 0
        expected.requiredAnswers = [try ProbePattern("mail"), try ProbePattern("mx")]
        expected.refusedAnswers = [try ProbePattern("evil")]
        expected.requiresAuthority = true
        #expect(
            try request(
                "type: dns, port: 5353, dns: {name: example.org, type: MX, class: ch, transport: tcp, recursion: false}, "
                    + "expect: {rcode: [NOERROR, NXDOMAIN], min_answers: 0, answers: [mail, mx], refused_answers: evil, "
                    + "authority: true}"
            ).kind == .dns(expected)
        )
        #expect(
            try request("type: dns, dns: {name: münchen.example}").kind
                == .dns(DNSProbeSettings(name: "xn--mnchen-3ya.example", port: 443))
        )
        #expect(
            try request("type: dns, dns: {name: a, type: HTTPS}").kind
                == .dns(
                    DNSProbeSettings(name: "a", type: try #require(DNSRecordType(name: "TYPE65")), port: 443)
                )
        )
    }

    @Test("questions to time servers")
    func ntp() throws {
        let target = "address: 192.0.2.53"
        #expect(try request("type: ntp", target: target).kind == .ntp(NTPProbeSettings()))
        let expected = NTPProbeSettings(port: 1123, maximumOffset: .milliseconds(100), maximumStratum: 3)
        let kind = try request("type: ntp, port: 1123, expect: {max_offset: 100ms, max_stratum: 3}", target: target)
            .kind
        #expect(kind == .ntp(expected))
    }

    @Test("every kind can be declared with the questions of its form", arguments: ProbeKind.all.map(\.description.name))
    func forms(name: String) throws {
        let kind = try #require(ProbeKind.named(name)).description
        var sections: [String: [String]] = [:]
        for question in kind.questions {
            let answer = question.defaultValue.isEmpty ? "example.org" : question.defaultValue
            let key = question.path.last ?? ""
            sections[question.path.count > 1 ? question.path[0] : "", default: []].append("\(key): \"\(answer)\"")
        }
        var keys =
            ["type: \(name)"] + (kind.port == .needed ? ["port: 7"] : []) + (sections.removeValue(forKey: "") ?? [])
        keys += sections.sorted { $0.key < $1.key }.map { "\($0.key): {\($0.value.joined(separator: ", "))}" }
        #expect(try request(keys.joined(separator: ", "), target: "host: example.org").kind.name == name)
    }

    @Test("connections of this machine")
    func traffic() throws {
        let plan = try plan(
            "type: traffic, interval: 10s, fall: 5, max_age: 2m",
            target: "host: example.org, port: 443"
        )
        #expect(plan.method == .traffic(TrafficPlan(port: 443, fall: 5, maximumAge: .seconds(120))))
        // Attempts are counted; one evaluation of them decides.
        #expect(plan.verdict.fall == 1 && plan.verdict.rise == 1)
        let standard = try self.plan("type: traffic, port: 80")
        #expect(standard.method == .traffic(TrafficPlan(port: 80)))
    }

    @Test("calls of the target")
    func push() throws {
        let plan = try plan("type: push, interval: 1h, grace: 5m", target: "address: 127.0.0.1")
        #expect(plan.method == .heartbeat(grace: .seconds(300)))
        #expect(plan.verdict.interval == .seconds(3600))
        #expect(try self.plan("type: push, interval: 1m").method == .heartbeat(grace: .seconds(30)))
        #expect(try self.plan("type: push, grace: 0s").method == .heartbeat(grace: .zero))
        // Grace is the slack: a call that is missed decides, and one that comes does.
        #expect(plan.verdict.fall == 1 && plan.verdict.rise == 1)
        let written = try self.plan("type: push, fall: 3, rise: 2").verdict
        #expect(written.fall == 3 && written.rise == 2, "what is written is kept")
        let asked = try self.plan("type: tcp").verdict
        #expect(asked.fall == 3 && asked.rise == 2)
        // Who calls needs no address.
        #expect(try self.plan("type: push", target: "kind: default").type == "push")
    }

    @Test("settings of all probes")
    func probing() throws {
        #expect(try load("").probing == ProbingSettings())
        let probing = try load(
            "probing: {max_concurrent: 100, max_per_address: 3, start_spread: 0s, anchors: [b, a], anchor_quorum: 2}\n"
                + "targets: [{host: a}, {host: b}]"
        ).probing
        #expect(probing.limits == (try ProbeSchedulerLimits(total: 100, perAddress: 3)))
        #expect(probing.spread == .zero)
        #expect(probing.anchors == ["b", "a"])
        #expect(probing.quorum == 2)
        let narrow = try load("probing: {max_concurrent: 1}").probing
        #expect(narrow.limits == (try ProbeSchedulerLimits(total: 1, perAddress: 1)))
    }

    @Test("dependencies and maintenances")
    func dependencies() throws {
        let configuration = try load(
            """
            targets:
              - {host: a, depends_on: [b, c]}
              - {host: b, depends_on: c}
              - host: c
                maintenance:
                  - {weekdays: [monday, friday], start: 03:30, duration: 1h30m, utc_offset_minutes: -60}
                  - {weekdays: daily, start: "23:59", duration: 1m}
            """
        )
        #expect(configuration.targets.map(\.dependsOn) == [["b", "c"], ["c"], []])
        let expected = try [
            MaintenanceWindow(
                weekdays: [.monday, .friday],
                startMinute: 210,
                durationMinutes: 90,
                utcOffsetMinutes: -60
            ),
            MaintenanceWindow(weekdays: Set(Weekday.allCases), startMinute: 1439, durationMinutes: 1),
        ]
        #expect(configuration.targets[2].maintenance == expected)
    }

    @Test("maintenance by the clocks of a place")
    func maintenanceZone() throws {
        func load(_ window: String) throws -> [MaintenanceWindow] {
            try ConfigurationTests.load("targets: [{host: a, maintenance: [{\(window)}]}]").targets[0].maintenance
        }
        let zone = try #require(TimeZoneRules("Europe/Berlin"))
        let expected = try MaintenanceWindow(weekdays: [.monday], startMinute: 210, durationMinutes: 60, zone: zone)
        #expect(try load("weekdays: monday, start: 03:30, duration: 1h, timezone: Europe/Berlin") == [expected])
        for (key, code) in [
            ("timezone: Europe/Nowhere", "invalid_value"), ("timezone: UTC, utc_offset_minutes: 60", "conflict"),
        ] {
            let error = #expect(throws: ConfigurationDiagnostics.self) {
                _ = try load("weekdays: monday, start: 03:30, duration: 1h, \(key)")
            }
            #expect(error?.diagnostics.map(\.code.rawValue) == [code], "\(key)")
        }
    }

    @Test("maintenance that comes once")
    func maintenanceOnce() throws {
        func load(_ window: String) throws -> [MaintenanceWindow] {
            try ConfigurationTests.load("targets: [{host: a, maintenance: [{\(window)}]}]").targets[0].maintenance
        }
        let expected = try MaintenanceWindow(from: 1_803_934_800_000, to: 1_803_945_600_000)
        #expect(try load("from: 2027-03-01T22:00:00+01:00, to: 2027-03-02T00:00:00Z") == [expected])
        for (keys, codes) in [
            ("from: 2027-03-01", ["missing_key"]), ("to: 2027-03-01", ["missing_key"]),
            ("{}", ["missing_key", "missing_key", "missing_key"]),
            ("from: 2027-03-02, to: 2027-03-02", ["conflict"]), ("from: soon, to: 2027-03-02", ["invalid_value"]),
            ("from: 2027-03-01, to: 2027-03-02, weekdays: daily, timezone: UTC", ["conflict", "conflict"]),
            ("weekdays: daily, start: 03:30", ["missing_key"]), ("weekdays: daily, duration: 1h", ["missing_key"]),
        ] {
            let error = #expect(throws: ConfigurationDiagnostics.self) { _ = try load(keys == "{}" ? "" : keys) }
            #expect(error?.diagnostics.map(\.code.rawValue) == codes, "\(keys)")
        }
    }

    @Test("a probe that changes is a change of its target, and of nothing else")
    func difference() throws {
        let old = try load("targets: [{host: a, port: 1, probe: {type: tcp}}, {host: b}]")
        let new = try load("targets: [{host: a, port: 1, probe: {type: tcp, fall: 4}}, {host: b}]")
        let difference = ConfigurationDifference(from: old, to: new)
        #expect(difference.settings.isEmpty)
        #expect(new.targets[0] != old.targets[0])
        #expect(new.targets[1] == old.targets[1])
        let anchored = try load("targets: [{host: a, port: 1, probe: {type: tcp}}, {host: b}]\nprobing: {anchors: [b]}")
        #expect(ConfigurationDifference(from: old, to: anchored).settings.map(\.key) == ["probing.anchors"])
        #expect(ConfigurationDifference(from: old, to: anchored).needsRestart.isEmpty)
    }
}
