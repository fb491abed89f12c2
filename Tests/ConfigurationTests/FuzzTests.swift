// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema
import TestSupport
import Testing

@testable import Configuration

@Suite struct FuzzTests {
    /// A small generator with a fixed seed: a failure can be repeated.

    static let seeds = [
        "listen: [\"127.0.0.1:7532\", \"[::1]:7532\", \"unix:/run/reachd.sock\"]\nlog: {level: info, format: json}\n",
        "targets:\n  - host: example.org\n    port: 443\n    tags: {a: b}\n  - address: fe80::1%eth0\n  - kind: default\n",
        "interfaces:\n  - match: wl*|kind:veth\n    type: wifi\nconnections:\n  - {match: [10.0.0.0/8], mode: traffic}\n",
        "events: {log_size: 100, log_bytes: 64MiB, heartbeat: 1h30m}\nlimits: {body_size: 1KiB, idle_timeout: 5000ms}\n",
        "targets:\n  - {host: a, port: 1, depends_on: b, probe: {type: tcp, timeout: 1s, dialogue: [{expect: '^2'}]}}\n"
            + "  - {host: b, probe: {type: dns, dns: {name: a, type: MX}, expect: {rcode: [NOERROR], answers: a}}}\n",
        "probing: {anchors: [a], anchor_quorum: 1, start_spread: 1s}\ntargets:\n  - host: a\n    maintenance:\n"
            + "      - {weekdays: [monday], start: 03:30, duration: 1h}\n    probe: {type: push, grace: 1m}\n",
        "x-a: &a {host: a}\ntargets: [*a, {id: b, host: ${HOME:-x}, name: $$}]\nmark: 0xff\n\"sysfs\": '/sys'\n? network\n: {names: optimistic}\n",
    ]

    static let tokens = [
        ":", ": ", "-", "- ", "\n", "  ", "{", "}", "[", "]", ",", "&a ", "*a", "'", "\"", "#", "|\n", ">\n", "!!str ",
        "?",
        "${", "}", "$$", "~", "null", "true", "0", "-1", "99999999999999999999", "1e309", "\t", "\u{0}", "\u{85}",
        "\u{2028}",
        "ä", "\u{1F600}", "host", "targets", "%", "%YAML 1.1\n", "---\n", "...\n", "<<", "\\", "\\x", "ms", "/", "@",
        "`",
        "\u{feff}", "\r", "\r\n",
    ]

    static func mutated(_ seed: String, _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = Array(seed.utf8)
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let at = Int.random(in: 0...bytes.count, using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: at)
            case 1: if at < bytes.count { bytes.remove(at: at) }
            case 2: bytes.insert(contentsOf: Array((tokens.randomElement(using: &generator) ?? "").utf8), at: at)
            case 3: bytes.removeSubrange(at..<min(bytes.count, at + 12))
            default:
                let from = Int.random(in: 0...bytes.count, using: &generator)
                bytes.insert(contentsOf: Array(bytes[from..<min(bytes.count, from + 20)]), at: at)
            }
        }
        return bytes
    }

    /// Whether a position is inside a text, whose lines may end in any way that YAML 1.1 knows.
    static func contains(_ bytes: [UInt8], _ position: YAMLPosition) -> Bool {
        var widths = [0]
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": widths.append(0)
            default: widths[widths.count - 1] += 1
            }
        }
        // The end of a line, and of the text, is a place as well. A carriage return may be counted as a column.
        let lines = 1...widths.count
        return lines.contains(position.line) && position.column >= 1
            && position.column <= (widths.max() ?? 0) + 2
    }

    @Test("mutated texts never crash: they are a configuration, or faults with places inside them", arguments: 0..<8)
    func mutations(round: Int) {
        var generator = SeededGenerator(seed: UInt64(round) &* 0x1234_5678_9abc_def1 &+ 7)
        var accepted = 0
        for number in 0..<1_000 {
            let seed = Self.seeds[number % Self.seeds.count]
            let bytes = Self.mutated(seed, &generator)
            do throws(ConfigurationDiagnostics) {
                _ = try ConfigurationLoader().load(bytes: bytes, path: "f")
                accepted += 1
            } catch {
                #expect(!error.diagnostics.isEmpty)
                for fault in error.diagnostics {
                    guard case .file("f", let position?) = fault.place else { continue }
                    let text = String(decoding: bytes, as: UTF8.self)
                    let isInside = Self.contains(bytes, position)
                    #expect(isInside, "\(fault) in \(text.debugDescription)")
                    #expect(!fault.words.isEmpty)
                    #expect(fault.description.utf8.allSatisfy { $0 >= 0x20 })
                }
            }
        }
        // A fuzzer that only makes rubbish tests nothing but the parser.
        #expect(accepted > 5)
    }

    @Test("random bytes never crash")
    func noise() {
        var generator = SeededGenerator(seed: 42)
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...80, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            _ = try? ConfigurationLoader().load(bytes: bytes, path: "f")
        }
    }

    /// Every form that some key has, by what is wanted there.
    private static let allForms: [String: TextForm] = {
        var forms: [String: TextForm] = [:]
        func take(_ type: FieldType) {
            switch type {
            case .text(let form), .textOrObject(let form, _): forms[form.description.bounds] = form
            case .list(let element), .oneOrMore(let element): take(element)
            default: break
            }
        }
        for section in SchemaSections(ConfigurationSchema.root).sections {
            section.schema.fields.forEach { take($0.type) }
        }
        return forms
    }()

    @Test("every text of a form is read or refused, whatever it holds", arguments: allForms.keys.sorted())
    func forms(bounds: String) throws {
        let form = try #require(Self.allForms[bounds])
        var generator = SeededGenerator(seed: 4_711)
        let pieces =
            Self.tokens + [
                "127.0.0.1", "::1", "unix:/", "[", "]", "eth0", "http://", "10.0.0.0/8", ".", "..", "altname:", "a",
            ]
        for _ in 0..<3_000 {
            let count = Int.random(in: 0...5, using: &generator)
            let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            _ = try? form.read(text)
        }
    }
}
