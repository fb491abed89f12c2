// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Synchronization
import TestSupport
import Testing

/// A fleet in a database of its own, which was made by the command line.
final class TestFleet: Sendable {
    let server: PostgreSQLServer
    /// The name of the database.
    let database: String
    private let watcher: Mutex<DatabaseObserver>
    private let folder: TemporaryFolder

    private static let counter = Atomic(0)

    /// Creates a fleet for a body.
    ///
    /// - Parameters:
    ///   - server: the server; nil for the suite's.
    ///   - settings: the fleet's settings.
    static func with<Value>(
        _ server: PostgreSQLServer? = nil,
        settings: String = "{ lease: 2s, settle: 1s }",
        _ body: (TestFleet) async throws -> Value
    ) async throws -> Value {
        let fleet = try await TestFleet(server ?? FleetServer.current())
        try fleet.apply("settings: \(settings)\ntargets: []", prints: "applied: ")
        return try await body(fleet)
    }

    private init(_ server: PostgreSQLServer) async throws {
        self.server = server
        folder = try TemporaryFolder()
        database = "fleet\(Self.counter.add(1, ordering: .relaxed).newValue)"
        try server.execute("CREATE DATABASE \(database)", database: "postgres")
        let result = try Reachd.run([
            "fleet", "init", "--database",
            "postgresql:///\(database)?host=\(server.folder.path)&port=\(server.port)&user=admin",
        ])
        guard result.status == 0 else { throw NotReached(description: "reachd fleet init: \(result.output)") }
        watcher = Mutex(try await DatabaseObserver(server, database: database))
    }

    /// The database's URI for nodes.
    var uri: String { "postgresql:///\(database)?host=\(server.folder.path)&port=\(server.port)&user=reachd" }

    // MARK: Commands

    /// Runs `reachd fleet` with the database.
    func command(_ arguments: String...) throws -> Reachd.Result {
        try Reachd.run(["fleet"] + arguments + ["--database", uri])
    }

    /// Applies a document.
    func apply(_ text: String, prints expected: String) throws {
        let file = try folder.write(text, to: "fleet.yaml")
        let result = try command("apply", file)
        #expect(result.status == 0 && result.output.contains(expected), "\(result.output)")
    }

    /// Declares targets of one TCP port each.
    func declare(_ targets: [String: UInt16], address: String = "127.0.0.1", watch: String = "{}") throws {
        let lines = targets.sorted { $0.key < $1.key }.map { id, port in
            "- { id: \(id), address: \(address), "
                + "probe: { type: tcp, port: \(port), interval: 1s, timeout: 1s, fall: 1, rise: 1 } }"
        }
        try apply("watch: \(watch)\ntargets:\n\(lines.joined(separator: "\n"))", prints: "\(targets.count) added")
    }

    /// Starts a node.
    func start(
        _ name: String,
        location: String = "default",
        more: String = "",
        configuration: String = "",
        environment: [String: String] = [:],
        in namespace: NetworkNamespace? = nil
    ) async throws -> FleetProcess {
        try await FleetProcess(
            name,
            fleet: "location: \(location), database: \"\(uri)\"\(more)",
            configuration: configuration,
            environment: environment,
            in: namespace
        )
    }

    /// Starts nodes and waits until all of them are members.
    func start(_ names: [String]) async throws -> [FleetProcess] {
        var nodes: [FleetProcess] = []
        for name in names { nodes.append(try await start(name)) }
        for node in nodes { try await node.line("registered in the fleet") }
        return nodes
    }

    // MARK: The database

    /// The rows of a statement, columns separated by spaces.
    @discardableResult
    func rows(_ sql: String) async throws -> [String] { try await watcher.withLock { $0 }.rows(sql) }

    /// Connects again, after the server was restarted.
    func reconnect() async throws {
        let fresh = try await DatabaseObserver(server, database: database)
        watcher.withLock { $0 = fresh }
    }

    /// Awaits rows for which a condition holds.
    @discardableResult
    func rows(_ sql: String, until holds: ([String]) throws -> Bool) async throws -> [String] {
        var last: [String] = []
        return try await awaitValue(sql, last: { "\(last)" }) {
            last = try await rows(sql)
            return try holds(last) ? last : nil
        }
    }

    /// Awaits that a statement's rows are these.
    func expect(_ sql: String, _ expected: String...) async throws { try await rows(sql) { $0 == expected } }

    /// Each target's assignments, as `target node`.
    static let owners = """
        SELECT t.id, a.node FROM targets t JOIN assignments a USING (placement, shard) WHERE a.node IS NOT NULL ORDER BY t.id
        """

    /// Awaits that all targets have a verdict `up`, and owners that have probed them.
    func becomesUp(_ targets: some Sequence<String>) async throws {
        let count = Array(targets).count
        try await expect(
            """
            SELECT count(*) FILTER (WHERE v.state = 'up'), count(*) FILTER (WHERE a.confirmed = a.token AND a.node IS NOT NULL)
            FROM targets t JOIN verdicts v ON v.target = t.id JOIN assignments a USING (placement, shard)
            """,
            "\(count) \(count)"
        )
    }

    /// The name of the coordinator.
    func coordinator() async throws -> String {
        try await rows("SELECT coordinator FROM log_head WHERE coordinator IS NOT NULL") { !$0.isEmpty }[0]
    }

    /// The log's changes of one target, as `from to cause`.
    func changes(of target: String) async throws -> [String] {
        try await rows(
            "SELECT from_state, to_state, cause FROM log WHERE target = '\(target)' AND type = 'state' ORDER BY seq"
        )
    }

    /// Awaits the log's last change of a target.
    func change(of target: String, to state: String) async throws {
        try await expect(
            "SELECT to_state FROM log WHERE target = '\(target)' AND type = 'state' ORDER BY seq DESC LIMIT 1",
            state
        )
    }

    /// Shows that the log has each number once, in the order of the head, and that each change begins with the state in which the
    /// one before ended.
    func expectConsistentLog() async throws {
        let rows = try await rows(
            "SELECT seq, target, coalesce(from_state, '-'), coalesce(to_state, '-') FROM log ORDER BY day, seq"
        )
        let fields = rows.map { $0.split(separator: " ").map(String.init) }
        #expect(fields.map { $0[0] } == (0..<rows.count).map { "\($0 + 1)" })
        #expect(try await self.rows("SELECT seq FROM log_head") == ["\(rows.count)"])
        var states: [String: String] = [:]
        // The others are votes.
        for row in fields where row[3] != "-" {
            #expect(row[2] == states[row[1]] ?? "unknown", "\(row)")
            states[row[1]] = row[3]
        }
        let verdicts = try await self.rows(
            "SELECT target, state FROM verdicts WHERE state <> 'unknown' ORDER BY target"
        )
        #expect(verdicts == states.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })
    }
}
