// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import MonitoringTestSupport
import NetworkPaths
import PostgreSQL
import TestSupport
import Testing

@testable import Fleet
@testable import Monitoring

@Suite(
    "A node that restarts without its database",
    .serialized,
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")")
)
struct NodeRestartTests {
    @Test("The cached targets are probed, and what two runs observed during the outage counts afterwards")
    func outage() async throws {
        let scene = try await RestartScene(["a", "b"])
        let first = try scene.start()
        #expect(try await first.assigned.next { $0.ids == ["a", "b"] }.states == [:])
        try first.emit("a", .up())
        try first.emit("b", .up())
        try await scene.reach("SELECT target || ' ' || state FROM reachd.verdicts ORDER BY 1", ["a up", "b up"])
        scene.server.kill()
        try await first.awaitStatus { $0.standing.outage != nil }
        try first.emit("a", .down())
        let stop = SystemWallClock().now().milliseconds
        first.stop()

        let second = try scene.start(after: first)
        #expect(try await second.assigned.next { $0.ids == ["a", "b"] }.states == ["b": .up])
        try await second.awaitStatus { $0.isResumed && $0.targets == 2 }
        #expect(second.membership.status?.cache?.fault == nil)
        // Between the two observations, and far from both: times are corrected by the estimated skew of the clocks.
        let restart = (stop + 500) * 1_000
        while SystemWallClock().now().milliseconds < stop + 1_000 { try await Task.sleep(for: .milliseconds(40)) }
        try second.emit("b", .down(.prohibited))
        try scene.startServer()
        try await scene.reach(
            "SELECT target || ' ' || state FROM reachd.verdicts ORDER BY 1",
            ["a unreachable", "b unreachable"]
        )
        // The first run's observation counts as of then, and once.
        try await scene.reach(
            """
            SELECT target || ' ' || from_state || ' ' || to_state || ' ' || (at < \(restart)) FROM reachd.log
            WHERE type = 'state' AND from_state <> 'unknown' ORDER BY 1
            """,
            ["a up unreachable true", "b up unreachable false"]
        )
        try await second.awaitStatus { !$0.isResumed && $0.standing.backlog == 0 }
        second.stop()

        // With the database, the states are those of the votes.
        let third = try scene.start(after: second)
        let states = try await third.assigned.next { $0.ids == ["a", "b"] }.states
        #expect(states == ["a": .unreachable, "b": .unreachable])
        third.stop()
    }

    @Test("Shards that moved during the outage are dropped when the database is back, and so are their observations")
    func moved() async throws {
        let scene = try await RestartScene(["a"])
        let first = try scene.start()
        try await first.assigned.next { $0.ids == ["a"] }
        try first.emit("a", .up())
        try await scene.reach("SELECT state FROM reachd.verdicts", ["up"])
        first.stop()
        try scene.server.execute(
            """
            SET search_path = reachd;
            INSERT INTO nodes (name, incarnation, location, version, capacity, epoch, since, until, resumed)
            SELECT 'node-9', 1, location, version, capacity, 'e9', since, until + 3600000000, resumed FROM nodes;
            UPDATE assignments SET node = 'node-9', token = token + 1, confirmed = token + 1;
            UPDATE log_head SET assignment = assignment + 1
            """
        )
        scene.server.kill()
        let second = try scene.start(after: first)
        try await second.assigned.next { $0.ids == ["a"] }
        try second.emit("a", .down())
        try scene.startServer()
        try await second.assigned.next(after: 1) { $0.ids == [] }
        try await second.awaitStatus { $0.standing.backlog == 0 && !$0.isResumed }
        #expect(try scene.rows("SELECT node || ' ' || state FROM reachd.votes") == ["node-1 up"])
        #expect(try scene.rows("SELECT count(*) FROM reachd.inbox") == ["0"])
        second.stop()
    }

    @Test("Tokens of another fleet are not used, although it has the database's name")
    func otherFleet() async throws {
        let scene = try await RestartScene(["a"])
        let first = try scene.start()
        try await first.assigned.next { $0.ids == ["a"] }
        try first.emit("a", .up())
        try await scene.reach("SELECT state FROM reachd.verdicts", ["up"])
        first.stop()
        try scene.server.execute("UPDATE reachd.log_head SET identity = 'ffffffffffffffffffffffffffffffff'")
        let second = try scene.start(after: first)
        try await second.awaitStatus { $0.cache?.fault?.code == .otherFleet || $0.cache?.savedAt != nil }
        try await second.assigned.next { $0.ids == ["a"] }
        #expect(scene.messages.events.contains { $0.facts["code"] == "other_fleet" })
        second.stop()
    }
}

/// A fleet's database, and the runs of one node.
private final class RestartScene: Sendable {
    let server: PostgreSQLServer
    let messages = Recorder<LogMessage>()
    private let scene: ReaderScene
    private let folder: TemporaryFolder

    init(_ ids: [String]) async throws {
        server = try PostgreSQLServer()
        scene = try await ReaderScene(server)
        folder = try TemporaryFolder()
        try await scene.declare(ids)
        // A vote counts for three intervals without its node: longer than a slow machine takes for a restart.
        try server.execute("UPDATE reachd.targets SET \"interval\" = 600000000")
    }

    /// Starts a run; its log continues that of an earlier one.
    func start(after earlier: NodeRun? = nil) throws -> NodeRun {
        try NodeRun(
            settings: scene.settings,
            cache: StateFile(folder.path(of: "log.db.assignments")),
            log: { [messages] in messages.record($0) },
            after: earlier
        )
    }

    func startServer() throws {
        for _ in 0..<100 {
            do { return try server.start() } catch  where "\(error)".contains("shared memory block") { continue }
        }
        try server.start()
    }

    func rows(_ sql: String) throws -> [String] {
        try server.execute(sql).split(whereSeparator: \.isNewline).map(String.init)
    }

    /// Reads until there are these rows; the suite's time limit ends it.
    func reach(_ sql: String, _ expected: [String]) async throws {
        while try rows(sql) != expected { try await Task.sleep(for: .milliseconds(40)) }
    }
}

/// One process of the node, whose targets are judged by their paths.
private final class NodeRun: Sendable {
    struct Assigned: Sendable {
        let ids: [String]
        let states: [String: TargetState]
    }

    /// An earlier run's log.
    private struct Archive: EventArchive {
        let earlier: [RecordedEvent]
        var oldest: UInt64 { 1 }

        func events(after sequence: UInt64, limit: Int) -> [RecordedEvent] {
            Array(earlier.drop { $0.sequence <= sequence }.prefix(limit))
        }
    }

    let assigned = Recorder<Assigned>()
    let membership: FleetMembership
    private let registry: Registry
    private let source = FakeSource()
    private let lease: Registry.DurabilityLease
    private let archive: Archive

    init(
        settings: DatabaseSettings,
        cache: StateFile,
        log: @escaping @Sendable (LogMessage) -> Void,
        after earlier: NodeRun?
    ) throws {
        let registry = Registry(epoch: "e1")
        self.registry = registry
        archive = Archive(earlier: earlier.map(\.allEvents) ?? [])
        lease = registry.continueLog(epoch: "e1", head: archive.earlier.last?.sequence ?? 0, archive: archive)
        registry.connect(to: source)
        var node = FleetNodeSettings()
        node.node = "node-1"
        membership = try FleetMembership(
            settings: node,
            database: settings,
            version: "1.0",
            events: registry,
            cache: cache,
            declare: { [assigned] targets, states in
                registry.apply(targets: targets.map { Self.settings($0.id) }, resuming: states)
                assigned.record(Assigned(ids: targets.map(\.id).sorted(), states: states))
            },
            execute: { _ in },
            log: log
        )
        membership.start()
    }

    private var allEvents: [RecordedEvent] {
        archive.earlier + registry.recordedEvents(after: archive.earlier.last?.sequence ?? 0, limit: .max).events
    }

    private static func settings(_ id: String) -> TargetSettings { .address(id, "198.51.100.\(id.utf8.last ?? 0)") }

    /// The path engine's verdict on a target.
    func emit(_ id: String, _ path: NetworkPath) throws {
        let update = PathUpdate(
            id: try #require(source.id(Self.settings(id).request)),
            path: path,
            previous: nil,
            trigger: ChangeTrigger(.route)
        )
        registry.pathsDidChange([update])
        registry.makeDurable(through: registry.recordedSequence, under: lease)
    }

    /// Reads the status until a condition holds; the suite's time limit ends it.
    func awaitStatus(_ condition: (FleetStatus) -> Bool) async throws {
        while try !condition(#require(membership.status)) {
            try await Task.sleep(for: .milliseconds(40))
        }
    }

    func stop() { membership.stop(within: .milliseconds(500)) }

    // A test that fails does not come to its stop, and a membership that still runs ends the test runner.
    deinit { stop() }
}
