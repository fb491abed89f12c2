// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema
import Testing

@testable import Configuration

@Suite struct FaultTests {
    @Test("all errors are reported at once, in the order of the text, with position, hint and code")
    func allAtOnce() {
        let text = """
            lisen: 127.0.0.1:80
            log:
              level: inof
              format: text
              format: json
            events:
              heartbeat: 15
              log_size: many
            targets:
              - hots: example.org
              - host: https://example.org:8443/health
              - {host: a, port: 70000}
              - {id: a, host: b}
              - {id: a, host: c}
            mark: "5"
            """
        #expect(
            diagnostics(text)
                == [
                    "reachd.yaml:1:1: 'lisen' is not a key of the configuration; did you mean listen? [unknown_key]",
                    "reachd.yaml:3:10: 'inof' is not one of trace, debug, info, notice, warning, error or critical; did you mean info? [invalid_value]",
                    "reachd.yaml:5:3: 'format' occurs twice, first on line 4 [duplicate_key]",
                    "reachd.yaml:7:14: '15' has no unit; write 15s for seconds, 15ms for milliseconds [missing_unit]",
                    "reachd.yaml:8:13: 'many' is not a whole number [wrong_type]",
                    "reachd.yaml:10:5: 'hots' is not a key of a target; did you mean host? [unknown_key]",
                    "reachd.yaml:10:5: the target has nothing to monitor; write host, address, local_address or kind: default [missing_key]",
                    "reachd.yaml:11:11: 'https://example.org:8443/health' is a URL, not a host name; write host: example.org and port: 8443 [invalid_value]",
                    "reachd.yaml:12:21: '70000' is not between 1 and 65535 [out_of_range]",
                    "reachd.yaml:13:10: another target has the id 'a', on line 12; give this one its own id [duplicate_id]",
                    "reachd.yaml:15:7: '5' is text, but a whole number is required; write 5 without quotes [wrong_type]",
                ].replacing(
                    "reachd.yaml:13:10: another target has the id 'a', on line 12; give this one its own id [duplicate_id]",
                    with: [
                        "reachd.yaml:13:10: another target has the id 'a', on line 12 [duplicate_id]",
                        "reachd.yaml:14:10: another target has the id 'a', on line 12 [duplicate_id]",
                    ]
                )
        )
    }

    @Test("the position inside the document is a JSON Pointer")
    func pointers() {
        let pointers = faultValues(
            "log: {level: 5}\ntargets: [{host: a}, {host: 'x y', tags: {'a/b': ~}}]\nlisten: [a]"
        ).map(\.pointer)
        #expect(pointers == ["/log/level", "/targets/1/host", "/targets/1/tags/a~1b", "/listen/0"])
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let text: String
        let code: ConfigurationDiagnostic.Code
        let place: String
        let hint: String?
        var testDescription: String { text }

        init(_ text: String, _ code: ConfigurationDiagnostic.Code, _ place: String, _ hint: String? = nil) {
            self.text = text
            self.code = code
            self.place = place
            self.hint = hint
        }
    }

    static let cases: [Case] = [
        // YAML itself
        .init("a: [", .syntax, "1:5"),
        .init("a: b: c", .syntax, "1:5"),
        .init("log:\n\tlevel: info", .syntax, "2:1"),
        .init("x-a: *b", .unknownAnchor, "1:6"),
        .init("---\n{}\n---\n{}", .severalDocuments, "3:1"),
        .init("x-a: " + String(repeating: "[", count: 100), .tooDeep, "1:70"),
        // Types
        .init("[]", .wrongType, "1:1"),
        .init("text", .wrongType, "1:1"),
        .init("log: info", .wrongType, "1:6"),
        .init("log: []", .wrongType, "1:6"),
        .init("targets: {}", .wrongType, "1:10"),
        .init("targets: a", .wrongType, "1:10"),
        .init("targets: [a]", .wrongType, "1:11"),
        .init("targets:\n  -\n", .wrongType, "2:4"),
        .init("listen: {}", .missingKey, "1:9"),
        .init("listen: []", .invalidValue, "1:9"),
        .init("sysfs:", .wrongType, "1:7"),
        .init("sysfs: ~", .wrongType, "1:8"),
        .init("mark: 1.5", .wrongType, "1:7"),
        .init("mark: -1", .outOfRange, "1:7"),
        .init("mark: 0x1ffffffff", .outOfRange, "1:7"),
        .init("mark: 99999999999999999999", .wrongType, "1:7"),
        .init("auto_targets: yes", .wrongType, "1:15", "write true"),
        .init("auto_targets: 'false'", .wrongType, "1:15", "write false without quotes"),
        .init("auto_targets: maybe", .wrongType, "1:15"),
        .init("sysfs: !!str /sys", .tag, "1:8", "remove it"),
        .init("? [a]\n: 1", .wrongType, "1:3"),
        .init("<<: {}", .unknownKey, "1:1"),
        .init("hosts: []", .unknownKey, "1:1", "did you mean targets?"),
        .init("eventz: {}", .unknownKey, "1:1", "did you mean events?"),
        .init("zzzzzz: {}", .unknownKey, "1:1"),
        .init("maxStreams: 1", .unknownKey, "1:1"),
        .init("events: {maxStreams: 1}", .unknownKey, "1:10", "did you mean max_streams?"),
        // Durations and sizes
        .init("events: {heartbeat: 1.5s}", .invalidValue, "1:21", "write whole numbers: 1500ms, 1h30m"),
        .init("events: {heartbeat: 30m1h}", .invalidValue, "1:21", "the larger unit comes first: 1h30m"),
        .init("events: {heartbeat: 10sec}", .invalidValue, "1:21", "units are d, h, m, s and ms: 1h30m, 500ms"),
        .init("events: {heartbeat: soon}", .invalidValue, "1:21"),
        .init("events: {heartbeat: 1ms}", .outOfRange, "1:21"),
        .init("events: {heartbeat: 99999999999999999d}", .outOfRange, "1:21"),
        .init("events: {log_bytes: 64MB}", .invalidValue, "1:21", "write 64MiB"),
        .init("events: {log_bytes: 64k}", .invalidValue, "1:21", "write 64KiB"),
        .init("events: {log_bytes: 1}", .outOfRange, "1:21"),
        .init("events: {log_bytes: 9999999999GiB}", .outOfRange, "1:21"),
        .init("events: {log_bytes: lots}", .invalidValue, "1:21", "write for example 64MiB"),
        // Addresses to listen on
        .init("listen: 7532", .invalidValue, "1:9", "write 127.0.0.1:7532, or *:7532 for all addresses"),
        .init("listen: 127.0.0.1", .invalidValue, "1:9", "write 127.0.0.1:7532"),
        .init("listen: '::1'", .invalidValue, "1:9", "write [::1]:7532"),
        .init("listen: 127.0.0.1:65536", .invalidValue, "1:9"),
        .init("listen: example.org:80", .invalidValue, "1:9"),
        .init("listen: /run/reachd.sock", .invalidValue, "1:9", "write unix:/run/reachd.sock"),
        .init("listen: unix:reachd.sock", .invalidValue, "1:9"),
        .init("listen: unix:/\(String(repeating: "a", count: 107))", .invalidValue, "1:9"),
        .init("listen: [127.0.0.1:80, 127.0.0.1:80]", .duplicateValue, "1:24"),
        // Hosts (R42)
        .init("targets: [{host: example.org:443}]", .invalidValue, "1:18", "write host: example.org and port: 443"),
        .init("targets: [{host: http://example.org}]", .invalidValue, "1:18", "write host: example.org and port: 80"),
        .init("targets: [{host: example.org/a}]", .invalidValue, "1:18", "write host: example.org"),
        .init("targets: [{host: me@example.org}]", .invalidValue, "1:18", "write host: example.org"),
        .init("targets: [{host: '[2001:db8::1]:443'}]", .invalidValue, "1:18", "write host: 2001:db8::1 and port: 443"),
        .init("targets: [{host: 10.0.0.0/8}]", .invalidValue, "1:18", "write one address of it"),
        .init("targets: [{host: '...'}]", .invalidValue, "1:18"),
        .init("targets: [{host: .example.org}]", .invalidValue, "1:18"),
        .init("targets: [{host: a..b}]", .invalidValue, "1:18"),
        .init("targets: [{host: '-a'}]", .invalidValue, "1:18"),
        .init("targets: [{host: '*.example.org'}]", .invalidValue, "1:18"),
        .init("targets: [{host: ℀.example}]", .invalidValue, "1:18"),
        .init("targets: [{host: a, probe: {type: dns, dns: {name: 'a b'}}}]", .invalidValue, "1:52"),
        .init("targets: [{host: 1.2.3}]", .invalidValue, "1:18"),
        .init("targets: [{host: 256.1.1.1}]", .invalidValue, "1:18"),
        .init("targets: [{host: ''}]", .invalidValue, "1:18"),
        .init("targets: [{host: \"a\\0b\"}]", .invalidValue, "1:18"),
        .init("targets: [{host: \(String(repeating: "a", count: 64))}]", .invalidValue, "1:18"),
        .init("targets: [{host: fe80::1%eth0}]", .invalidValue, "1:18"),
        // Addresses
        .init("targets: [{address: example.org}]", .invalidValue, "1:21", "write host: example.org for a name"),
        .init("targets: [{address: 192.0.2.1:80}]", .invalidValue, "1:21", "write address: 192.0.2.1 and port: 80"),
        .init("targets: [{address: '[::1]'}]", .invalidValue, "1:21", "write address: ::1"),
        .init("targets: [{address: 192.0.2.0/24}]", .invalidValue, "1:21", "write one address of it: 192.0.2.0"),
        .init("targets: [{address: fe80::1%a/b}]", .invalidValue, "1:21"),
        .init("targets: [{address: 127.1}]", .invalidValue, "1:21"),
        .init("targets: [{address: 192.0.2.1, interface: a b}]", .invalidValue, "1:43"),
        // What fits together
        .init("targets: [{host: a, address: 192.0.2.1}]", .conflict, "1:30"),
        .init("targets: [{host: a, local_address: 192.0.2.1}]", .conflict, "1:36"),
        .init("targets: [{host: a, kind: default}]", .conflict, "1:18"),
        .init("targets: [{host: a, kind: address}]", .conflict, "1:27", "remove kind"),
        .init("targets: [{host: a, interface: eth0}]", .conflict, "1:32"),
        .init("targets: [{host: a, family: ipv4}]", .conflict, "1:29"),
        .init("targets: [{address: 192.0.2.1, kind: address_pair}]", .conflict, "1:38"),
        .init("targets: [{address: 192.0.2.1, names: optimistic}]", .conflict, "1:39"),
        .init(
            "targets: [{address: 192.0.2.1, local_address: '::1'}]",
            .conflict,
            "1:47",
            "write two IPv4 or two IPv6 addresses"
        ),
        .init("targets: [{address: 192.0.2.1, local_address: 192.0.2.2, interface: a}]", .conflict, "1:69"),
        .init("targets: [{address: fe80::1%a, interface: b}]", .conflict, "1:43"),
        // L7: a link-local address is on every link.
        .init(
            "targets: [{address: fe80::1}]",
            .invalidValue,
            "1:21",
            "write address: fe80::1%eth0, with the interface's name"
        ),
        .init(
            "targets: [{host: febf::1}]",
            .invalidValue,
            "1:18",
            "write address: febf::1%eth0, with the interface's name"
        ),
        .init(
            "targets: [{address: fe80::1, local_address: fe80::2}]",
            .invalidValue,
            "1:21",
            "write address: fe80::1%eth0, and no local_address"
        ),
        .init(
            "targets: [{id: a, probe: {type: http, url: 'http://[fe80::1]/'}}]",
            .invalidValue,
            "1:44",
            "write [fe80::1%25eth0], with the interface's name"
        ),
        .init(
            "notify: [{name: a, webhook: {url: 'http://[fe80::1]/'}}]",
            .invalidValue,
            "1:35",
            "write [fe80::1%25eth0], with the interface's name"
        ),
        .init(
            "notify: [{name: a, alertmanager: {urls: ['http://[fe80::1]']}}]",
            .invalidValue,
            "1:42",
            "write [fe80::1%25eth0], with the interface's name"
        ),
        .init(
            "notify: [{name: a, email: {url: 'smtp://[fe80::1]', from: a@b.c, to: d@e.f}}]",
            .invalidValue,
            "1:33",
            "write [fe80::1%25eth0], with the interface's name"
        ),
        .init(
            "discovery: {http: [{url: 'http://[fe80::1]/'}]}",
            .invalidValue,
            "1:26",
            "write [fe80::1%25eth0], with the interface's name"
        ),
        .init("targets: [{kind: name}]", .missingKey, "1:11"),
        .init("targets: [{}]", .missingKey, "1:11"),
        .init("targets: [{host: a}, {host: A.}]", .duplicateID, "1:22", "give this one its own id"),
        .init("targets: [{host: a, id: 'a b'}]", .invalidValue, "1:25"),
        .init("targets: [{host: a, tags: {'k:v': 1}}]", .invalidValue, "1:28"),
        .init("targets: [{host: a, tags: {k: 1, k: 2}}]", .duplicateKey, "1:34"),
        .init("targets: [{host: a, tags: {k: [1]}}]", .wrongType, "1:31"),
        .init("targets: [{kind: default, family: 4}]", .invalidValue, "1:35", "did you mean ipv4?"),
        // Interfaces and connections
        .init("interfaces: [{match: wl*}]", .missingKey, "1:14"),
        .init("interfaces: [{type: wifi}]", .missingKey, "1:14"),
        .init("interfaces: [{match: 'wl*||', type: wifi}]", .invalidValue, "1:22"),
        .init("interfaces: [{match: 'mode:x', type: wifi}]", .invalidValue, "1:22"),
        .init("interfaces: [{match: wl*, type: wlan}]", .invalidValue, "1:33", "did you mean wifi?"),
        .init("interfaces: [{match: lo, type: loopback}]", .invalidValue, "1:32"),
        .init("connections: [{match: default}]", .missingKey, "1:15"),
        .init("connections: [{mode: manual}]", .missingKey, "1:15"),
        .init("connections: [{match: 10.1.2.3/8, mode: manual}]", .invalidValue, "1:23", "did you mean 10.0.0.0/8?"),
        .init("connections: [{match: all, mode: manual}]", .invalidValue, "1:23"),
        .init("connections: [{match: default, mode: auto}]", .invalidValue, "1:38", "did you mean traffic?"),
    ]

    @Test("a single fault has its code, its place and its hint", arguments: cases)
    func single(_ example: Case) throws {
        let all = faultValues(example.text)
        let fault = try #require(all.first)
        #expect(all.count == 1, "\(all)")
        #expect(fault.code == example.code)
        #expect(fault.place.description == "reachd.yaml:\(example.place)", "\(fault)")
        if let hint = example.hint { #expect(fault.hint == hint) }
    }

    @Test("a duplicate id is reported also for a target with other errors")
    func duplicateOfFaulty() {
        let codes = faultValues("targets: [{host: a}, {id: a, address: x y}]").map(\.code)
        #expect(codes == [.duplicateID, .invalidValue])
    }

    @Test("bytes that are not UTF-8 are a fault where they stand")
    func encoding() throws {
        let bytes = Array("log:\n  level: ä".utf8) + [0xff, 0xfe]
        let error = #expect(throws: ConfigurationDiagnostics.self) {
            try ConfigurationLoader().load(bytes: bytes, path: "f")
        }
        let fault = try #require(error?.diagnostics.first)
        #expect(fault.code == .syntax)
        #expect(fault.place == .file("f", YAMLPosition(line: 2, column: 11)))
    }

    @Test("a file that cannot be read, or is none, is one fault")
    func unreadable() {
        for path in ["/nonexistent/reachd.yaml", "/"] {
            let error = #expect(throws: ConfigurationDiagnostics.self) { try ConfigurationLoader().load(file: path) }
            #expect(error?.diagnostics.map(\.code) == [.unreadable])
            #expect(error?.diagnostics.first?.place == .file(path, nil))
        }
    }

    @Test("an endless file is refused")
    func endless() {
        let error = #expect(throws: ConfigurationDiagnostics.self) { try ConfigurationLoader().load(file: "/dev/zero") }
        #expect(error?.diagnostics.map(\.code) == [.tooLarge])
    }

    @Test("an alias bomb is refused while it is small", arguments: ["value", "key"])
    func aliasBomb(place: String) {
        var text = "x-0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...20 {
            let items = String(repeating: "*a\(level - 1), ", count: 10)
            text += "x-\(level): &a\(level) [\(items)]\n"
        }
        text += place == "key" ? "? *a20 \n: 1\n" : "targets: *a20\n"
        #expect(faultValues(text).map(\.code) == [.tooLarge])
    }

    @Test("the number of reported errors is limited, and their total is reported")
    func manyFaults() throws {
        let text = "targets:\n" + String(repeating: "  - {hots: a}\n", count: 5_000)
        let all = faultValues(text)
        #expect(all.count == DiagnosticCollector.maximum + 1)
        #expect(all.last?.code == .tooManyFaults)
        #expect(all.last?.words == "9000 more faults are not shown")
    }

    @Test("values in errors are truncated and escaped")
    func quotation() {
        #expect("a\u{1b}[31m\u{202e}".quoted == "'a\\u{1b}[31m\\u{202e}'")
        #expect(String(repeating: "a", count: 100).quoted == "'" + String(repeating: "a", count: 60) + "…'")
    }
}

extension [String] {
    fileprivate func replacing(_ line: String, with lines: [String]) -> [String] {
        flatMap { $0 == line ? lines : [$0] }
    }
}
