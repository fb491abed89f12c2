// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import PostgreSQL
import TestSupport
import Testing

@testable import Fleet

@Suite("Statements on one connection") struct StatementLanesTests {
    /// Runs a body on a loop's thread and settles it.
    private static func run(_ body: @escaping @Sendable (EventLoop, Recorder<String>) -> Void) throws -> [String] {
        let loop = try EventLoop(name: "test-lanes")
        defer { loop.close() }
        let results = Recorder<String>()
        loop.executeAndWait { body(loop, results) }
        for _ in 0..<10 { loop.executeAndWait {} }
        return results.events
    }

    private static func record(
        _ name: String,
        in results: Recorder<String>
    ) -> (Result<DatabaseRows, DatabaseError>) -> Void {
        { result in
            switch result {
            case .success: results.record(name)
            case .failure(let error): results.record("\(name) \(error.reason.rawValue)")
            }
        }
    }

    @Test("One statement is in progress at a time, renewals come first, and what is not needed any more is skipped")
    func order() throws {
        let results = try Self.run { loop, results in
            let executor = ManualExecutor()
            let lanes = StatementLanes(loop: loop, executor: executor)
            for name in ["a", "b"] {
                lanes.execute(Statement(name, name: name), [], completion: Self.record(name, in: results))
            }
            lanes.execute({ nil }, completion: Self.record("skipped", in: results))
            lanes.executeFirst({ (Statement("r", name: "r"), []) }, completion: Self.record("r", in: results))
            #expect(executor.names == ["a"])
            executor.complete()
            #expect(executor.names == ["a", "r"])
            executor.complete()
            executor.complete()
            #expect(executor.names == ["a", "r", "b"])
            lanes.execute(Statement("c", name: "c"), [], completion: Self.record("c", in: results))
            #expect(executor.names == ["a", "r", "b", "c"])
            executor.complete()
        }
        #expect(results == ["a", "r", "b", "c"])
    }

    @Test("A closed connection fails what waits and what comes later, once each")
    func closing() throws {
        let results = try Self.run { loop, results in
            let executor = ManualExecutor()
            let lanes = StatementLanes(loop: loop, executor: executor)
            for name in ["a", "b"] {
                lanes.execute(Statement(name, name: name), [], completion: Self.record(name, in: results))
            }
            lanes.executeFirst({ (Statement("r", name: "r"), []) }, completion: Self.record("r", in: results))
            lanes.close(DatabaseError(.closed, "gone"))
            lanes.close(DatabaseError(.timeout, "gone again"))
            lanes.execute(Statement("late", name: "late"), [], completion: Self.record("late", in: results))
            executor.complete()
            #expect(executor.names == ["a"])
        }
        #expect(results == ["a", "r closed", "b closed", "late closed"])
    }

    @Test("Too many waiting statements are rejected, and renewals are not")
    func limit() throws {
        let results = try Self.run { loop, results in
            let executor = ManualExecutor()
            let lanes = StatementLanes(loop: loop, executor: executor)
            for _ in 0...StatementLanes.limit { lanes.execute(Statement("x", name: "x"), []) { _ in } }
            lanes.execute(Statement("y", name: "y"), [], completion: Self.record("y", in: results))
            lanes.executeFirst({ (Statement("r", name: "r"), []) }, completion: Self.record("r", in: results))
            executor.complete()
            executor.complete()
        }
        #expect(results.sorted() == ["r", "y queue_full"])
    }
}
