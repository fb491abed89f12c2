// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths
import TestSupport
import Testing

/// Each case in a namespace of its own; the texts are in `CaseTexts`.
@Suite(.enabled(if: Testbed.isAvailable, Comment(rawValue: Testbed.requirement)), .timeLimit(.minutes(15)))
struct PathCaseTests {
    @Test("linux-paths 10: examples", arguments: try PathCaseParser.parse(CaseTexts.examples))
    func examples(_ testCase: PathCase) async throws { try await run(testCase) }

    @Test("linux-paths 4.2: decision table", arguments: try PathCaseParser.parse(CaseTexts.decisions))
    func decisions(_ testCase: PathCase) async throws { try await run(testCase) }

    @Test("linux-paths 4.3: flags and the default path", arguments: try PathCaseParser.parse(CaseTexts.flags))
    func flags(_ testCase: PathCase) async throws { try await run(testCase) }

    @Test(
        "linux-paths 4.4: connections that are not there yet",
        arguments: try PathCaseParser.parse(CaseTexts.connections)
    )
    func connections(_ testCase: PathCase) async throws { try await run(testCase) }

    @Test("linux-paths 3.2: rules, tables, next hops", arguments: try PathCaseParser.parse(CaseTexts.routing))
    func routing(_ testCase: PathCase) async throws { try await run(testCase) }

    @Test("linux-paths 5: interface types", arguments: try PathCaseParser.parse(CaseTexts.types))
    func types(_ testCase: PathCase) async throws { try await run(testCase) }

    @Test("L1–L8: links and addresses", arguments: try PathCaseParser.parse(CaseTexts.links))
    func links(_ testCase: PathCase) async throws { try await run(testCase) }

    private func run(_ testCase: PathCase) async throws {
        for kind in testCase.kinds {
            if let obstacle = Testbed.obstacle(to: kind) {
                try skip(testCase.title, because: obstacle)
            }
        }
        try await PathCaseRunner.run(testCase)
    }
}
