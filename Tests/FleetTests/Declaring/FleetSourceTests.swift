// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Foundation
import PostgreSQL
import TestSupport
import Testing

@testable import Fleet

@Suite(
    "Versions and events of applied files",
    .serialized,
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")"),
    .sharedServer
)
struct FleetSourceTests {
    private static func document(
        _ version: Int64?,
        _ ids: String...,
        text: String = "{}",
        settings: FleetSettings? = nil,
        source: String = "main"
    ) -> FleetDocument {
        FleetDocument(
            source: source,
            version: version,
            settings: settings,
            declarations: ids.map { FleetDeclaration(id: $0, placement: .single, text: text, interval: .seconds(1)) }
        )
    }

    private static let stored = "SELECT name, version, host FROM sources ORDER BY name"
    private static let targets = "SELECT id, spec FROM targets ORDER BY id"
    private static let head = "SELECT declared, seq, settings_version FROM log_head"

    // MARK: Versions

    @Test("An older version, the same one with other content, and none after one are refused, and nothing is written")
    func refusals() async throws {
        let (node, _) = try await SharedServer.makeFleet()
        try await node.declare(Self.document(7, "a"))
        #expect(try await node.table(Self.stored) == ["main 7 test-host"])
        let before = try await node.table(Self.head)
        for (document, code, next) in [
            (Self.document(6, "b"), "version_older", "apply the newer file, or pass --force"),
            (Self.document(7, "b"), "version_reused", "raise version, or pass --force"),
            (Self.document(7, "a", settings: FleetSettings(lease: .seconds(9))), "version_reused", "raise version"),
            (Self.document(nil, "b"), "version_missing", "give it a higher one, or pass --force"),
        ] {
            let error = try #require(await node.declarationError(document))
            #expect(error.code == code && error.retry == .never)
            #expect(error.words.contains(next) && error.words.contains("by test-host at 2"), "\(error.words)")
            #expect(error.words.contains("7") && error.words.contains("source main"), "\(error.words)")
        }
        #expect(try await node.table(Self.head) == before)
        #expect(try await node.table(Self.targets) == ["a {}"])
    }

    @Test("The same version with the same content, a higher one, and those of other sources are applied")
    func versions() async throws {
        let (node, _) = try await SharedServer.makeFleet()
        try await node.declare(Self.document(7, "a"))
        let before = try await node.table(Self.head)
        #expect(try await node.declare(Self.document(7, "a")).isEmpty)
        #expect(try await node.table(Self.head) == before)
        // Another version alone is stored.
        let higher = try await node.declare(Self.document(8, "a"))
        #expect(higher.isEmpty && higher.previous?.version == 7)
        #expect(try await node.table(Self.stored) == ["main 8 test-host"])
        try await node.declare(Self.document(9, "a", "b"))
        try await node.declare(Self.document(1, "c", source: "two"))
        try await node.declare(Self.document(nil, "d", source: "three"))
        try await node.declare(Self.document(nil, "e", source: "three"))
        #expect(
            try await node.table(Self.stored) == ["main 9 test-host", "three - test-host", "two 1 test-host"]
        )
        #expect(try await node.table(Self.targets) == ["a {}", "b {}", "c {}", "e {}"])
        // Settings that another source changed return with the same file.
        let settings = FleetSettings(lease: .seconds(9))
        try await node.declare(Self.document(10, "a", "b", settings: settings))
        try await node.declare(Self.document(nil, "e", settings: FleetSettings(), source: "three"))
        #expect(try await node.declare(Self.document(10, "a", "b", settings: settings)).settings == ["lease"])
    }

    @Test("A forced document is applied whatever is stored, and its version is compared from then on")
    func forced() async throws {
        let (node, _) = try await SharedServer.makeFleet()
        try await node.declare(Self.document(7, "a"))
        #expect(try await node.declare(Self.document(5, "b"), isTrial: true, isForced: true).added == ["b"])
        #expect(await node.declarationError(Self.document(5, "b"))?.code == "version_older")
        try await node.declare(Self.document(5, "b"), isForced: true)
        #expect(try await node.table(Self.stored) == ["main 5 test-host"])
        try await node.declare(Self.document(6, "c"))
        try await node.declare(Self.document(nil, "d"), isForced: true)
        #expect(try await node.table(Self.stored) == ["main - test-host"])
        try await node.declare(Self.document(1, "e"))
        #expect(try await node.table(Self.targets) == ["e {}"])
    }

    // MARK: Events

    private struct Logged: Decodable, Equatable {
        struct Target: Decodable, Equatable {
            var id: String
            var origin: String
            var address: String?
        }

        struct Counts: Decodable, Equatable {
            var added, updated, removed, unchanged: Int
        }

        var action: String
        var target: Target?
        var source: String?
        var version: Int?
        var targets: Counts?
        var settings: [String]?
        var is_listed: Bool?
        var at: String
    }

    private static func log(_ node: SchemaClient, after sequence: Int) async throws -> [(row: String, event: Logged)] {
        let rows = try await node.execute(
            "SELECT seq, type, target, \"group\", data FROM log WHERE seq > \(sequence) ORDER BY seq"
        )
        return try (0..<rows.rowCount).map { row in
            let columns = try (0..<4).map { try rows.optionalText(row, $0) ?? "-" }.joined(separator: " ")
            return (columns, try JSONDecoder().decode(Logged.self, from: Data(try rows.text(row, 4).utf8)))
        }
    }

    @Test("Each target has an event, and then the file; settings are named")
    func events() async throws {
        let (node, _) = try await SharedServer.makeFleet()
        try await node.declare(Self.document(7, "a", "b", "c"))
        let first = try await Self.log(node, after: 0)
        #expect(first.map(\.row) == ["1 target a -", "2 target b -", "3 target c -", "4 config - -"])
        #expect(first.prefix(3).allSatisfy { $0.event.action == "added" && $0.event.target?.origin == "fleet" })
        #expect(first[0].event.target?.address == "198.51.100.1")
        var text = Self.document(8, "a", "d", settings: FleetSettings(settle: .zero, keep: .seconds(86_400)))
        text = FleetDocument(
            source: text.source,
            version: text.version,
            settings: text.settings,
            declarations: text.declarations
                + [FleetDeclaration(id: "b", placement: .single, text: "{ }", interval: .seconds(1), group: "g")]
        )
        try await node.declare(text)
        let second = try await Self.log(node, after: 4)
        #expect(second.map(\.row) == ["5 target c -", "6 target d -", "7 target b g", "8 config - -"])
        #expect(second.map(\.event.action) == ["removed", "added", "updated", "applied"])
        let applied = second[3].event
        #expect(applied.source == "main" && applied.version == 8 && applied.is_listed == true)
        #expect(applied.targets == Logged.Counts(added: 1, updated: 1, removed: 1, unchanged: 1))
        #expect(applied.settings == ["settle", "keep"])
        #expect(Set(second.map(\.event.at)).count == 1)
        #expect(try await node.table("SELECT seq, declared, stamp > 0 FROM log_head") == ["8 2 t"])
        // What changes nothing is no event; what is refused neither.
        try await node.declare(text)
        #expect(await node.declarationError(Self.document(1)) != nil)
        #expect(try await node.table("SELECT count(*) FROM log") == ["8"])
    }

    @Test("Above 10,000 changes only removed targets have an event, and the file says so")
    func manyEvents() async throws {
        let (node, _) = try await SharedServer.makeFleet()
        func many(_ numbers: Range<Int>) -> FleetDocument {
            FleetDocument(
                source: "main",
                declarations: numbers.map {
                    FleetDeclaration(id: "t\($0)", placement: .single, text: "{}", interval: .seconds(1))
                }
            )
        }
        try await node.declare(many(0..<FleetDeclarer.maximumEvents))
        #expect(try await node.table("SELECT seq FROM log_head") == ["\(FleetDeclarer.maximumEvents + 1)"])
        let base = FleetDeclarer.maximumEvents + 1
        try await node.declare(many(9_998..<20_000))
        let log = try await Self.log(node, after: base)
        #expect(log.count == 9_999)
        #expect(log.dropLast().allSatisfy { $0.event.action == "removed" && $0.event.target?.id.first == "t" })
        let applied = try #require(log.last?.event)
        #expect(applied.action == "applied" && applied.is_listed == false)
        #expect(applied.targets == Logged.Counts(added: 10_000, updated: 0, removed: 9_998, unchanged: 2))
    }
}
