// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import Monitoring
import Probing
import Testing

@testable import Configuration

@Suite("Bodies that change a fleet's targets") struct FleetBodyTests {
    private func read(
        _ body: String,
        id: String? = nil,
        patching base: FleetDeclaration? = nil,
        among ancestors: [String: [String]]? = nil,
        policy: TargetPolicy? = nil
    ) throws(TargetEditError) -> FleetBody {
        try FleetBodyReader(policy: { policy }).read(Array(body.utf8), id: id, patching: base, among: ancestors)
    }

    /// The code of the error and the places of its faults.
    private func refusal(
        _ body: String,
        id: String? = nil,
        patching base: FleetDeclaration? = nil,
        among ancestors: [String: [String]]? = nil,
        policy: TargetPolicy? = nil
    ) -> String {
        do throws(TargetEditError) {
            return "\(try read(body, id: id, patching: base, among: ancestors, policy: policy))"
        } catch {
            return ([error.code.rawValue] + error.faults.map(\.pointer)).joined(separator: " ")
        }
    }

    @Test("A declaration is the one that the fleet's file would have for it")
    func declaration() throws {
        let target = """
            { "id": "web", "host": "www.example", "group": "shop", "tags": { "env": "b" }, "depends_on": [ "z", "a" ],
              "probe": { "type": "http", "interval": "7s" },
              "watch": { "watchers": 3, "locations": [ "tokyo", "rome", "paris" ], "partial": "up" } }
            """
        let file = #"{ "targets": [ { "id": "a", "host": "a" }, { "id": "z", "host": "z" }, \#(target) ] }"#
        let expected = try FleetDocumentReader.read(Array(file.utf8), path: "fleet.json").declarations[2]
        let body = try read(target)
        #expect(body == FleetBody(declarations: [expected], isBatch: false))
        #expect(try read(#"{ "targets": [ \#(target) ] }"#) == FleetBody(declarations: [expected], isBatch: true))
        #expect(try read(target, id: "web").declarations == [expected])
        let defaults = try read(#"{ "address": "192.0.2.1" }"#).declarations[0]
        #expect(defaults.id == "192.0.2.1" && defaults.placement == .single && !defaults.isPartialUp)
        #expect(defaults.text == #"{"id":"192.0.2.1","address":"192.0.2.1"}"#)
        #expect(try read(#"{ "targets": [] }"#) == FleetBody(declarations: [], isBatch: true))
    }

    @Test("A patch changes what it names, also of watch; the majority follows the number of watchers")
    func patch() throws {
        let base = try read(
            #"{ "id": "a", "host": "h", "group": "g", "watch": { "watchers": 3, "locations": [ "x", "y", "z" ] } }"#
        ).declarations[0]
        func patched(_ patch: String) throws(TargetEditError) -> FleetDeclaration {
            try read(patch, id: "a", patching: base).declarations[0]
        }
        #expect(try patched("{}") == base)
        let other = try patched(#"{ "group": null, "port": 80 }"#)
        #expect(
            other.group == nil && other.text == #"{"id":"a","host":"h","port":80}"# && other.placement == base.placement
        )
        let five = try patched(#"{ "watch": { "watchers": 5, "locations": null } }"#)
        #expect(try five.placement == Placement(watchers: 5, quorum: 3) && five.group == "g")
        #expect(try patched(#"{ "watch": null }"#).placement == .single)
        let strict = try read(#"{ "id": "a", "host": "h", "watch": { "watchers": 3, "quorum": 3, "partial": "up" } }"#)
            .declarations[0]
        let kept = try read(#"{ "watch": { "watchers": 4 } }"#, id: "a", patching: strict).declarations[0]
        #expect(try kept.placement == Placement(watchers: 4, quorum: 3) && kept.isPartialUp)
        #expect(throws: TargetEditError.self) { try FleetBodyReader { nil }.check(Array("[]".utf8), isPatch: true) }
        #expect(refusal(#"{ "id": "b" }"#, id: "a", patching: base) == "invalid /id")
        #expect(refusal(#"{ "watch": { "watchers": 1 } }"#, id: "a", patching: strict) == "invalid /watch/quorum")
    }

    @Test("Everything that is wrong has its place, as on one node")
    func faults() {
        #expect(refusal("{") == "malformed ")
        #expect(refusal(#"{ "host": 1, "colour": "red", "watch": { "quorum": 2, "x": 1 } }"#).hasPrefix("invalid /"))
        #expect(refusal(#"{ "host": "a", "watch": { "watchers": 2, "quorum": 3 } }"#) == "invalid /watch/quorum")
        #expect(
            refusal(#"{ "targets": [ { "host": "a" }, { "host": "b", "watch": { "watchers": 32 } } ] }"#)
                == "invalid /targets/1/watch/watchers"
        )
        #expect(
            refusal(#"{ "targets": [ { "id": "a", "host": "a" }, { "id": "a", "host": "b" } ] }"#).contains(
                "/targets/1/id"
            )
        )
        let file = #"{ "host": "a", "probe": { "type": "tls", "ca_file": "/etc/passwd" } }"#
        #expect(refusal(file).hasPrefix("invalid /probe"), "\(refusal(file))")
        let push = #"{ "id": "a", "host": "a", "probe": { "type": "push" } }"#
        #expect(refusal(push, policy: TargetPolicy(kinds: [])) == "invalid /probe/type")
    }

    @Test("Unknown parents and cycles, also through other targets, are found once these are known")
    func dependencies() throws {
        let body = #"{ "id": "a", "host": "h", "depends_on": [ "b" ] }"#
        #expect(try read(body).declarations[0].parents == ["b"])
        #expect(refusal(body, among: [:]) == "invalid /depends_on/0")
        #expect(try read(body, among: ["b": []]).declarations.count == 1)
        #expect(refusal(body, among: ["b": ["c"], "c": ["a"]]) == "invalid /depends_on")
        #expect(refusal(#"{ "id": "a", "host": "h", "depends_on": "a" }"#, among: ["a": []]) == "invalid /depends_on")
        let both = #"{ "targets": [ { "id": "a", "host": "h", "depends_on": "b" }, { "id": "b", "host": "h" } ] }"#
        #expect(try read(both, among: [:]).declarations.count == 2)
    }
}
