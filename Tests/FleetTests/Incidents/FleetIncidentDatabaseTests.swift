// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring
import PostgreSQL
import TestSupport
import Testing

@testable import Fleet

@Suite(
    "A fleet's incidents in PostgreSQL",
    .serialized,
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")")
)
struct FleetIncidentDatabaseTests {
    /// A fleet with a node that reports of some targets.
    private final class Scene: Sendable {
        let fleet: StagedFleet
        let placement: Int
        let targets: [String]

        init(_ targets: [String]) async throws {
            fleet = try await StagedFleet()
            placement = try await fleet.place(watchers: 1, quorum: 1, in: ["berlin"])
            self.targets = targets
            try await fleet.addNode("berlin-1", in: "berlin")
            try await fleet.declare(targets, placement: placement)
        }

        /// Waits until all shards are assigned.
        func assigned() async throws {
            let keys = targets.map { AssignmentKey(shard: Shard(of: $0, placement: placement), location: "berlin") }
            try await fleet.until {
                let assignments = try await fleet.assignments()
                return keys.allSatisfy { assignments[$0]?.node != nil }
            }
        }

        func report(_ state: TargetState, _ targets: [String], fault: IncidentFault? = nil, number: Int) async throws {
            let assignments = try await fleet.assignments()
            let now = Duration(microseconds: try await fleet.number("SELECT \(DatabaseClock.now)"))
            let rows = targets.enumerated().map { index, target in
                let key = AssignmentKey(shard: Shard(of: target, placement: placement), location: "berlin")
                var content = VoteContent(
                    state: state,
                    cause: state == .up ? nil : .target,
                    reason: state == .up ? nil : "connect_refused",
                    detail: state == .up ? nil : "It refuses connections.",
                    since: now
                )
                content.fault = fault
                return InboxRow(
                    id: Int64(number * 1_000 + index),
                    node: "berlin-1",
                    key: key,
                    token: assignments[key]?.token ?? 0,
                    at: now,
                    content: .vote(target: target, content)
                )
            }
            try await fleet.report(rows)
            try await fleet.until { try await fleet.inboxCount() == 0 }
        }

        func list(_ query: IncidentQuery = IncidentQuery()) async throws -> IncidentPage {
            try await ask(FleetIncidents.page(query))
        }

        func details(_ id: String, from position: Int = 0, limit: Int = 100) async throws -> IncidentDetails? {
            try await ask(FleetIncidents.details(of: id, from: position, limit: limit))
        }

        func ask<Answer>(_ question: FleetQuestion<Answer>) async throws -> Answer {
            try question.read(try await fleet.client.execute(question.statement, question.parameters))
        }

        /// The actions of the incidents' events, in their order.
        func actions() async throws -> [String] {
            let rows = try await fleet.client.execute("SELECT data FROM log WHERE type = 'incident' ORDER BY seq")
            return try (0..<rows.rowCount).map { row in
                let data = try JSONValue(reading: Array(try rows.text(row, 0).utf8))
                guard case .string(let action)? = data.member("action") else { return "?" }
                return action
            }
        }
    }

    private static let refusal = IncidentFault(
        IncidentCause(.refusal, "198.51.100.7"),
        .target,
        code: "connect_refused",
        detail: "It refuses connections."
    )

    @Test(
        "Targets that fail for one cause are one incident, over the end of a coordinator, until the last is back or removed"
    )
    func life() async throws {
        let scene = try await Scene(["a", "b", "c"])
        let hosts = try await scene.fleet.hosts(2)
        await hosts[0].claim()
        try await scene.assigned()
        try await scene.report(.up, ["a", "b", "c"], number: 1)
        try await scene.report(.down, ["a", "b"], fault: Self.refusal, number: 2)
        try await scene.fleet.until { try await scene.list().openCount == 1 }
        var incident = try #require(try await scene.list().incidents.first)
        #expect(incident.title == "198.51.100.7 refuses connections: 2 targets down")
        #expect(try await scene.details(incident.id)?.members.map(\.target) == ["a", "b"])

        // Another coordinator goes on with it.
        await hosts[0].resign()
        try await scene.fleet.vacate()
        await hosts[1].claim()
        try await scene.report(.down, ["c"], fault: Self.refusal, number: 3)
        try await scene.fleet.until { try await scene.list().incidents.first?.counts.total == 3 }
        try await scene.report(.up, ["a"], number: 4)
        try await scene.fleet.until { try await scene.list().incidents.first?.counts.open == 2 }
        try await scene.fleet.client.execute("DELETE FROM targets WHERE id = 'b'")
        try await scene.fleet.client.execute("DELETE FROM verdicts WHERE target = 'b'")
        try await scene.fleet.client.execute("UPDATE log_head SET declared = declared + 1")
        try await scene.fleet.until { try await scene.list().incidents.first?.counts.open == 1 }
        try await scene.report(.up, ["c"], number: 5)
        try await scene.fleet.until { try await scene.list().openCount == 0 }

        let page = try await scene.list()
        incident = try #require(page.incidents.first)
        #expect(page.incidents.count == 1 && incident.closedAt != nil && incident.counts.total == 3)
        let ends = try await scene.details(incident.id)?.members.map { "\($0.target) \($0.end?.rawValue ?? "-")" }
        #expect(ends == ["a recovered", "b removed", "c recovered"])
        #expect(try await scene.actions() == ["opened", "updated", "updated", "updated", "closed"])
        let restOfDetails = try await scene.details(incident.id, from: 1, limit: 1)
        #expect(restOfDetails?.members.map(\.target) == ["b"] && restOfDetails?.next == 2)
    }

    @Test("People's edits are applied by the coordinator once, also to an incident that was closed long ago")
    func edits() async throws {
        let scene = try await Scene(["a"])
        let hosts = try await scene.fleet.hosts(2)
        await hosts[0].claim()
        try await scene.assigned()
        try await scene.report(.down, ["a"], number: 1)
        try await scene.fleet.until { try await scene.list().openCount == 1 }
        let id = try #require(try await scene.list().incidents.first?.id)
        var edit = IncidentEdit()
        edit.acknowledgedBy = "eve"
        let number = try #require(try await scene.ask(FleetIncidents.edit(id, edit)))
        try await scene.fleet.until { try await scene.ask(FleetIncidents.isTaken(number)) }
        #expect(try await scene.details(id)?.incident.acknowledgement?.by == "eve")
        #expect(try await scene.ask(FleetIncidents.edit("0-1", edit)) == nil)

        try await scene.report(.up, ["a"], number: 2)
        try await scene.fleet.until { try await scene.list().openCount == 0 }
        await hosts[0].resign()
        try await scene.fleet.vacate()
        try await scene.fleet.client.execute("UPDATE incidents SET closed = closed - 3600000000")
        await hosts[1].claim()
        edit = IncidentEdit()
        edit.note = ("bob", "A cable.")
        let second = try #require(try await scene.ask(FleetIncidents.edit(id, edit)))
        try await scene.fleet.until { try await scene.ask(FleetIncidents.isTaken(second)) }
        let details = try #require(try await scene.details(id))
        #expect(details.incident.notes.map(\.text) == ["A cable."] && details.members.map(\.target) == ["a"])
        #expect(try await scene.actions() == ["opened", "edited", "closed", "edited"])
        // A row that makes no sense is deleted.
        try await scene.fleet.client.execute("INSERT INTO incident_edits (incident, edit, at) VALUES ('\(id)', 'x', 1)")
        try await scene.fleet.until { try await scene.fleet.number("SELECT count(*) FROM incident_edits") == 0 }
    }

    @Test("Lists have the open incidents first, go on at a cursor, and filter by state, target, group and time")
    func lists() async throws {
        let scene = try await Scene((1...6).map { "t\($0)" })
        let host = try #require(try await scene.fleet.hosts(1).first)
        await host.claim()
        try await scene.assigned()
        for index in 1...6 {
            try await scene.report(.down, ["t\(index)"], number: index)
            try await scene.fleet.until { try await scene.list().openCount == index }
        }
        try await scene.report(.up, ["t2", "t5"], number: 7)
        try await scene.fleet.until { try await scene.list().openCount == 4 }
        var query = IncidentQuery()
        query.limit = 2
        var found: [String] = []
        repeat {
            let page = try await scene.list(query)
            found += page.incidents.map(\.description.target)
            query.after = page.next
        } while query.after != nil
        #expect(found == ["t6", "t4", "t3", "t1", "t5", "t2"])
        query = IncidentQuery()
        query.isOpen = false
        #expect(try await scene.list(query).incidents.map(\.description.target) == ["t5", "t2"])
        query = IncidentQuery()
        query.targets = ["t1", "t2"]
        #expect(try await scene.list(query).incidents.map(\.description.target) == ["t1", "t2"])
        query.groups = ["no"]
        #expect(try await scene.list(query).incidents.isEmpty)
        // Old ones are deleted with their members.
        let trimmed = try await scene.fleet.client.execute(
            IncidentStatements.trim,
            [.integer(3_600_000_000), .integer(1), .integer(10)]
        )
        #expect(try trimmed.integer(0, 0) == 1)
        #expect(try await scene.list().incidents.map(\.description.target) == ["t6", "t4", "t3", "t1", "t5"])
        #expect(try await scene.fleet.number("SELECT count(*) FROM incident_members") == 5)
    }
}
