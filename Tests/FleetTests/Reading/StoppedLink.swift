// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import PostgreSQL
import TestSupport
import Testing

@testable import Fleet

/// A connection for reading to an imitated database, with a clock that the test moves.
final class StoppedLink: Sendable {
    let clock = ManualClock()
    /// The fault after each of its changes; nil for none.
    let faults = Recorder<FleetFault?>()
    /// The outcome of each statement, as `name: result`.
    let outcomes = Recorder<String>()
    /// What was read of the log.
    let seen = SeenLog()
    private let loop: EventLoop
    private let parts: ThreadConfined<Parts>

    /// What lives on the loop's thread.
    final class Parts {
        let database: ImitatedDatabase
        let link: ReadingLink
        /// Why the schema cannot be used; nil when it can.
        var problem: FleetFault?

        fileprivate init(_ loop: EventLoop) {
            let database = ImitatedDatabase(loop: loop)
            self.database = database
            var problem: () -> FleetFault? = { nil }
            link = ReadingLink(
                loop: loop,
                makeConnection: { database.makeConnection() },
                check: { executor, completion in
                    executor.execute(Statement("SELECT 1", name: "check"), []) { result in
                        completion(
                            result.map { _ in }.mapError { FleetFault($0) }.flatMap {
                                problem().map(Result.failure) ?? .success(())
                            }
                        )
                    }
                },
                random: SeededGenerator(seed: 7)
            )
            problem = { [weak self] in self?.problem }
        }
    }

    init() throws {
        let loop = try EventLoop(name: "test-link", clock: clock)
        self.loop = loop
        let made = Recorder<ThreadConfined<Parts>>()
        loop.executeAndWait { made.record(ThreadConfined(Parts(loop), to: loop)) }
        parts = made.events[0]
        loop.executeAndWait { [parts, faults] in
            parts.value.link.faultChanged = { faults.record(parts.value.link.fault) }
        }
    }

    deinit { loop.close() }

    /// Does something with the database and the connection, until nothing moves without time.
    func run(_ body: @escaping @Sendable (Parts) -> Void = { _ in }) {
        loop.executeAndWait { [parts] in body(parts.value) }
        for _ in 0..<20 { loop.executeAndWait {} }
    }

    /// Executes statements, whose outcomes are recorded.
    func execute(_ names: String...) {
        run { [outcomes] parts in
            for name in names {
                parts.link.execute(Statement("SELECT 1", name: name), []) { result in
                    switch result {
                    case .success: outcomes.record("\(name): done")
                    case .failure(let fault): outcomes.record("\(name): \(fault.code), \(fault.message)")
                    }
                }
            }
        }
    }

    /// A log that is read over the connection.
    func makeLog() throws -> FleetLog {
        let made = Recorder<FleetLog>()
        run { [loop, seen] parts in
            let follower = ThreadConfined(LogFollower(loop: loop, link: parts.link, seen: seen), to: loop)
            let log = FleetLog(loop: loop, follower: follower)
            follower.value.log = log
            made.record(log)
        }
        return try #require(made.events.first)
    }

    /// The names of the statements since the last call.
    func statements() -> [String] {
        let names = read { parts in
            defer { parts.database.forgetStatements() }
            return parts.database.statements
        }
        return names ?? []
    }

    /// Moves the time at once.
    func advance(by time: Duration) {
        clock.advance(by: time.nanoseconds)
        run()
    }

    /// When connections were attempted.
    var attempts: [UInt64] { read { $0.database.attempts } ?? [] }

    /// Reads something on the loop's thread.
    func read<Value: Sendable>(_ body: @escaping @Sendable (Parts) -> Value) -> Value? {
        loop.executeAndWait { [parts] in body(parts.value) }
    }
}
