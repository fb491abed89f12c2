// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import TestSupport
import Testing

@testable import Fleet

@Suite(
    "Filters of the fleet's targets",
    .serialized,
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")"),
    .sharedServer
)
struct FleetTargetFilterTests {
    private static let targets = [
        FleetDeclaration(
            id: "alpha",
            text: #"{"id":"alpha","name":"Web \"one\"","host":"front.example"}"#,
            group: "edge",
            tags: ["env:prod", "role:web"]
        ),
        FleetDeclaration(
            id: "beta",
            text: #"{"id":"beta","name":"C:\\temp\\","address":"192.0.2.7"}"#,
            group: "core",
            tags: ["env:prod"]
        ),
        FleetDeclaration(
            id: "gamma",
            text: #"{"id":"gamma","name":"50%_off","host":"secret.example","hide_address":true}"#,
            tags: ["env:test", "note:it's, {\"quoted\"} \\"]
        ),
        FleetDeclaration(id: "delta", text: #"{"id":"delta","name":"Grüße 日本","port":7}"#, group: "edge"),
    ]

    /// What filters find, by their descriptions.
    private func find(_ filters: [FleetTargetFilter]) async throws -> [[String]] {
        let scene = try await SharedServer.makeReaderScene()
        let reader = try scene.makeReader()
        try await scene.declare(Self.targets)
        try await scene.admin.execute("UPDATE verdicts SET state = 'down' WHERE target IN ('alpha', 'gamma')")
        try await scene.admin.execute("UPDATE verdicts SET state = 'up' WHERE target = 'beta'")
        var found: [[String]] = []
        for filter in filters {
            let page = try await reader.page(filter)
            #expect(page.total == page.targets.count)
            found.append(page.targets.map(\.id))
        }
        return found
    }

    @Test("A text is part of the id, the name or the address, whatever characters it has")
    func texts() async throws {
        let expected: [(text: String, found: [String])] = [
            ("ALPHA", ["alpha"]), ("\"one\"", ["alpha"]), ("\"", ["alpha"]), ("\\", ["beta"]), ("c:\\TEMP\\", ["beta"]),
            ("\\\\", []), ("%", ["gamma"]), ("_", ["gamma"]), ("50%_", ["gamma"]), ("grüße", ["delta"]),
            ("日本", ["delta"]), ("front.ex", ["alpha"]), ("192.0.2", ["beta"]), ("example", ["alpha"]),
            ("secret", []), ("'", []), ("' OR true --", []), ("$1", []), ("port", []), ("env:prod", []),
            ("\u{7f}", []), ("\u{10ffff}", []), ("{\"id\":\"alpha\"", []), ("", Self.targets.map(\.id)),
        ]
        let filters = expected.map { expectation in
            var filter = FleetTargetFilter()
            filter.text = expectation.text
            return filter
        }
        for (expectation, found) in zip(expected, try await find(filters)) {
            #expect(found == expectation.found, "\(expectation.text)")
        }
    }

    @Test("Conditions must all hold, and one alternative of each; labels must all be there")
    func conditions() async throws {
        let all = Self.targets.map(\.id)
        let expected: [(change: (inout FleetTargetFilter) -> Void, found: [String])] = [
            ({ _ in }, all),
            ({ $0.ids = ["beta", "delta", "none", "' OR true --"] }, ["beta", "delta"]),
            ({ $0.groups = ["edge"] }, ["alpha", "delta"]),
            ({ $0.groups = ["edge", "core", ""] }, ["alpha", "beta", "delta"]),
            ({ $0.tags = ["env:prod"] }, ["alpha", "beta"]),
            ({ $0.tags = ["role:web", "env:prod"] }, ["alpha"]),
            ({ $0.tags = ["env:prod", "env:test"] }, []),
            ({ $0.tags = ["note:it's, {\"quoted\"} \\"] }, ["gamma"]),
            ({ $0.tags = ["env"] }, []),
            ({ $0.states = [.down] }, ["alpha", "gamma"]),
            ({ $0.states = [.up, .unknown] }, ["beta", "delta"]),
            ({ $0.states = [.paused] }, []),
            (
                {
                    $0.states = [.down, .up]
                    $0.groups = ["edge", "core"]
                    $0.tags = ["env:prod"]
                    $0.text = "a"
                    $0.ids = ["alpha", "gamma"]
                }, ["alpha"]
            ),
        ]
        let filters = expected.map { expectation in
            var filter = FleetTargetFilter()
            expectation.change(&filter)
            return filter
        }
        for (filter, (expectation, found)) in zip(filters, zip(expected, try await find(filters))) {
            #expect(found == expectation.found, "\(filter)")
        }
    }
}
