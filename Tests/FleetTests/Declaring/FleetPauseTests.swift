// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring
import PostgreSQL
import TestSupport
import Testing

@testable import Fleet

@Suite("Pausing a fleet's target", .serialized, .timeLimit(.minutes(15)))
struct FleetPauseTests {
    private static func vote(_ state: TargetState, _ placement: Int, at seconds: Int) -> InboxRow {
        InboxRow(
            id: 1,
            node: "berlin-1",
            key: AssignmentKey(shard: Shard(of: "a", placement: placement), location: "berlin"),
            token: 1,
            at: .seconds(seconds),
            content: .vote(target: "a", VoteContent(state: state, since: .seconds(seconds)))
        )
    }

    private static func ask(_ isPaused: Bool, _ target: String, _ fleet: StagedFleet) async throws -> FleetPause.Outcome
    {
        let question = FleetPause.question(isPaused, target: target)
        return try question.read(try await fleet.client.execute(question.statement, question.parameters))
    }

    @Test("A pause is an event and outlasts votes; the votes of before do not count afterwards")
    func pause() async throws {
        let fleet = try await StagedFleet()
        try await fleet.addNode("berlin-1", in: "berlin")
        let placement = try await fleet.place(watchers: 1, quorum: 1, in: ["berlin"])
        try await fleet.declare(["a"], placement: placement)
        let host = try #require(try await fleet.hosts(1).first)
        try await host.renew()
        try await fleet.until { try await fleet.assignments().shards.count == 1 }
        try await fleet.report([Self.vote(.up, placement, at: 1)])
        try await fleet.until { try await fleet.number("SELECT count(*) FROM log") == 1 }
        let declared = try await fleet.number("SELECT declared FROM log_head")

        #expect(try await Self.ask(true, "a", fleet) == .done)
        #expect(try await Self.ask(true, "a", fleet) == .unchanged)
        #expect(try await Self.ask(true, "b", fleet) == .unknownTarget)
        #expect(try await fleet.number("SELECT declared FROM log_head") == declared + 1)
        #expect(try await fleet.number("SELECT count(*) FROM targets WHERE version = \(declared + 1) AND paused") == 1)

        // A report of a node that does not know it yet.
        try await fleet.report([Self.vote(.down, placement, at: 2)])
        try await fleet.until { try await fleet.inboxCount() == 0 }
        try await fleet.until { await host.statistics.rejected == [.unknownTarget: 1] }
        #expect(
            try await fleet.number("SELECT count(*) FROM verdicts WHERE state = 'paused' AND reason = 'paused'") == 1
        )
        #expect(try await fleet.number("SELECT count(*) FROM votes") == 0)

        #expect(try await Self.ask(false, "a", fleet) == .done)
        #expect(try await fleet.number("SELECT count(*) FROM verdicts WHERE state = 'unknown'") == 1)
        try await fleet.report([Self.vote(.down, placement, at: 3)])
        // With the incident that follows.
        try await fleet.until { try await fleet.number("SELECT count(*) FROM log") == 5 }
        let log = try await fleet.client.execute(
            "SELECT from_state, to_state, seq, data, type FROM log WHERE type = 'state' ORDER BY seq"
        )
        let changes = try (0..<log.rowCount).map { "\(try log.text($0, 0)) \(try log.text($0, 1))" }
        #expect(changes == ["unknown up", "up paused", "paused unknown", "unknown down"])
        #expect(try (0..<4).map { try log.integer($0, 2) } == [1, 2, 3, 4])
        let members = try JSONReader.members(of: Array(try log.text(1, 3).utf8))
        #expect(Set(members.keys) == ["target", "from", "to", "reason", "previous_since", "at"])
        let at = try #require(members["at"].flatMap { try? JSONReader.text(of: Array($0)) })
        #expect(Timestamp(parsing: at) != nil, "\(at)")
        #expect(try await fleet.number("SELECT seq FROM log_head") == 5)
    }
}
