// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import MonitoringTestSupport
import PostgreSQL
import TestSupport
import Testing

@testable import Fleet

/// A node that stores its history in a fleet's database: the sender on a loop of its own, whose clocks a test moves.
final class SenderHost: Sendable {
    static let minute: UInt64 = 60_000_000_000

    let source = ListedRollups()
    let messages = Recorder<LogMessage>()
    /// The names of the statements that were executed.
    let statements = Recorder<String>()
    let clock = ManualClock()
    let wall: FakeClock
    let node: NodeIdentity
    private let loop: EventLoop
    private let parts: ThreadConfined<Parts>

    private final class Parts {
        let executor: Executor
        var sender: RollupSender

        init(_ executor: Executor, _ sender: RollupSender) { (self.executor, self.sender) = (executor, sender) }
    }

    /// Executes statements on another loop's connection.
    private final class Executor: StatementExecutor {
        private final class Waiting {
            let completion: (Result<DatabaseRows, DatabaseError>) -> Void

            init(_ completion: @escaping (Result<DatabaseRows, DatabaseError>) -> Void) { self.completion = completion }
        }

        let loop: EventLoop
        let client: SchemaClient
        let statements: Recorder<String>
        var failure: DatabaseError?

        init(_ loop: EventLoop, _ client: SchemaClient, _ statements: Recorder<String>) {
            (self.loop, self.client, self.statements) = (loop, client, statements)
        }

        func execute(
            _ statement: Statement,
            _ parameters: [DatabaseValue],
            completion: @escaping (Result<DatabaseRows, DatabaseError>) -> Void
        ) {
            statements.record(statement.name ?? "")
            let waiting = ThreadConfined(Waiting(completion), to: loop)
            if let failure {
                loop.execute { waiting.value.completion(.failure(failure)) }
                return
            }
            Task { [loop, client] in
                let result: Result<DatabaseRows, DatabaseError>
                do throws(DatabaseError) {
                    result = .success(try await client.execute(statement.sql, parameters))
                } catch {
                    result = .failure(error)
                }
                loop.execute { waiting.value.completion(result) }
            }
        }
    }

    /// Registers the node.
    ///
    /// - Parameter now: the wall clock, in milliseconds since 1970.
    init(_ name: String, at location: String = "berlin", _ client: SchemaClient, now: Int64) async throws {
        let registered = try await client.execute(
            MembershipStatements.register.sql,
            [.text(name), .text(location), .null, .text("1.0"), .integer(1_000), .text("0a"), .integer(60_000_000)]
        )
        node = NodeIdentity(name: name, incarnation: try registered.integer(0, 0))
        wall = FakeClock(now)
        loop = try EventLoop(name: "test-rollups", clock: clock)
        let made = loop.executeAndWait { [loop, source, wall, statements] in
            let executor = Executor(loop, client, statements)
            return ThreadConfined(Parts(executor, Self.makeSender(loop, executor, source, wall)), to: loop)
        }
        parts = try #require(made)
        prepare()
    }

    deinit { loop.close() }

    private static func makeSender(
        _ loop: EventLoop,
        _ executor: any StatementExecutor,
        _ source: ListedRollups,
        _ wall: FakeClock
    ) -> RollupSender {
        RollupSender(
            loop: loop,
            executor: executor,
            source: source,
            wall: wall,
            random: SeededGenerator(seed: 1)
        )
    }

    private func prepare() {
        loop.executeAndWait { [parts, messages] in parts.value.sender.log = { messages.record($0) } }
    }

    /// Begins anew, as after a restart of the process.
    func restart() {
        loop.executeAndWait { [loop, parts, source, wall] in
            parts.value.sender = Self.makeSender(loop, parts.value.executor, source, wall)
        }
        prepare()
    }

    /// Sets the wall clock, in milliseconds since 1970.
    func move(to moment: Int64) { wall.advance(milliseconds: moment - wall.now().milliseconds) }

    /// The connection ended and is back.
    func reconnect() { loop.executeAndWait { [parts] in parts.value.sender.restart() } }

    /// Lets every statement fail; nil for none.
    func fail(_ error: DatabaseError?) { loop.executeAndWait { [parts] in parts.value.executor.failure = error } }

    var status: RollupSender.Status { loop.executeAndWait { [parts] in parts.value.sender.status } ?? .init() }

    /// Renews the lease some times, a minute apart, and awaits what comes of each.
    func renew(
        _ count: Int = 1,
        _ setting: RollupSetting = .days,
        keeping time: Duration = .seconds(90 * 86_400)
    ) async {
        for _ in 0..<count {
            loop.executeAndWait { [parts, node] in parts.value.sender.continueWork(setting, keeping: time, as: node) }
            while loop.executeAndWait({ [parts] in parts.value.sender.isBusy }) ?? false { await Task.yield() }
            clock.advance(by: Self.minute)
        }
    }
}
