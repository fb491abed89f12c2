// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import LinuxIO
import Monitoring
import PostgreSQL
import TestSupport

/// A session on a loop of its own, whose callbacks are recorded.
final class SessionHost: Sendable {
    let loop: EventLoop
    let standings = Recorder<NodeStanding>()
    let assignments = Recorder<[OwnAssignment]>()
    let answers = Recorder<LeaseAnswer>()
    let messages = Recorder<LogMessage>()
    /// True for `connected`, false for `disconnected`.
    let connections = Recorder<Bool>()
    private let parts: ThreadConfined<Parts>

    /// What lives on the loop's thread.
    final class Parts {
        let source = ListedSource()
        let session: FleetSession
        /// nil with a real database.
        let database: ImitatedDatabase?
        fileprivate let resolver: Resolver?

        fileprivate init(
            _ loop: EventLoop,
            name: String,
            lease: Duration,
            settings: DatabaseSettings?,
            wall: any WallClock
        ) throws(ResolverError) {
            let imitation = settings == nil ? ImitatedDatabase(loop: loop) : nil
            let resolver = settings == nil ? nil : try Resolver(loop: loop)
            database = imitation
            self.resolver = resolver
            session = FleetSession(
                FleetSession.Parts(
                    loop: loop,
                    node: NodeDescription(name: name, location: "berlin", version: "1.0", capacity: 100),
                    source: source,
                    makeConnection: {
                        if let settings, let resolver {
                            return DatabaseConnection(loop: loop, resolver: resolver, settings: settings)
                        }
                        return (imitation ?? ImitatedDatabase(loop: loop)).makeConnection()
                    },
                    check: { executor, completion in
                        executor.execute(Statement("SELECT 1", name: "check_schema"), []) { result in
                            completion(result.map { _ in }.mapError { FleetFault($0) })
                        }
                    },
                    wall: wall,
                    random: SeededGenerator(seed: 7)
                ),
                settings: FleetSettings(lease: lease)
            )
        }
    }

    /// Creates a session that is not started.
    ///
    /// - Parameter settings: how to reach a real database; nil for an imitation.
    init(
        name: String = "node-1",
        lease: Duration = .seconds(5),
        clock: any MonotonicClock = SystemBootClock(),
        wall: any WallClock = SystemWallClock(),
        settings: DatabaseSettings? = nil
    ) throws {
        let loop = try EventLoop(name: "test-fleet", clock: clock)
        self.loop = loop
        let made = Recorder<Result<ThreadConfined<Parts>, ResolverError>>()
        loop.executeAndWait {
            made.record(
                Result { () throws(ResolverError) in
                    ThreadConfined(
                        try Parts(loop, name: name, lease: lease, settings: settings, wall: wall),
                        to: loop
                    )
                }
            )
        }
        parts = try made.events[0].get()
        loop.execute { [parts, standings, assignments, answers, messages, connections] in
            let session = parts.value.session
            session.standingChanged = { standings.record($0) }
            session.assignmentsChanged = { assignments.record($0) }
            session.renewed = { answers.record($0) }
            session.logged = { messages.record($0) }
            session.connected = { connections.record(true) }
            session.disconnected = { _ in connections.record(false) }
        }
    }

    deinit {
        loop.execute { [parts] in
            parts.value.session.close(departing: false, within: .zero)
            parts.value.resolver?.close()
        }
        loop.close()
    }

    func start() { run { $0.session.start() } }

    /// Does something on the loop's thread and waits for it.
    func run(_ body: @escaping @Sendable (Parts) -> Void) {
        loop.executeAndWait { [parts] in body(parts.value) }
    }

    /// Reads something on the loop's thread.
    func read<Value: Sendable>(_ body: @escaping @Sendable (Parts) -> Value) -> Value? {
        loop.executeAndWait { [parts] in body(parts.value) }
    }

    /// Records what was done by the node's log, and wakes the session.
    func log(_ body: @escaping @Sendable (ListedSource) -> Void) {
        run {
            body($0.source)
            $0.session.reportsAvailable()
        }
    }

    /// Ends the session.
    func close(departing: Bool, within: Duration = .seconds(20)) async -> Bool {
        await withCheckedContinuation { continuation in
            run { $0.session.close(departing: departing, within: within) { continuation.resume(returning: $0) } }
        }
    }
}
