// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import Monitoring
import Schema
import Testing

@testable import Configuration

@Suite("The fleet's file") struct FleetDocumentTests {
    private func read(_ text: String, path: String = "fleet.yaml") throws(ConfigurationDiagnostics) -> FleetDocument {
        try FleetDocumentReader.read(Array(text.utf8), path: path)
    }

    private func faults(_ text: String) -> [String] {
        do throws(ConfigurationDiagnostics) {
            _ = try read(text)
            return []
        } catch {
            return error.diagnostics.map(\.description)
        }
    }

    /// A declaration as each node reads it.
    private func target(_ declaration: FleetDeclaration) throws -> TargetSettings {
        let node = try DeclarationReader.parse(Array(declaration.text.utf8))
        return try #require(try DeclarationReader.fleet.read([node.without("depends_on")], isBatch: false).first)
    }

    @Test("every key")
    func everyKey() throws {
        let document = try read(
            """
            source: eu
            settings: { lease: 3s, settle: 20s, unwatched_after: 1m, keep: 30d, rollups: hours }
            watch: { watchers: 3, quorum: 3, locations: [ tokyo, berlin, paris, rome ], partial: up }
            targets:
              - id: web
                address: 192.0.2.1
                group: shop
                tags: { team: a, env: "b" }
                probe: { type: tcp, port: 443, interval: 7s }
                depends_on: [ z, gate ]
              - { id: gate, address: 192.0.2.2, watch: { watchers: 2 } }
              - { id: z, address: 192.0.2.3, watch: { watchers: 2, locations: berlin, quorum: 1, partial: degraded } }
            """.replacing("watchers: 2, locations: berlin", with: "watchers: 1, locations: berlin")
        )
        #expect(document.source == "eu")
        #expect(
            document.settings
                == FleetSettings(
                    lease: .seconds(3),
                    settle: .seconds(20),
                    unwatchedAfter: .seconds(60),
                    keep: .seconds(30 * 86_400),
                    rollups: .hours
                )
        )
        #expect(document.declarations.map(\.id) == ["web", "gate", "z"])
        let web = document.declarations[0]
        #expect(
            try web.placement
                == Placement(watchers: 3, quorum: 3, locations: ["berlin", "paris", "rome", "tokyo"])
        )
        #expect(web.isPartialUp)
        #expect(web.interval == .seconds(15), "three failures, 5 s from one to the next, take longer than an interval")
        #expect(web.group == "shop")
        #expect(web.tags == ["env:b", "team:a"])
        #expect(web.parents == ["gate", "z"])
        #expect(!web.text.contains("watch"))
        let settings = try target(web)
        #expect(settings.id == "web" && settings.origin == .fleet)
        #expect(settings.probe?.verdict.interval == .seconds(7))
        // A target's own watch replaces the general one as a whole.
        #expect(try document.declarations[1].placement == Placement(watchers: 2))
        #expect(!document.declarations[1].isPartialUp)
        #expect(try document.declarations[2].placement == Placement(watchers: 1, locations: ["berlin"]))
    }

    @Test("The digest is that of settings and targets with their watch, in any order; the version is read")
    func digest() throws {
        let two = ["{ id: a, address: 192.0.2.1 }", "{ id: b, address: 192.0.2.2 }"]
        func digest(_ targets: [String], _ more: String = "") throws -> String {
            try read("\(more)\ntargets: [ \(targets.joined(separator: ", ")) ]").digest
        }
        let first = try digest(two)
        #expect(first.count == 64)
        #expect(try digest(two.reversed()) == first)
        #expect(try digest(two, "source: eu\nversion: 9\n# words") == first)
        for (targets, more) in [
            ([two[0]], ""), (two, "settings: { lease: 9s }"), (two, "settings: { rollups: hours }"),
            (two, "watch: { watchers: 2 }"),
            (two, "watch: { partial: up }"), ([two[0], "{ id: b, address: 192.0.2.3 }"], ""),
        ] {
            #expect(try digest(targets, more) != first, "\(targets) \(more)")
        }
        #expect(try read("version: 20261125\ntargets: []").version == 20_261_125)
        #expect(try read("targets: []").version == nil)
        for wrong in ["0", "-1", "1.5", "9007199254740992", "v7"] {
            let faults = faults("version: \(wrong)\ntargets: []")
            #expect(faults.count == 1 && faults[0].hasPrefix("fleet.yaml:1:10: "), "\(faults)")
        }
    }

    @Test("What nodes store of their probes: the words, also YAML 1.1's boolean; the default changes no digest")
    func rollups() throws {
        for (word, setting) in [("off", RollupSetting.off), ("'off'", .off), ("days", .days), ("hours", .hours)] {
            let document = try read("settings: { rollups: \(word) }\ntargets: []")
            #expect(document.settings == FleetSettings(rollups: setting), "\(word)")
            #expect(FleetSettings(text: document.settings?.text ?? "") == document.settings)
        }
        let before = try read("settings: { lease: 5s }\ntargets: []")
        #expect(try read("settings: { rollups: days }\ntargets: []").digest == before.digest)
        #expect(before.settings?.text.contains("rollups") == false)
        let faults = faults("settings: { rollups: weeks }\ntargets: []")
        #expect(faults.count == 1 && faults[0].hasPrefix("fleet.yaml:1:22: "), "\(faults)")
    }

    @Test("defaults: source main, no settings, one location of any, degraded, an interval for targets without a probe")
    func defaults() throws {
        let document = try read("targets: [ { id: a, address: 192.0.2.1 } ]")
        let a = try #require(document.declarations.first)
        #expect(document.source == "main")
        #expect(document.settings == nil)
        #expect(a.placement == .single)
        #expect(!a.isPartialUp && a.group == nil && a.tags == [] && a.parents == [])
        #expect(a.interval > .zero)
        #expect(try read("targets: []").declarations == [])
        #expect(try read("settings: {}\ntargets: []").settings == nil)
        #expect(try read("settings: { settle: 0s }\ntargets: []").settings == FleetSettings(settle: .zero))
    }

    @Test("a quorum is the majority unless it is given", arguments: [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3), (31, 16)])
    func majority(watchers: Int, quorum: Int) throws {
        let document = try read("targets: [ { id: a, address: 192.0.2.1, watch: { watchers: \(watchers) } } ]")
        #expect(document.declarations.first?.placement.quorum == quorum)
    }

    @Test("the general watch applies to targets without one, also its partial")
    func generalWatch() throws {
        let text = "watch: { watchers: 3, partial: up }\ntargets: [ { id: a, address: 192.0.2.1 }, "
        let document = try read(text + "{ id: b, address: 192.0.2.2, watch: { watchers: 3 } } ]")
        #expect(document.declarations.map(\.placement.watchers) == [3, 3])
        #expect(document.declarations.map(\.isPartialUp) == [true, false])
    }

    @Test("derived ids are stored, so that every node has the same")
    func derivedIDs() throws {
        let document = try read(
            """
            targets:
              - { address: 192.0.2.1 }
              - { host: www.example.org, probe: { type: http } }
              - { address: 192.0.2.1, probe: { type: tcp, port: 80 }, name: "Shop" }
            """.replacing(", name: \"Shop\"", with: ", id: shop, name: \"Shop\"")
        )
        #expect(Set(document.declarations.map(\.id)).count == 3)
        for declaration in document.declarations {
            #expect(declaration.text.contains("\"id\":\"\(declaration.id)\""), "\(declaration.text)")
            #expect(try target(declaration).id == declaration.id)
        }
    }

    @Test("bare words, quotes, emoji and numbers in texts survive on the way to a node")
    func texts() throws {
        let document = try read(
            #"""
            targets:
              - id: a
                address: 192.0.2.1
                name: it's "so" \ 😀
                group: 012
                tags: { version: 1e3, half: .5, time: 1:30, octal: 0o7, yes: true, hex: 0x2a, quoted: "null" }
            """#
        )
        let a = try #require(document.declarations.first)
        let settings = try target(a)
        #expect(settings.name == #"it's "so" \ 😀"#)
        #expect(settings.group == "012" && a.group == "012")
        #expect(
            settings.tags == [
                "version": "1e3", "half": ".5", "time": "1:30", "octal": "0o7", "yes": "true", "hex": "0x2a",
                "quoted": "null",
            ]
        )
        #expect(a.tags.contains("version:1e3") && a.tags == a.tags.sorted())
    }

    @Test("a value that JSON cannot express is refused with the target's place")
    func inexpressible() {
        let text =
            "targets:\n  - { id: a, address: 192.0.2.1 }\n  - { id: b, address: 192.0.2.1, probe: { type: tcp, port: 0x2a } }"
        #expect(
            faults(text) == [
                "fleet.yaml:3:5: JSON cannot express a value of this target; write its numbers as decimals and its times in "
                    + "quotes [invalid_value]"
            ]
        )
        #expect(faults(text.replacing("0x2a", with: "42")) == [])
    }

    @Test("files are refused, and variables are not replaced")
    func foreign() throws {
        let files = faults(
            "targets: [ { id: a, address: 192.0.2.1, probe: { type: http, auth: { user: u, password_file: /etc/x } } } ]"
        )
        #expect(files.count == 1 && files[0].contains("'/etc/x' is the name of a file"), "\(files)")
        #expect(faults("targets: [ { id: a, address: \"${HOME}\" } ]").count == 1)
        let document = try read(
            "targets: [ { id: a, address: 192.0.2.1, probe: { type: http, headers: { X: \"${HOME}\" } } } ]"
        )
        #expect(document.declarations[0].text.contains("${HOME}"))
    }

    @Test("JSON and YAML of the same content have the same declarations")
    func json() throws {
        let json = """
            {"source":"s","watch":{"watchers":2},"targets":[{"id":"a","address":"192.0.2.1","tags":{"n":"012"},
            "probe":{"type":"tcp","port":80,"interval":"5s"}}]}
            """
        let yaml = """
            source: s
            watch: { watchers: 2 }
            targets:
              - { id: a, address: 192.0.2.1, tags: { n: 012 }, probe: { type: tcp, port: 80, interval: 5s } }
            """
        #expect(try read(json, path: "fleet.json") == read(yaml))
    }

    @Test(
        "faults have their places",
        arguments: [
            (
                "watch: { watchers: 2, quorum: 3 }\ntargets: []",
                ["1:31: quorum is greater than watchers [out_of_range]"]
            ),
            (
                "targets: [ { id: a, address: 192.0.2.1, watch: { watchers: 2, locations: [x] } } ]",
                ["1:74: fewer locations are named than must watch [out_of_range]"]
            ),
            (
                "targets: [ { id: a, address: 192.0.2.1, watch: { watchers: 32 } } ]",
                ["1:60: '32' is not between 1 and 31 [out_of_range]"]
            ),
            (
                "targets: [ { id: a, address: 192.0.2.1 }, { id: a, address: 192.0.2.2 } ]",
                ["1:49: another target has the id 'a', on line 1 [duplicate_id]"]
            ),
            ("settings: { lease: 500ms }\ntargets: []", ["1:20: '500ms' is not between 1s and 1m [out_of_range]"]),
            ("source: a b\ntargets: []", ["1:9: 'a b' is not an id"]),
            ("colour: red\ntargets: []", ["1:1: 'colour' is not a key of the fleet's file [unknown_key]"]),
            ("source: a", ["1:1: the fleet's file needs the key targets [missing_key]"]),
            ("[]", ["1:1: this is a list, but the fleet's file must be a mapping of keys [wrong_type]"]),
            (
                "targets: [ { id: a, address: 192.0.2.1, depends_on: [ b ] } ]",
                ["there is no target 'b' to depend on [bad_reference]"]
            ),
            (
                "targets: [ { id: a, address: 192.0.2.1, depends_on: [ b ] }, { id: b, address: 192.0.2.1, depends_on: [ a ] } ]",
                ["targets depend on each other"]
            ),
            (
                "targets: [ { id: a, address: 192.0.2.1, watch: 3 }, { id: b, addres: 192.0.2.1 } ]",
                ["1:48: '3' is text, but watch must be a mapping of keys", "1:62: 'addres' is not a key of a target"]
            ),
        ]
    )
    func faulty(text: String, expected: [String]) {
        let found = faults(text)
        #expect(found.count >= expected.count, "\(found)")
        for part in expected { #expect(found.contains { $0.contains(part) }, "\(found)") }
    }

    @Test("1,000 targets are read in their order")
    func many() throws {
        let lines = (0..<1_000).map {
            "  - { id: t\($0), address: 10.0.\($0 / 250).\($0 % 250), probe: { type: tcp, port: \(1_000 + $0) } }"
        }
        let document = try read("targets:\n" + lines.joined(separator: "\n"))
        #expect(document.declarations.map(\.id) == (0..<1_000).map { "t\($0)" })
        #expect(try target(document.declarations[999]).probe != nil)
        #expect(document.declarations[999].text.contains("1999"))
    }
}
