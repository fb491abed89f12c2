// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import PostgreSQL
import TestSupport

@testable import Fleet

/// A fleet in a database: nodes that are rows only, targets, and what the test reports in their names.
final class StagedFleet: Sendable {
    let database: FleetDatabase
    /// The connection of the test itself.
    let client: CoordinatorHost

    init(settings: [String: String] = [:]) async throws {
        database = try FleetDatabase(settings: settings)
        client = try CoordinatorHost("test", uri: database.uri)
        try await client.connect()
    }

    /// Creates hosts that can be the coordinator. Their nodes watch nothing.
    func hosts(_ count: Int, settings: FleetSettings = FleetSettings(lease: .seconds(3600))) async throws
        -> [CoordinatorHost]
    {
        var hosts: [CoordinatorHost] = []
        for index in 0..<count {
            let host = try CoordinatorHost("hub-\(index)", uri: database.uri, settings: settings)
            try await host.connect()
            try await addNode(host.identity.name, in: "hub", capacity: 0)
            hosts.append(host)
        }
        return hosts
    }

    func addNode(_ name: String, in location: String, capacity: Int = 100_000) async throws {
        try await client.execute(
            """
            INSERT INTO nodes (name, incarnation, location, version, capacity, since, until, resumed, epoch, announced)
            SELECT $1::text, 1, $2::text, '1', $3::int, t.now, t.now + 3600000000, 0, 'e', 'live'
            FROM (SELECT \(DatabaseClock.now) AS now) t
            """,
            [.text(name), .text(location), .integer(Int64(capacity))]
        )
    }

    /// Stores a placement.
    func place(watchers: Int, quorum: Int, in locations: [String]) async throws -> Int {
        let rows = try await client.execute(
            "INSERT INTO placements (watchers, quorum, locations) VALUES ($1::int, $2::int, $3::text[]) RETURNING id",
            [.integer(Int64(watchers)), .integer(Int64(quorum)), .texts(locations)]
        )
        return Int(clamping: try rows.integer(0, 0))
    }

    func declare(_ ids: [String], placement: Int) async throws {
        let statement = DeclareStatement(
            declarations: ids.map {
                DeclareStatement.Declaration(
                    id: $0,
                    shard: Shard(of: $0, placement: placement),
                    spec: "{}",
                    interval: .seconds(10)
                )
            },
            origin: "test",
            source: nil
        )
        try await client.execute(DeclareStatement.statement, statement.parameters)
    }

    /// The stored assignments.
    func assignments() async throws -> AssignmentTable {
        let rows = try await client.execute(CoordinatorStatement.assignments, [])
        var table = AssignmentTable()
        for row in 0..<rows.rowCount {
            let (key, record) = try AssignmentTable.read(rows, row)
            table[key] = record
        }
        return table
    }

    /// Inserts rows into the inbox in one statement, as a node's report does, in the order of the list.
    func report(_ rows: [InboxRow]) async throws {
        let contents = rows.map { row -> (kind: String, vote: VoteContent?) in
            switch row.content {
            case .vote(_, let vote): ("vote", vote)
            case .certificate: ("certificate", nil)
            case .confirmation: ("confirmed", nil)
            case .unreadable: ("nonsense", nil)
            }
        }
        try await client.execute(
            """
            INSERT INTO inbox (node, local, kind, placement, shard, location, token, target, state, cause, reason,
              detail, since, at, data)
            SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::int[], $5::int[], $6::text[], $7::bigint[],
              $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::bigint[], $14::bigint[], $15::text[])
            """,
            [
                .texts(rows.map(\.node)), .integers(rows.map(\.id)), .texts(contents.map(\.kind)),
                .integers(rows.map { Int64($0.key.shard.placement) }),
                .integers(rows.map { Int64($0.key.shard.number) }),
                .texts(rows.map(\.key.location)), .integers(rows.map(\.token)), .texts(rows.map(\.target)),
                .texts(contents.map { $0.vote?.state.rawValue }), .texts(contents.map { $0.vote?.cause?.rawValue }),
                .texts(contents.map { $0.vote?.reason }), .texts(contents.map { $0.vote?.detail }),
                .integers(contents.map { $0.vote?.since.microseconds }), .integers(rows.map(\.at.microseconds)),
                .texts(contents.map { $0.vote?.fault.map { String(decoding: $0.stored, as: UTF8.self) } }),
            ]
        )
    }

    func number(_ sql: String) async throws -> Int64 { try await client.execute(sql).integer(0, 0) }

    func inboxCount() async throws -> Int64 { try await number("SELECT count(*) FROM inbox") }

    /// Ends the coordinator's lease.
    func vacate() async throws { try await client.execute("UPDATE log_head SET until = 0") }

    struct Hangs: Error {}

    /// Repeats a query until a condition holds. Each repetition waits for the database's answer.
    func until(_ condition: () async throws -> Bool) async throws {
        for _ in 0..<100_000 {
            if try await condition() { return }
            // A condition of a host alone is answered at once.
            try await client.execute("SELECT")
        }
        throw Hangs()
    }
}
