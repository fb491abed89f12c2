// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema
import Testing

@testable import Configuration

@Suite("Faults of probes") struct ProbeFaultTests {
    /// A fault of one target's probe; the text is what stands behind `probe: `, which begins in column 35.
    struct Case: CustomTestStringConvertible, Sendable {
        let text: String
        let code: ConfigurationDiagnostic.Code
        /// What stands where the fault is.
        let at: String
        let pointer: String
        let hint: String?
        var testDescription: String { text }

        init(
            _ text: String,
            _ code: ConfigurationDiagnostic.Code,
            at: String,
            _ pointer: String,
            _ hint: String? = nil
        ) {
            self.text = text
            self.code = code
            self.at = at
            self.pointer = pointer
            self.hint = hint
        }

        /// Whether it is the only fault, where and as it should be.
        func check() throws {
            let text = "targets: [{host: a, port: 9, probe: \(self.text)}]"
            let all = faultValues(text)
            let fault = try #require(all.first)
            #expect(all.count == 1, "\(all)")
            #expect(fault.code == code)
            #expect(fault.pointer == "/targets/0" + pointer)
            if case .file(_, let position?) = fault.place {
                #expect(position.line == 1)
                #expect(text.dropFirst(position.column - 1).hasPrefix(at), "\(fault)")
            } else {
                Issue.record("The fault has no place: \(fault)")
            }
            if let hint { #expect(fault.hint == hint) }
            #expect(fault.words.utf8.allSatisfy { $0 >= 0x20 })
        }
    }

    static let cases: [Case] = [
        // Its own form
        .init("{}", .missingKey, at: "{}", "/probe"),
        .init("{type: tpc}", .invalidValue, at: "tpc", "/probe/type", "did you mean tcp?"),
        .init("{type: ping}", .invalidValue, at: "ping", "/probe/type", "did you mean icmp?"),
        .init("{type: heartbeat}", .invalidValue, at: "heartbeat", "/probe/type", "did you mean push?"),
        .init("{type: tcp, prober: tcp}", .unknownKey, at: "prober", "/probe/prober", "did you mean type?"),
        .init("{type: tcp, period: 1s}", .unknownKey, at: "period", "/probe/period", "did you mean interval?"),
        .init("{type: tcp, port: 0}", .outOfRange, at: "0}", "/probe/port"),
        .init("{type: tcp, port: 65536}", .outOfRange, at: "65536", "/probe/port"),
        .init("{type: tcp, interval: 30}", .missingUnit, at: "30", "/probe/interval"),
        .init("{type: tcp, interval: 50ms}", .outOfRange, at: "50ms", "/probe/interval"),
        .init("{type: tcp, timeout: 0s}", .outOfRange, at: "0s", "/probe/timeout"),
        .init("{type: tcp, fall: 0}", .outOfRange, at: "0}", "/probe/fall"),
        .init("{type: tcp, rise: 101}", .outOfRange, at: "101", "/probe/rise"),
        .init("{type: tcp, jitter_percent: 26}", .outOfRange, at: "26", "/probe/jitter_percent"),
        .init("{type: tcp, flap_detection: often}", .wrongType, at: "often", "/probe/flap_detection"),
        .init("{type: tcp, family: ip4}", .invalidValue, at: "ip4", "/probe/family", "did you mean ipv4?"),
        .init("{type: tcp, family: 5}", .invalidValue, at: "5}", "/probe/family"),
        .init("{type: tcp, addresses: every}", .invalidValue, at: "every", "/probe/addresses"),
        .init("{type: tcp, source_address: eth0}", .invalidValue, at: "eth0", "/probe/source_address"),
        .init("{type: tcp, interface: a b}", .invalidValue, at: "a b", "/probe/interface"),
        .init("{type: tcp, expect: open}", .wrongType, at: "open", "/probe/expect"),
        .init(
            "{type: tcp, expect: {latency: 1s}}",
            .unknownKey,
            at: "latency",
            "/probe/expect/latency",
            "did you mean max_latency?"
        ),
        .init("{type: tcp, expect: {resolved: a}}", .invalidValue, at: "a}}", "/probe/expect/resolved"),
        .init("{type: tcp, dialogue: [{expect: '('}]}", .invalidValue, at: "'('", "/probe/dialogue/0/expect"),
        .init("{type: udp, expect: {reply: '[a'}}", .invalidValue, at: "'[a'", "/probe/expect/reply"),
        .init("{type: icmp, icmp: {count: 0}}", .outOfRange, at: "0}}", "/probe/icmp/count"),
        .init("{type: icmp, icmp: {ttl: 256}}", .outOfRange, at: "256", "/probe/icmp/ttl"),
        .init("{type: icmp, icmp: {size: 65001}}", .outOfRange, at: "65001", "/probe/icmp/size"),
        .init("{type: dns, dns: {}}", .missingKey, at: "{}}", "/probe/dns"),
        // What fits together
        .init("{type: tcp, interval: 1s, timeout: 2s}", .conflict, at: "2s", "/probe/timeout"),
        .init("{type: tcp, timeout: 31s}", .conflict, at: "31s", "/probe/timeout"),
        .init("{type: tcp, interval: 1s, confirm_interval: 2s}", .conflict, at: "2s", "/probe/confirm_interval"),
        .init("{type: tcp, interval: 1m, max_interval: 30s}", .conflict, at: "30s", "/probe/max_interval"),
        .init(
            "{type: tcp, backoff_percent: 5}",
            .outOfRange,
            at: "5}",
            "/probe/backoff_percent",
            "write 0 for none, or at least 10"
        ),
        .init("{type: tcp, dialogue: [{}]}", .conflict, at: "{}", "/probe/dialogue/0"),
        .init(
            "{type: tcp, dialogue: [{send: a}, {send: a, expect: b}]}",
            .conflict,
            at: "{send: a, e",
            "/probe/dialogue/1"
        ),
        .init("{type: udp, expect: {reply: a, silence: true}}", .conflict, at: "true", "/probe/expect/silence"),
        .init("{type: icmp, icmp: {count: 26}}", .conflict, at: "{count", "/probe/icmp"),
        .init("{type: icmp, timeout: 1s, icmp: {count: 2, spacing: 1s}}", .conflict, at: "{count", "/probe/icmp"),
        .init("{type: dns}", .missingKey, at: "{type", "/probe"),
        .init(
            "{type: dns, dns: {name: a, type: AAAAA}}",
            .invalidValue,
            at: "AAAAA",
            "/probe/dns/type",
            "write A, MX or TYPE99"
        ),
        .init("{type: dns, dns: {name: a}, expect: {rcode: OOPS}}", .invalidValue, at: "OOPS", "/probe/expect/rcode"),
        .init(
            "{type: tcp, family: ipv6, source_address: 192.0.2.1}",
            .conflict,
            at: "192.0.2.1",
            "/probe/source_address"
        ),
        .init("{type: tcp, family: 4, source_address: '::1'}", .conflict, at: "'::1'", "/probe/source_address"),
        // Keys of other types
        .init("{type: tcp, grace: 1s}", .conflict, at: "1s", "/probe/grace", "remove it"),
        .init("{type: tcp, payload: a}", .conflict, at: "a}", "/probe/payload", "remove it"),
        .init("{type: tcp, icmp: {}}", .conflict, at: "{}}", "/probe/icmp", "remove it"),
        .init("{type: tcp, dns: {name: a}}", .conflict, at: "{name", "/probe/dns", "remove it"),
        .init("{type: udp, dialogue: [], expect: {reply: a}}", .conflict, at: "[],", "/probe/dialogue", "remove it"),
        .init("{type: icmp, port: 1}", .conflict, at: "1}", "/probe/port", "remove it"),
        .init("{type: push, port: 1}", .conflict, at: "1}", "/probe/port", "remove it"),
        .init("{type: push, timeout: 1s}", .conflict, at: "1s", "/probe/timeout", "remove it"),
        .init("{type: push, expect: {}}", .conflict, at: "{}}", "/probe/expect", "remove it"),
        .init("{type: push, family: both}", .conflict, at: "both", "/probe/family", "remove it"),
        .init("{type: push, addresses: all}", .conflict, at: "all", "/probe/addresses", "remove it"),
        .init("{type: push, source_address: 192.0.2.1}", .conflict, at: "192", "/probe/source_address", "remove it"),
        .init("{type: push, interface: eth0}", .conflict, at: "eth0", "/probe/interface", "remove it"),
        .init("{type: tcp, expect: {rcode: NOERROR}}", .conflict, at: "NOERROR", "/probe/expect/rcode", "remove it"),
        .init("{type: tcp, expect: {reply: a}}", .conflict, at: "a}}", "/probe/expect/reply", "remove it"),
        .init("{type: icmp, expect: {silence: true}}", .conflict, at: "true", "/probe/expect/silence", "remove it"),
        .init(
            "{type: udp, expect: {min_answers: 1, reply: a}}",
            .conflict,
            at: "1,",
            "/probe/expect/min_answers",
            "remove it"
        ),
        .init("{type: udp, expect: {answers: a, reply: b}}", .conflict, at: "a,", "/probe/expect/answers", "remove it"),
        .init(
            "{type: udp, expect: {authority: true, reply: a}}",
            .conflict,
            at: "true",
            "/probe/expect/authority",
            "remove it"
        ),
        .init(
            "{type: udp, expect: {reachable: false, silence: true}}",
            .conflict,
            at: "true",
            "/probe/expect/silence",
            "remove it"
        ),
    ]

    @Test("a single fault has its code, its place, its pointer and its hint", arguments: cases)
    func single(_ example: Case) throws { try example.check() }

    struct Whole: CustomTestStringConvertible, Sendable {
        let text: String
        let diagnostics: [String]
        var testDescription: String { text }

        init(_ text: String, _ diagnostics: String...) {
            self.text = text
            self.diagnostics = diagnostics
        }
    }

    static let wholes: [Whole] = [
        // A port
        .init("targets: [{host: a, probe: {type: tcp}}]", "1:28 missing_key /targets/0/probe"),
        .init("targets: [{host: a, probe: {type: udp, expect: {reply: a}}}]", "1:28 missing_key /targets/0/probe"),
        .init("targets: [{host: a, port: 1, probe: {type: udp}}]", "1:37 missing_key /targets/0/probe/expect"),
        .init(
            "targets: [{host: a, port: 1, probe: {type: udp, expect: {}}}]",
            "1:57 missing_key /targets/0/probe/expect"
        ),
        .init("targets: [{host: a, probe: {type: tcp, port: 0}}]", "1:46 out_of_range /targets/0/probe/port"),
        .init("targets: [{host: a, port: x, probe: {type: tcp}}]", "1:27 wrong_type /targets/0/port"),
        // Nobody to ask
        .init("targets: [{kind: default, probe: {type: icmp}}]", "1:34 conflict /targets/0/probe"),
        .init("targets: [{local_address: 192.0.2.1, probe: {type: icmp}}]", "1:45 conflict /targets/0/probe"),
        .init(
            "targets: [{address: '::1', probe: {type: icmp, source_address: 192.0.2.1}}]",
            "1:64 conflict /targets/0/probe/source_address"
        ),
        .init(
            "targets: [{address: '::1', probe: {type: icmp, family: 4}}]",
            "1:56 conflict /targets/0/probe/family"
        ),
        // All at once
        .init(
            "targets: [{host: a, probe: {type: tcp, interval: 1s, confirm_interval: 2s, timeout: 3s, grace: 1s}}]",
            "1:28 missing_key /targets/0/probe",
            "1:72 conflict /targets/0/probe/confirm_interval",
            "1:96 conflict /targets/0/probe/grace"
        ),
        // Dependencies
        .init("targets: [{host: a, depends_on: a}]", "1:33 bad_reference /targets/0/depends_on"),
        .init("targets: [{host: a, depends_on: b}]", "1:33 bad_reference /targets/0/depends_on"),
        .init(
            "targets: [{host: a, depends_on: [b, x, y]}, {host: b, depends_on: z}]",
            "1:37 bad_reference /targets/0/depends_on/1",
            "1:40 bad_reference /targets/0/depends_on/2",
            "1:67 bad_reference /targets/1/depends_on"
        ),
        .init(
            "targets: [{host: a, depends_on: b}, {host: b, depends_on: c}, {host: c, depends_on: [a]}]",
            "1:33 bad_reference /targets/0/depends_on"
        ),
        .init("targets: [{host: a, depends_on: 'a b'}]", "1:33 invalid_value /targets/0/depends_on"),
        // Anchors
        .init("probing: {anchors: [a]}", "1:21 bad_reference /probing/anchors/0"),
        .init("probing: {anchors: a}", "1:20 wrong_type /probing/anchors"),
        .init(
            "probing: {anchors: [a, a]}\ntargets: [{host: a}]",
            "1:24 duplicate_value /probing/anchors/1"
        ),
        .init(
            "probing: {anchors: [a], anchor_quorum: 2}\ntargets: [{host: a}]",
            "1:40 out_of_range /probing/anchor_quorum"
        ),
        .init("probing: {anchor_quorum: 0}", "1:26 out_of_range /probing/anchor_quorum"),
        // The anchor may be the faulty one.
        .init(
            "probing: {anchors: [a]}\ntargets: [{host: a, port: x}, {host: 'b c', id: a}]",
            "2:27 wrong_type /targets/0/port",
            "2:38 invalid_value /targets/1/host",
            "2:49 duplicate_id /targets/1/id"
        ),
        // The schedule
        .init("probing: {max_concurrent: 0}", "1:27 out_of_range /probing/max_concurrent"),
        .init("probing: {start_spread: 11m}", "1:25 out_of_range /probing/start_spread"),
        .init("probing: {quorum: 1}", "1:11 unknown_key /probing/quorum"),
        .init("probes: {}", "1:1 unknown_key /probes"),
        // Maintenances
        .init(
            "targets: [{host: a, maintenance: [{}]}]",
            "1:35 missing_key /targets/0/maintenance/0",
            "1:35 missing_key /targets/0/maintenance/0",
            "1:35 missing_key /targets/0/maintenance/0"
        ),
        .init(
            "targets: [{host: a, maintenance: [{weekdays: someday, start: '3:30', duration: 30s}]}]",
            "1:46 invalid_value /targets/0/maintenance/0/weekdays",
            "1:62 invalid_value /targets/0/maintenance/0/start",
            "1:80 out_of_range /targets/0/maintenance/0/duration"
        ),
        .init(
            "targets: [{host: a, maintenance: [{weekdays: mon, start: '24:00', duration: 1h}]}]",
            "1:46 invalid_value /targets/0/maintenance/0/weekdays",
            "1:58 invalid_value /targets/0/maintenance/0/start"
        ),
        .init(
            "targets: [{host: a, maintenance: [{weekdays: daily, start: '+3:30', duration: 90s}]}]",
            "1:60 invalid_value /targets/0/maintenance/0/start"
        ),
        .init(
            "targets: [{host: a, maintenance: [{weekdays: daily, start: 03:30, duration: 90s}]}]",
            "1:77 invalid_value /targets/0/maintenance/0/duration"
        ),
        .init(
            "targets: [{host: a, maintenance: [{weekdays: [], start: 03:30, duration: 1h}]}]",
            "1:46 invalid_value /targets/0/maintenance/0/weekdays"
        ),
        .init(
            "targets: [{host: a, maintenance: [{weekdays: daily, start: 03:30, duration: 8d, utc_offset_minutes: 900}]}]",
            "1:77 out_of_range /targets/0/maintenance/0/duration",
            "1:101 out_of_range /targets/0/maintenance/0/utc_offset_minutes"
        ),
    ]

    @Test("errors that only the whole configuration shows", arguments: wholes)
    func whole(_ example: Whole) {
        let told = faultValues(example.text).map { fault in
            "\(fault.place) \(fault.code.rawValue) \(fault.pointer)".replacing("reachd.yaml:", with: "")
        }
        #expect(told == example.diagnostics)
    }

    @Test("a contradiction between durations names the key", arguments: ["confirm_interval", "timeout"])
    func namedKey(key: String) {
        let told = diagnostics("targets: [{host: a, port: 1, probe: {type: tcp, interval: 1s, \(key): 2s}}]")
        let column = 65 + key.utf8.count
        #expect(told == ["reachd.yaml:1:\(column): \(key) is longer than interval [conflict]"])
    }

    @Test("a cycle is reported in the order of its links")
    func circle() {
        let told = diagnostics("targets: [{host: a, depends_on: b}, {host: b, depends_on: a}]")
        #expect(told == ["reachd.yaml:1:33: targets depend on each other: a on b on a [bad_reference]"])
    }

    @Test("each cycle is reported, also beside a dependency on a target that is missing")
    func circles() {
        let told = diagnostics(
            "targets: [{host: a, depends_on: b}, {host: b, depends_on: a}, {host: c, depends_on: c}, {host: d, depends_on: e}]"
        )
        #expect(
            told == [
                "reachd.yaml:1:33: targets depend on each other: a on b on a [bad_reference]",
                "reachd.yaml:1:85: targets depend on each other: c on c [bad_reference]",
                "reachd.yaml:1:111: there is no target 'e' to depend on [bad_reference]",
            ]
        )
    }

    @Test("a line of dependencies may be long, and a tree broad")
    func depth() {
        let line = (1...2000).map { "  - {host: t\($0), depends_on: t\($0 - 1)}\n" }.joined()
        #expect(diagnostics("targets:\n  - {host: t0}\n" + line).isEmpty)
        let broad = (1...2000).map { "  - {host: t\($0), depends_on: t0}\n" }.joined()
        #expect(diagnostics("targets:\n  - {host: t0}\n" + broad).isEmpty)
    }

    @Test("long and hostile texts are bounded")
    func bounds() {
        let long = String(repeating: "a", count: 5000)
        #expect(
            diagnostics("targets: [{host: a, port: 1, probe: {type: udp, payload: \(long), expect: {reply: a}}}]").count
                == 1
        )
        #expect(
            diagnostics("targets: [{host: a, port: 1, probe: {type: tcp, dialogue: [{expect: \(long)}]}}]").count == 1
        )
        let deep = String(repeating: "(", count: 1000)
        #expect(
            diagnostics("targets: [{host: a, port: 1, probe: {type: tcp, dialogue: [{expect: '\(deep)'}]}}]").count == 1
        )
    }

    @Test("a URL with a variable that is not set is one fault, not a target without anything to watch")
    func oneFault() {
        let found = faultValues("targets: [ { probe: { type: http, url: \"https://${NOPE}/\" } } ]")
        #expect(found.map(\.code) == [.unsetVariable])
    }
}
