// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import PostgreSQL
import TestSupport
import Testing

@testable import Fleet

@Suite(
    "Stored placements that make no sense",
    .serialized,
    .timeLimit(.minutes(5)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")"),
    .sharedServer
)
struct UnreadablePlacementTests {
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

    @Test("A stored placement that makes no sense does not hide that another source has the target")
    func unreadablePlacement() async throws {
        let (node, admin) = try await SharedServer.makeFleet()
        try await node.declare(document([target("a")]))
        try await admin.execute("UPDATE placements SET quorum = 99")
        let found = try await node.declare(document([target("a")], source: "two"))
        #expect(found.conflicts == ["a": "main"] && found.added == [])
    }
}
