// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import PostgreSQL
import TestSupport

/// A session with an imitated database and a clock that the test moves.
struct StoppedSession {
    let host: SessionHost
    let clock: ManualClock

    init(lease: Duration = .seconds(5)) throws {
        clock = ManualClock()
        host = try SessionHost(lease: lease, clock: clock, wall: MovedWallClock(clock: clock))
    }

    /// Does something with the database and what hangs on it until nothing moves without time.
    func run(_ body: @escaping @Sendable (SessionHost.Parts, ImitatedDatabase) -> Void = { _, _ in }) {
        host.run { parts in
            if let database = parts.database { body(parts, database) }
        }
        // Each turn of the loop does at most one step of a chain of answers.
        for _ in 0..<40 { host.run { _ in } }
    }

    /// Moves the time in steps of 10 ms.
    func advance(by time: Duration) {
        for _ in 0..<(time.nanoseconds / 10_000_000) {
            clock.advance(by: 10_000_000)
            for _ in 0..<4 { host.run { _ in } }
        }
        run()
    }

    /// The names of the statements since the last call.
    func statements() -> [String] {
        let names = host.read { parts in
            defer { parts.database?.forgetStatements() }
            return parts.database?.statements ?? []
        }
        return names ?? []
    }

    /// Reads a value.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (SessionHost.Parts, ImitatedDatabase) -> Value
    ) throws -> Value {
        guard let value = host.read({ parts in parts.database.map { body(parts, $0) } }), let value else {
            throw Closed()
        }
        return value
    }

    struct Closed: Error {}
}

/// A wall clock that is 100 ms ahead of the imitated database's.
struct MovedWallClock: WallClock {
    let clock: ManualClock
    func now() -> Timestamp { Timestamp(milliseconds: 1_700_000_000_100 + Int64(clock.now() / 1_000_000)) }
}
