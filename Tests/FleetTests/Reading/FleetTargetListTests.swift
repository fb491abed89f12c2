// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import TestSupport
import Testing

@testable import Fleet

@Suite(
    "The fleet's targets in pages",
    .serialized,
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")"),
    .sharedServer
)
struct FleetTargetListTests {
    @Test("Without targets there is an empty page, and no target")
    func empty() async throws {
        let reader = try await SharedServer.makeReaderScene().makeReader()
        let page = try await reader.page()
        #expect(page.targets.isEmpty && page.next == nil && page.total == 0)
        #expect(page.version.sequence == 0 && page.version.declared == 0)
        #expect(try await reader.target("a") == nil)
    }

    @Test("Pages follow one another by the order of declaration; a last page that is full is the last one")
    func pages() async throws {
        let scene = try await SharedServer.makeReaderScene()
        let reader = try scene.makeReader()
        let ids = (0..<10).map { "t\(9 - $0)" }
        try await scene.declare(ids)
        for limit in [1, 3, 5, 10, 11] {
            var found: [String] = []
            var after: UInt64? = 0
            var pages = 0
            while let ordinal = after {
                let page = try await reader.page(after: ordinal, limit: limit, isCounted: ordinal == 0)
                #expect(page.targets.count <= limit && page.total == (ordinal == 0 ? 10 : nil))
                found += page.targets.map(\.id)
                after = page.next
                pages += 1
            }
            #expect(found == ids && pages == (10 + limit - 1) / limit)
        }
    }

    @Test("Of targets that are removed and declared between pages, each that stays is read once")
    func removal() async throws {
        let scene = try await SharedServer.makeReaderScene()
        let reader = try scene.makeReader()
        try await scene.declare((0..<10).map { "t\($0)" })
        let first = try await reader.page(limit: 4)
        #expect(first.targets.map(\.id) == ["t0", "t1", "t2", "t3"] && first.total == 10)
        // Two of the first page, among them the one that the next page follows, and one of the next.
        try await scene.declare((0..<10).filter { ![1, 3, 5].contains($0) }.map { "t\($0)" })
        try await scene.declare((0..<10).filter { ![3, 5].contains($0) }.map { "t\($0)" })
        let second = try await reader.page(after: try #require(first.next), limit: 4)
        #expect(second.targets.map(\.id) == ["t4", "t6", "t7", "t8"] && second.total == 8)
        let third = try await reader.page(after: try #require(second.next), limit: 4)
        // The one that was declared again is another target, behind all others.
        #expect(third.targets.map(\.id) == ["t9", "t1"] && third.next == nil)
    }

    @Test("The number of all that match is counted again after each change, also of states")
    func totals() async throws {
        let scene = try await SharedServer.makeReaderScene()
        let reader = try scene.makeReader()
        try await scene.declare(["a", "b", "c"])
        var down = FleetTargetFilter()
        down.states = [.down]
        #expect(try await reader.page(limit: 1).total == 3)
        #expect(try await reader.page(down).total == 0)
        try await scene.admin.execute("UPDATE verdicts SET state = 'down' WHERE target <> 'c'")
        try await scene.log(1)
        #expect(try await reader.page(down, limit: 1).total == 2)
        try await scene.declare(["a"])
        #expect(try await reader.page(limit: 1).total == 1)
        #expect(try await reader.page(down).total == 1)
    }

    @Test("A declaration is read once for each of its versions; one that cannot be read leaves its target in the list")
    func declarations() async throws {
        let scene = try await SharedServer.makeReaderScene()
        let reader = try scene.makeReader()
        let odd = FleetDeclaration(id: "odd", text: #"{"unreadable":1}"#, group: "edge", tags: ["env:prod", "url:a:b"])
        try await scene.declare([FleetDeclaration(id: "a", text: "{}"), odd])
        for _ in 0..<3 {
            let page = try await reader.page()
            #expect(page.targets.map(\.id) == ["a", "odd"])
            #expect(page.targets.map { $0.settings == nil } == [false, true])
            #expect(page.targets[1].group == "edge" && page.targets[1].tags == ["env": "prod", "url": "a:b"])
            #expect(page.targets[1].source == "main" && page.targets[1].state == .unknown)
        }
        #expect(scene.parsed.events == ["{}", odd.text])
        try await scene.declare([FleetDeclaration(id: "a", text: "{}"), FleetDeclaration(id: "odd", text: "{ }")])
        #expect(try await reader.target("odd")?.settings != nil)
        #expect(scene.parsed.events == ["{}", odd.text, "{ }"])
    }

    @Test("After its end a reader answers with a fault")
    func end() async throws {
        let reader = try await SharedServer.makeReaderScene().makeReader()
        _ = try await reader.page()
        reader.reader.close()
        await #expect(throws: FleetFault.self) { try await reader.page() }
    }
}
