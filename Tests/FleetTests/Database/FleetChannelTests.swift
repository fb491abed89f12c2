// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import PostgreSQL
import TestSupport
import Testing

@testable import Fleet

@Suite(
    "Notifications of a fleet",
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")")
)
struct FleetChannelTests {
    /// A node that listens to all channels.
    private static func listener(
        _ database: FleetDatabase,
        _ notifications: Recorder<DatabaseNotification>
    ) async throws -> SchemaClient {
        let client = try await SchemaClient.open(uri: database.uri)
        for channel in FleetChannel.allCases {
            let isAccepted = await client.perform { connection, end in
                connection.notified = { notifications.record($0) }
                channel.listen(on: connection, completion: end)
            }
            #expect(isAccepted)
        }
        return client
    }

    @Test("A node that registers, departs or first reports notifies the coordinator, which notifies of its resignation")
    func channels() async throws {
        let database = try FleetDatabase()
        let notifications = Recorder<DatabaseNotification>()
        let listener = try await Self.listener(database, notifications)
        let client = try await FleetClient(database.settings())
        var expected: [FleetChannel] = []
        /// Awaits the notifications of a statement: those of the next one come later.
        func expect(_ channels: [FleetChannel], _ statement: Statement, _ parameters: [DatabaseValue]) async throws {
            #expect(try await client.execute(statement, parameters).rowCount == 1)
            expected += channels
            let marks = notifications.count
            try await client.execute(Statement("SELECT \(FleetChannel.log.notify("'mark'"))"))
            _ = try await notifications.next(after: marks) { $0.payload == "mark" }
        }
        let node: [DatabaseValue] = [.text("n"), .integer(1)]
        let lease = DatabaseValue.integer(3_600_000_000)
        try await expect(
            [.work],
            MembershipStatements.register,
            [.text("n"), .text("berlin"), .null, .text("1"), .integer(10), .text("e1"), lease]
        )
        let renewal: [DatabaseValue] = node + [lease, .integer(0), .null, .integer(0), .integer(0), .null]
        try await expect([], MembershipStatements.renew, renewal + [.bool(false)])
        let report = node + [.text("e1")] + ReportBatch().columns(skew: .zero)
        try await expect([], ReportStatements.report, report + [.bool(false)])
        try await expect([.work], ReportStatements.report, report + [.bool(true)])
        let drain = FleetOverview.drain(true, node: "n")
        try await expect([.work], drain.statement, drain.parameters)
        try await expect([], CoordinatorStatement.claim, node + [lease])
        try await expect([], CoordinatorStatement.keep, node + [.integer(1), lease])
        try await expect([.vacancy], CoordinatorStatement.keep, node + [.integer(1), .integer(0)])
        try await expect([.work], MembershipStatements.renew, renewal + [.bool(true)])
        let received = notifications.events.filter { $0.payload != "mark" }.map { FleetChannel(named: $0.channel) }
        #expect(received == expected)
        _ = listener
    }

    @Test("A channel is named after the schema, and another one is not the fleet's")
    func names() {
        for channel in FleetChannel.allCases {
            #expect(FleetChannel(named: "reachd\(channel.rawValue)") == channel)
        }
        #expect(FleetChannel(named: "reachd other") == nil)
    }
}
