// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import LinuxIO
import MonitoringTestSupport
import TestSupport
import Testing

@testable import Configuration
@testable import Monitoring
@testable import ReachAPI
@testable import Targets

/// What the interface should do, in the plainest way.
private struct NaiveTargets {
    var declarations: [String: [String: JSONValue]] = [:]

    /// Objects are merged, null removes, all else replaces (RFC 7396).
    static func merge(_ target: JSONValue?, _ patch: JSONValue) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        var members: [String: JSONValue] = [:]
        if case .object(let own)? = target { members = own }
        for (name, value) in changes { members[name] = value == .null ? nil : merge(members[name], value) }
        return .object(members)
    }

    /// Whether a declaration of those that the test makes is valid.
    static func isValid(_ declaration: [String: JSONValue]) -> Bool {
        declaration["host"] != nil && declaration["bad"] == nil
    }
}

@Suite("Changes of targets against a naive model")
struct TargetModelTests {
    private static let ids = ["a", "b", "c", "d"]

    private static func text(_ value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .number(let value): "\(Int(value))"
        case .string(let value): "\"\(value)\""
        case .array(let values): "[" + values.map(text).joined(separator: ",") + "]"
        case .object(let members): "{" + members.map { "\"\($0)\":\(text($1))" }.joined(separator: ",") + "}"
        }
    }

    private static func declaration(_ generator: inout SeededGenerator, isPatch: Bool) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        func maybe(_ name: String, _ values: [JSONValue]) {
            guard Int.random(in: 0..<3, using: &generator) > 0 else { return }
            let all = values + (isPatch ? [.null] : [])
            members[name] = all.randomElement(using: &generator)
        }
        maybe("host", [.string("one.test"), .string("two.test")])
        maybe("group", [.string("g"), .string("h")])
        maybe("tags", [.object(["x": .string("1")]), .object(["y": .string("2")])])
        if isPatch, Bool.random(using: &generator) { members["tags"] = .object(["x": .null, "z": .string("3")]) }
        if Int.random(in: 0..<12, using: &generator) == 0 { members["bad"] = .boolean(true) }
        return members
    }

    @Test("Random sequences: status codes, bodies, lists and the state file", arguments: 0..<8 as Range<UInt64>)
    func sequences(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed + 100)
        let folder = try TemporaryFolder()
        let path = folder.path(of: "state.json")
        let fixture = Fixture(stateFile: StateFile(path))
        var model = NaiveTargets()
        for _ in 0..<150 {
            let id = Self.ids.randomElement(using: &generator) ?? "a"
            let method = ["POST", "PUT", "PATCH", "DELETE"].randomElement(using: &generator) ?? "PUT"
            var own = Self.declaration(&generator, isPatch: method == "PATCH")
            let known = model.declarations[id]
            var expected: Int
            switch method {
            case "POST":
                own["id"] = .string(id)
                expected = !NaiveTargets.isValid(own) ? 422 : known == nil ? 201 : 409
                if expected == 201 { model.declarations[id] = own }
            case "PUT":
                expected = !NaiveTargets.isValid(own) ? 422 : known == nil ? 201 : 200
                if expected < 300 { model.declarations[id] = own }
            case "PATCH":
                guard let known, case .object(let merged) = NaiveTargets.merge(.object(known), .object(own)) else {
                    expected = 404
                    break
                }
                expected = NaiveTargets.isValid(merged) ? 200 : 422
                if expected == 200 { model.declarations[id] = merged }
            default:
                expected = known == nil ? 404 : 204
                model.declarations[id] = nil
            }
            let target = method == "POST" ? "/targets" : "/targets/\(id)"
            let response = fixture.send(method, target, method == "DELETE" ? "" : Self.text(.object(own)))
            #expect(response.status == expected, "\(method) \(id) \(own): \(response.text)")
            try compare(fixture, model)
        }
        // Whoever starts anew from the file has the same.
        let second = Fixture(stateFile: StateFile(path))
        try second.configure("auto_targets: false")
        try compare(second, model)
        #expect(second.notes.all.allSatisfy { $0.level == .info })
    }

    private func compare(_ fixture: Fixture, _ model: NaiveTargets) throws {
        let list = try #require(try fixture.json("/targets")["targets"]?.array)
        #expect(Set(list.compactMap { $0["id"]?.string }) == Set(model.declarations.keys))
        #expect(list.count == model.declarations.count)
        for body in list {
            let id = try #require(body["id"]?.string)
            let own = try #require(model.declarations[id])
            #expect(body["host"] == own["host"])
            #expect(body["group"] == own["group"])
            #expect(body["tags"] == own["tags"] ?? .object([:]))
            #expect(body["persisted"] == .boolean(true))
        }
    }
}
