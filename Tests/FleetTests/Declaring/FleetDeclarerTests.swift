// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import PostgreSQL
import Synchronization
import TestSupport
import Testing

@testable import Fleet

@Suite(
    "Declaring a fleet's targets",
    .serialized,
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")"),
    .sharedServer
)
struct FleetDeclarerTests {
    private func target(
        _ id: String,
        _ placement: Placement = .single,
        text: String = "{}",
        group: String? = nil,
        tags: [String] = [],
        parents: [String] = []
    ) -> FleetDeclaration {
        FleetDeclaration(
            id: id,
            placement: placement,
            text: text,
            interval: .seconds(7),
            group: group,
            tags: tags,
            parents: parents
        )
    }

    private func document(
        _ declarations: [FleetDeclaration],
        source: String = "main",
        settings: FleetSettings? = nil
    ) -> FleetDocument {
        FleetDocument(source: source, settings: settings, declarations: declarations)
    }

    private static let versions = "SELECT declared, settings_version FROM log_head"

    @Test("Targets are added, changed and removed in one version; the same document again changes nothing")
    func difference() async throws {
        let (node, _) = try await SharedServer.makeFleet()
        let first = try await node.declare(document([target("b"), target("a"), target("c")]))
        #expect(first.added == ["b", "a", "c"] && first.updated == [] && first.removed == [])
        #expect(try await node.table(Self.versions) == ["1 0"])
        #expect(
            try await node.table(
                "SELECT id, source, origin, version, \"interval\", partial_up, paused FROM targets ORDER BY id"
            ) == [
                "a main file 1 7000000 f f", "b main file 1 7000000 f f", "c main file 1 7000000 f f",
            ]
        )
        #expect(
            try await node.table("SELECT target, state, rule FROM verdicts ORDER BY target") == [
                "a unknown no_location", "b unknown no_location", "c unknown no_location",
            ]
        )
        let ordinals = try await node.table("SELECT id, ordinal FROM targets WHERE id <> 'c' ORDER BY id")

        let second = document([target("b"), target("a", text: #"{"a":1}"#), target("d")])
        let difference = try await node.declare(second)
        #expect(difference.added == ["d"] && difference.updated == ["a"] && difference.removed == ["c"])
        #expect(
            try await node.table("SELECT id, version, spec FROM targets ORDER BY id") == [
                #"a 2 {"a":1}"#, "b 1 {}", "d 2 {}",
            ]
        )
        #expect(try await node.table("SELECT target FROM verdicts ORDER BY target") == ["a", "b", "d"])
        #expect(try await node.table("SELECT id, ordinal FROM targets WHERE id IN ('a', 'b') ORDER BY id") == ordinals)
        let third = try await node.declare(second)
        #expect(third.isEmpty && third.conflicts.isEmpty)
        #expect(try await node.table(Self.versions) == ["2 0"])
    }

    @Test("A trial finds the same difference and writes nothing")
    func trial() async throws {
        let (node, _) = try await SharedServer.makeFleet()
        let text = document([target("a")], settings: FleetSettings(lease: .seconds(9)))
        let found = try await node.declare(text, isTrial: true)
        #expect(found.added == ["a"] && found.settings == ["lease"])
        #expect(try await node.table(Self.versions) == ["0 0"])
        #expect(
            try await node.table("SELECT (SELECT count(*) FROM targets), (SELECT count(*) FROM placements)") == ["0 0"]
        )
        #expect(try await node.declare(text) == found)
    }

    @Test("Each field alone is a change", arguments: 0..<7)
    func fields(number: Int) async throws {
        let (node, _) = try await SharedServer.makeFleet()
        try await node.declare(document([target("p"), target("a", group: "g", tags: ["x:1"])]))
        let single = Placement.single
        let changed = [
            target("a", text: "{ }", group: "g", tags: ["x:1"]),
            target("a", group: nil, tags: ["x:1"]),
            target("a", group: "g", tags: ["x:2"]),
            target("a", group: "g", tags: ["x:1"], parents: ["p"]),
            target("a", try Placement(watchers: 2), group: "g", tags: ["x:1"]),
            FleetDeclaration(id: "a", placement: single, text: "{}", interval: .seconds(8), group: "g", tags: ["x:1"]),
            FleetDeclaration(
                id: "a",
                placement: single,
                text: "{}",
                interval: .seconds(7),
                isPartialUp: true,
                group: "g",
                tags: ["x:1"]
            ),
        ][number]
        let difference = try await node.declare(document([target("p"), changed]))
        #expect(difference.updated == ["a"] && difference.added == [] && difference.removed == [])
        #expect(try await node.declare(document([target("p"), changed])).isEmpty)
    }

    @Test("Dependencies follow the document, and go with their child")
    func dependencies() async throws {
        let (node, _) = try await SharedServer.makeFleet()
        let dependencies = "SELECT child, parent FROM dependencies ORDER BY child, parent"
        let gates = [target("g"), target("h"), target("i")]
        try await node.declare(document(gates + [target("a", parents: ["h", "g"]), target("b", parents: ["a"])]))
        #expect(try await node.table(dependencies) == ["a g", "a h", "b a"])
        #expect(
            try await node.declare(document(gates + [target("a", parents: ["g", "h"]), target("b", parents: ["a"])]))
                .isEmpty
        )
        try await node.declare(document(gates + [target("a", parents: ["g", "i"]), target("b", parents: ["a"])]))
        #expect(try await node.table(dependencies) == ["a g", "a i", "b a"])
        try await node.declare(document(gates + [target("a", parents: ["g"])]))
        #expect(try await node.table(dependencies) == ["a g"])
        try await node.declare(document(gates + [target("a")]))
        #expect(try await node.table(dependencies) == [])
    }

    @Test("A removed target leaves no vote, disagreement or verdict")
    func removal() async throws {
        let (node, admin) = try await SharedServer.makeFleet()
        try await node.declare(document([target("a"), target("b")]))
        for id in ["a", "b"] {
            try await admin.execute(
                "INSERT INTO votes (target, location, state, since, token, node) VALUES ('\(id)', 'berlin', 'up', 1, 1, 'n')"
            )
            try await admin.execute(
                "INSERT INTO disagreements (target, placement, shard, number, since, due) VALUES ('\(id)', 1, 1, 1, 1, 1)"
            )
        }
        try await node.declare(document([target("b")]))
        for (table, column) in [
            ("votes", "target"), ("disagreements", "target"), ("verdicts", "target"), ("targets", "id"),
        ] {
            #expect(try await node.table("SELECT \(column) FROM \(table)") == ["b"], "\(table)")
        }
    }

    @Test("Targets of other sources stay; one that another source declares is a conflict, and nothing is written")
    func sources() async throws {
        let (node, _) = try await SharedServer.makeFleet()
        try await node.declare(document([target("a"), target("b")]))
        try await node.declare(document([target("c")], source: "two"))
        let refused = try await node.declare(document([target("c"), target("b"), target("d")], source: "two"))
        #expect(refused.conflicts == ["b": "main"])
        #expect(try await node.table("SELECT id, source FROM targets ORDER BY id") == ["a main", "b main", "c two"])
        #expect(try await node.table(Self.versions) == ["2 0"])
        let emptied = try await node.declare(document([], source: "two"))
        #expect(emptied.removed == ["c"])
        #expect(try await node.table("SELECT id FROM targets ORDER BY id") == ["a", "b"])
    }

    @Test("A document that removes a parent of other sources' targets is refused with the ids, and nothing is written")
    func parents() async throws {
        let (node, admin) = try await SharedServer.makeFleet()
        try await node.declare(document([target("gate"), target("hub"), target("own", parents: ["hub"])]))
        try await node.declare(
            document([target("b", parents: ["gate"]), target("a", parents: ["gate"])], source: "two")
        )
        try await admin.execute(
            """
            INSERT INTO targets (id, placement, shard, spec, origin, version, "interval")
            SELECT 'client', placement, 1, '{}', 'api', 1, 1 FROM targets WHERE id = 'a'
            """
        )
        try await admin.execute("INSERT INTO dependencies VALUES ('hub', 'client')")
        let before = try await node.table(Self.versions)
        for isTrial in [true, false] {
            do {
                try await node.declare(document([target("new")]), isTrial: isTrial)
                Issue.record("it was applied")
            } catch {
                #expect(error == .parentsInUse(["gate": ["a", "b"], "hub": ["client"]]))
                #expect(error.code == "parents_in_use" && error.retry == .later)
                #expect(error.words.hasPrefix("gate (a, b), hub (client): "))
            }
        }
        #expect(try await node.table(Self.versions) == before)
        #expect(
            try await node.table("SELECT id FROM targets ORDER BY id") == ["a", "b", "client", "gate", "hub", "own"]
        )
        // Without its dependents of other sources, a parent goes with its own.
        try await node.declare(document([target("a")], source: "two"))
        try await admin.execute("DELETE FROM dependencies WHERE child = 'client'")
        #expect(try await node.declare(document([target("new")])).removed == ["gate", "hub", "own"])
    }

    @Test("Declarations that changed meanwhile are not overwritten")
    func outdated() async throws {
        let (node, admin) = try await SharedServer.makeFleet()
        let error = await node.declarationError(document([target("a")])) { [admin] _ in
            // On the declarer's thread, between its reading and its writing.
            let changed = Mutex(false)
            Task.detached {
                try await admin.execute("UPDATE log_head SET declared = declared + 1")
                changed.withLock { $0 = true }
            }
            while !changed.withLock({ $0 }) {}
        }
        #expect(error == .outdated)
        #expect(FleetDeclarationError.outdated.words.contains("run the command again"))
        #expect(try await node.table("SELECT count(*) FROM targets") == ["0"])
        #expect(try await node.declare(document([target("a")])).added == ["a"])
    }

    @Test("5,001 targets, which is more than a page, are written, compared and removed")
    func pages() async throws {
        let (node, _) = try await SharedServer.makeFleet()
        let many = (0..<5_001).map { target("t\($0)", tags: ["n:\($0)"], parents: $0 > 0 ? ["t0"] : []) }
        let progress = Recorder<Int>()
        #expect(try await node.declare(document(many)).added.count == 5_001)
        #expect(try await node.declare(document(many)) { progress.record($0) }.isEmpty)
        #expect(progress.events == [5_000, 5_001])
        #expect(try await node.table("SELECT count(*), count(DISTINCT shard) > 900 FROM targets") == ["5001 t"])
        #expect(try await node.table("SELECT count(*) FROM dependencies") == ["5000"])
        var changed = many
        changed[5_000] = target("t5000")
        #expect(try await node.declare(document(changed)).updated == ["t5000"])
        #expect(try await node.declare(document([])).removed.count == 5_001)
        #expect(
            try await node.table(
                "SELECT (SELECT count(*) FROM targets), (SELECT count(*) FROM verdicts), (SELECT count(*) FROM dependencies)"
            ) == ["0 0 0"]
        )
    }

    @Test("Quotes, braces, commas, backslashes, NULL and emoji are stored as they are")
    func texts() async throws {
        let (node, _) = try await SharedServer.makeFleet()
        let words = #"it's "so" {a,NULL} \ 😀"#
        let placement = try Placement(watchers: 2, quorum: 1, locations: [words, "NULL", "", "a,b"])
        let declared = FleetDeclaration(
            id: words,
            placement: placement,
            text: #"{"name":"it's \"so\" \\ 😀"}"#,
            interval: .milliseconds(1),
            isPartialUp: true,
            group: words,
            tags: ["NULL", "a:\(words)", "b:"],
            parents: ["{}", words + "2"]
        )
        let text = document([declared, target("NULL"), target("{}"), target(words + "2")], source: words)
        #expect(try await node.declare(text).added.count == 4)
        #expect(try await node.declare(text).isEmpty)
        let rows = try await node.execute("SELECT \"group\", spec, source FROM targets WHERE id = $1", [.text(words)])
        #expect(try rows.text(0, 0) == words && rows.text(0, 1) == declared.text && rows.text(0, 2) == words)
    }

    @Test("Targets with equal watches share a placement; another watch moves a target to the shard of the same number")
    func placements() async throws {
        let (node, _) = try await SharedServer.makeFleet()
        let (two, three) = (
            try Placement(watchers: 2), try Placement(watchers: 3, quorum: 3, locations: ["x", "y", "z"])
        )
        try await node.declare(document([target("a", two), target("b", two), target("c", three)]))
        #expect(
            try await node.table("SELECT watchers, quorum, locations FROM placements ORDER BY watchers")
                == ["2 2 {}", "3 3 {x,y,z}"]
        )
        let shard = try await node.table("SELECT shard FROM targets WHERE id = 'a'")
        #expect(shard == ["\(Shard(of: "a", placement: 1).number)"])
        try await node.declare(document([target("a", three), target("b", two), target("c", three)]))
        #expect(
            try await node.table(
                "SELECT t.id, p.watchers, t.shard FROM targets t JOIN placements p ON p.id = t.placement WHERE t.id = 'a'"
            ) == ["a 3 \(shard[0])"]
        )
        #expect(try await node.table("SELECT count(*) FROM placements") == ["2"])
    }

    @Test("Settings are written when they differ, and stay when the document has none")
    func settings() async throws {
        let (node, _) = try await SharedServer.makeFleet()
        let settings = FleetSettings(lease: .seconds(2), settle: .zero, unwatchedAfter: .seconds(1))
        let first = try await node.declare(document([], settings: settings))
        #expect(first.settings == ["lease", "settle", "unwatched_after"] && !first.isEmpty)
        #expect(FleetSettings(text: try await node.list("SELECT settings FROM log_head")[0]) == settings)
        #expect(try await node.table(Self.versions) == ["1 1"])
        #expect(try await node.declare(document([], settings: settings)).isEmpty)
        #expect(try await node.declare(document([target("a")])).settings == [])
        #expect(try await node.table(Self.versions) == ["2 1"])
        #expect(FleetSettings(text: try await node.list("SELECT settings FROM log_head")[0]) == settings)
    }

    @Test("Without a fleet, with too many targets and without a connection nothing is written and the reason is told")
    func failures() async throws {
        let (node, admin) = try await SharedServer.makeFleet()
        let many = (0...FleetDeclarer.maximumTargets).map { target("t\($0)") }
        #expect(await node.declarationError(document(many)) == .tooMany(100_001))
        #expect(FleetDeclarationError.tooMany(100_001).code == "too_many_targets")
        try await admin.execute("DELETE FROM log_head")
        #expect(await node.declarationError(document([target("a")])) == .notInitialized)
        try await admin.execute("DROP SCHEMA reachd CASCADE")
        guard case .database(let error)? = await node.declarationError(document([target("a")])) else {
            Issue.record("declared")
            return
        }
        #expect(error.reason == .missingObject)
    }

    @Test("A stored placement that makes no sense does not hide that another source has the target")
    func unreadablePlacement() async throws {
        let (node, admin) = try await SharedServer.makeFleet()
        try await node.declare(document([target("a")]))
        try await admin.execute("UPDATE placements SET quorum = 99")
        let found = try await node.declare(document([target("a")], source: "two"))
        #expect(found.conflicts == ["a": "main"] && found.added == [])
    }
}
