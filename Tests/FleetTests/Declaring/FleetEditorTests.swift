// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Foundation
import LinuxIO
import Monitoring
import PostgreSQL
import Synchronization
import TestSupport
import Testing

@testable import Fleet

@Suite(
    "Changing a fleet's targets",
    .serialized,
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")"),
    .sharedServer
)
struct FleetEditorTests {
    /// A node of a fleet that takes changes.
    private struct Node {
        let reader: OpenReader
        let editor: FleetEditor

        init(_ scene: ReaderScene, bodies: ListedBodies = ListedBodies()) throws {
            let reader = try scene.makeReader()
            self.reader = reader
            editor = FleetEditor(reader: reader.reader, bodies: bodies) { $0() }
        }

        func result(
            _ edit: FleetEdit,
            if condition: @escaping FleetEditor.Condition = { _ in true }
        ) async -> Result<FleetEditOutcome, FleetEditFailure> {
            await withCheckedContinuation { continuation in
                editor.perform(edit, if: condition) { continuation.resume(returning: $0) }
            }
        }

        @discardableResult
        func perform(
            _ edit: FleetEdit,
            if condition: @escaping FleetEditor.Condition = { _ in true }
        ) async throws -> FleetEditOutcome {
            try await result(edit, if: condition).get()
        }

        /// The code of the refusal; nil when the change was made.
        func refusal(
            _ edit: FleetEdit,
            if condition: @escaping FleetEditor.Condition = { _ in true }
        ) async -> TargetEditError.Code? {
            guard case .failure(.refused(let error)) = await result(edit, if: condition) else { return nil }
            return error.code
        }
    }

    private static func add(_ text: String) -> FleetEdit { .add(Array(text.utf8)) }
    private static func put(_ id: String, _ text: String) -> FleetEdit { .put(id, Array(text.utf8)) }
    private static func patch(_ id: String, _ text: String) -> FleetEdit { .patch(id, Array(text.utf8)) }

    private static let targets = "SELECT id, origin, source, version, \"group\" FROM targets ORDER BY ordinal"
    private static let events = "SELECT seq, type, target, \"group\", data FROM log ORDER BY seq"

    @Test("Each change is one version, and an event with the declaration and the time")
    func changes() async throws {
        let scene = try await SharedServer.makeReaderScene()
        let node = try Node(scene)
        #expect(try await node.perform(Self.add("a")) == FleetEditOutcome(ids: ["a"], isNew: true, isBatch: false))
        let batch = FleetEditOutcome(ids: ["c", "b"], isNew: true, isBatch: true)
        #expect(try await node.perform(Self.add("* c b<c,a")) == batch)
        #expect(try await node.perform(Self.put("b", "x")).isNew == false)
        #expect(try await node.perform(Self.put("d", "y")).isNew)
        #expect(try await node.perform(Self.patch("d", "z")).ids == ["d"])
        try await node.perform(.remove("c"))
        #expect(
            try await scene.node.table(Self.targets) == ["a api - 1 -", "b api - 3 x", "d api - 5 yz"]
        )
        #expect(try await scene.node.table("SELECT target, state FROM verdicts ORDER BY target").count == 3)
        #expect(try await scene.node.table("SELECT * FROM dependencies").isEmpty)
        #expect(try await scene.node.table("SELECT seq, declared, stamp > 0 FROM log_head") == ["7 6 t"])
        let rows = try await scene.node.execute(Self.events)
        let actions = try (0..<rows.rowCount).map { row in
            let data = try #require(
                try JSONSerialization.jsonObject(with: Data(try rows.text(row, 4).utf8)) as? [String: Any]
            )
            let target = try #require(data["target"] as? [String: Any])
            #expect(try rows.text(row, 4).contains(#""watch":{"watchers":1,"quorum":1,"partial":"degraded"}"#))
            #expect(target["origin"] as? String == "api")
            let at = try #require(data["at"] as? String)
            #expect(Timestamp(parsing: at) != nil, "\(at)")
            #expect(try rows.text(row, 1) == "target")
            return "\(try rows.text(row, 0)) \(data["action"] ?? "") \(try rows.text(row, 2))"
        }
        #expect(
            actions == [
                "1 added a", "2 added c", "3 added b", "4 updated b", "5 added d", "6 updated d", "7 removed c",
            ]
        )
    }

    @Test("A declaration that does not change is no version and no event; an empty list changes nothing")
    func unchanged() async throws {
        let scene = try await SharedServer.makeReaderScene()
        let node = try Node(scene)
        try await node.perform(Self.put("a", "x"))
        #expect(try await node.perform(Self.put("a", "x")).isNew == false)
        #expect(try await node.perform(Self.add("*")) == FleetEditOutcome(ids: [], isNew: true, isBatch: true))
        #expect(try await scene.node.table("SELECT seq, declared FROM log_head") == ["1 1"])
    }

    @Test("What cannot be changed is refused with its reason, and nothing of it is done")
    func refusals() async throws {
        let scene = try await SharedServer.makeReaderScene()
        let node = try Node(scene)
        try await scene.declare(["f"])
        try await node.perform(Self.add("* p c<p"))
        let before = try await scene.node.table("SELECT declared, seq FROM log_head")
        for (edit, code) in [
            (Self.add("* n p"), .exists), (Self.add("f"), .exists), (Self.add("!"), .invalid),
            (Self.add("n<m"), .invalid), (Self.put("f", "x"), .readOnly), (Self.put("f", "!"), .readOnly),
            (Self.patch("f", "x"), .readOnly), (.remove("f"), .readOnly), (Self.patch("n", "x"), .unknown),
            (.remove("n"), .unknown), (.remove("p"), .inUse), (Self.put("p", "!"), .invalid),
            (Self.add("* " + (0...FleetEditor.maximumTargets).map { "t\($0)" }.joined(separator: " ")), .tooMany),
        ] as [(FleetEdit, TargetEditError.Code)] {
            #expect(await node.refusal(edit) == code, "\(code)")
        }
        for edit in [Self.put("p", "x"), Self.put("n", "x"), Self.patch("p", "x"), .remove("c")] {
            #expect(await node.refusal(edit, if: { _ in false }) == .condition)
        }
        #expect(try await scene.node.table("SELECT declared, seq FROM log_head") == before)
        #expect(try await scene.node.table("SELECT id FROM targets ORDER BY id") == ["c", "f", "p"])
        #expect(try await scene.node.declare(FleetDocument(source: "main", declarations: [])).removed == ["f"])
        let conflict = FleetDeclaration(id: "p", text: "{}")
        #expect(
            try await scene.node.declare(FleetDocument(source: "main", declarations: [conflict])).conflicts == ["p": ""]
        )
    }

    @Test("The condition gets the target's version, which GET shows, and nil for a target that does not exist")
    func conditions() async throws {
        let scene = try await SharedServer.makeReaderScene()
        let node = try Node(scene)
        try await node.perform(Self.add("* a b"))
        try await node.perform(Self.put("b", "x"))
        let seen = Mutex<[FleetRevision?]>([])
        let note: FleetEditor.Condition = { revision in
            seen.withLock { $0.append(revision) }
            return true
        }
        let epoch = try await scene.node.table("SELECT epoch FROM log_head")[0]
        try await node.perform(Self.put("a", "y"), if: note)
        try await node.perform(Self.put("n", "y"), if: note)
        try await node.perform(.remove("b"), if: note)
        #expect(
            seen.withLock { $0 } == [
                FleetRevision(epoch: epoch, version: 1, newest: 2), nil,
                FleetRevision(epoch: epoch, version: 2, newest: 4),
            ]
        )
        let shown = try #require(try await node.reader.target("a"))
        #expect(shown.revision == FleetRevision(epoch: epoch, version: 3, newest: 5))
        #expect(shown.settings?.origin == .api && shown.placement == .single && !shown.isPartialUp)
    }

    @Test("The targets that a declaration leads to are known, with what they depend on, and no others")
    func ancestors() async throws {
        let scene = try await SharedServer.makeReaderScene()
        let bodies = ListedBodies()
        let node = try Node(scene, bodies: bodies)
        try await node.perform(Self.add("* a b other"))
        try await node.perform(Self.put("b", "b<a"))
        try await node.perform(Self.put("c", "c<b"))
        #expect(bodies.ancestors.events == [["a": []], ["b": ["a"], "a": []]])
        #expect(
            try await scene.node.table("SELECT parent, child FROM dependencies ORDER BY parent") == ["a b", "b c"]
        )
    }

    @Test("No more targets than the settings allow, and no more placements than a fleet can have")
    func bounds() async throws {
        let scene = try await SharedServer.makeReaderScene()
        let node = try Node(scene)
        let settings = FleetSettings(maximumTargets: 2)
        try await scene.node.declare(FleetDocument(source: "main", settings: settings, declarations: []))
        #expect(await node.refusal(Self.add("* a b c")) == .tooMany)
        try await node.perform(Self.add("* a b"))
        #expect(await node.refusal(Self.put("c", "x")) == .tooMany)
        #expect(await node.refusal(Self.add("c")) == .tooMany)
        try await node.perform(Self.put("a", "x"))
        let third = FleetDocument(source: "main", declarations: [FleetDeclaration(id: "c", text: "{}")])
        #expect(await scene.node.declarationError(third) == .tooManyInFleet(3, 2))
        try await node.perform(.remove("a"))
        try await scene.admin.execute("DELETE FROM targets")
        try await scene.admin.execute("DELETE FROM placements")
        try await scene.admin.execute(
            "INSERT INTO placements (watchers, quorum, locations) SELECT 1, 1, ARRAY['l' || n] FROM generate_series(1, 1000) n"
        )
        #expect(await node.refusal(Self.add("a")) == .tooMany)
        #expect(await scene.node.declarationError(third) == .tooManyPlacements)
        #expect(try await scene.node.table("SELECT count(*) FROM placements") == ["1000"])
    }

    @Test("A change between reading and writing is seen: the target is checked again, and then refused")
    func contention() async throws {
        let scene = try await SharedServer.makeReaderScene()
        let other = try Node(scene)
        let begun = Recorder<Int>()
        let go = Semaphore()
        let reader = try scene.makeReader()
        // The executor of the node stands still once, between the reading of the facts and the write.
        let count = Atomic(0)
        let editor = FleetEditor(reader: reader.reader, bodies: ListedBodies()) { job in
            let number = count.add(1, ordering: .relaxed).newValue
            begun.record(number)
            if number == 2 { go.wait() }
            job()
        }
        let pending = Recorder<Result<FleetEditOutcome, FleetEditFailure>>()
        editor.perform(Self.add("a"), if: { _ in true }) { pending.record($0) }
        try await begun.next { $0 == 2 }
        try await other.perform(Self.put("a", "x"))
        go.post()
        let result = try await pending.next { _ in true }
        guard case .failure(.refused(let error)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(error.code == .exists)
        #expect(try await scene.node.table(Self.targets) == ["a api - 1 x"])
    }

    @Test("Many changes on two nodes at the same time are all made, each once")
    func concurrency() async throws {
        let scene = try await SharedServer.makeReaderScene()
        let nodes = [try Node(scene), try Node(scene)]
        let made = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<60 {
                // Each target is added on both nodes.
                for node in nodes { group.addTask { await node.refusal(Self.add("t\(number)")) == nil } }
            }
            var made = 0
            for await isMade in group where isMade { made += 1 }
            return made
        }
        #expect(made == 60)
        #expect(try await scene.node.table("SELECT declared, seq FROM log_head") == ["60 60"])
        #expect(try await scene.node.table("SELECT count(*), count(DISTINCT seq), max(seq) FROM log") == ["60 60 60"])
    }

    @Test("Without the database, and without a fleet in it, the reason is the fault")
    func unavailable() async throws {
        let scene = try await SharedServer.makeReaderScene()
        let node = try Node(scene)
        try await scene.admin.execute("DELETE FROM log_head")
        #expect(await node.result(Self.add("a")) == .failure(.unavailable(.notInitialized)))
        node.reader.reader.close()
        guard case .failure(.unavailable(let fault)) = await node.result(.remove("a")) else {
            Issue.record("changed")
            return
        }
        #expect(fault.code == "closed")
    }
}
