// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import PostgreSQL

@testable import Fleet

/// What the coordinator knows when it decides, read with its own statements.
struct CoordinatorView {
    private var round: RoundFacts
    private var standings: [String: TargetStanding] = [:]

    init(_ client: SchemaClient) async throws {
        let head = try await client.execute(
            """
            UPDATE log_head SET coordinator = coalesce(coordinator, 'nobody')
            RETURNING coordinator, incarnation, token, settings
            """
        )
        let settings = FleetSettings(text: try head.text(0, 3))
        let coordinator: [DatabaseValue] = [
            .text(try head.text(0, 0)), .integer(try head.integer(0, 1)), .integer(try head.integer(0, 2)),
            .integer(settings.lease.microseconds), .integer(0),
        ]
        let look = try FleetLook(try await client.execute(CoordinatorStatement.look.sql, coordinator))
        round = RoundFacts(now: look.now)
        round.settings = settings
        round.members = FleetMembers(look.nodes, now: look.now, lease: round.settings.lease)
        let assignments = try await client.execute(CoordinatorStatement.assignments.sql)
        for row in 0..<assignments.rowCount {
            let (key, record) = try AssignmentTable.read(assignments, row)
            round.assignments[key] = record
        }
        let placements = try await client.execute(CoordinatorStatement.placements.sql)
        for row in 0..<placements.rowCount {
            round.placements[Int(clamping: try placements.integer(row, 0))] = try Placement(placements, row, 1)
        }
        let ids = try await client.list("SELECT id FROM targets")
        let standing = try await client.execute(CoordinatorStatement.standing.sql, [.texts(ids)])
        for row in 0..<standing.rowCount {
            let target = try TargetStanding(standing, row)
            standings[target.id] = target
        }
        let votes = try await client.execute(CoordinatorStatement.votes.sql, [.texts(ids)])
        for row in 0..<votes.rowCount {
            let content = VoteContent(
                state: try votes.text(row, 2),
                cause: try votes.optionalText(row, 3),
                reason: try votes.optionalText(row, 4),
                detail: try votes.optionalText(row, 5),
                since: try votes.integer(row, 6)
            )
            guard let content else { continue }
            round.votes[try votes.text(row, 0), default: [:]][try votes.text(row, 1)] = StoredVote(
                content: content,
                token: try votes.integer(row, 7),
                node: try votes.text(row, 8)
            )
        }
    }

    struct Unknown: Error {}

    /// What the verdict on a target depends on.
    func facts(of target: String) throws -> VerdictFacts {
        guard let standing = standings[target], let placement = round.placements[standing.shard.placement] else {
            throw Unknown()
        }
        return VerdictFacts(
            votes: round.votes(standing, round.votes[target] ?? [:], placement),
            placement: placement,
            now: round.now,
            settle: round.settings.settle,
            unwatchedAfter: round.settings.unwatchedAfter,
            interval: standing.interval
        )
    }
}
