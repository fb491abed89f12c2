// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Synchronization
import TestSupport

/// A client that behaves and asks one question after the other while others do not.
final class Bystander: Sendable {
    private let state: State
    private let thread: LinuxIO.Thread

    private final class State: Sendable {
        let isOver = Atomic(false)
        let answers = Atomic(0)
        let failures = Mutex<[String]>([])
    }

    init(port: UInt16) throws {
        let state = State()
        self.state = state
        thread = try LinuxIO.Thread(name: "bystander") { Self.ask(port, state) }
    }

    private static func ask(_ port: UInt16, _ state: State) {
        do {
            let connection = try HTTPConnection(port: port)
            while !state.isOver.load(ordering: .relaxed) {
                try connection.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
                let reply = try connection.receive()
                if reply.status != 200 { state.failures.withLock { $0.append("status \(reply.status)") } }
                state.answers.add(1, ordering: .relaxed)
            }
        } catch {
            state.failures.withLock { $0.append("\(error)") }
        }
    }

    /// How many answers have come so far; -1 when none come any more.
    var count: Int {
        state.failures.withLock { $0.isEmpty } ? state.answers.load(ordering: .relaxed) : -1
    }

    /// Ends the asking.
    ///
    /// - Returns: What went wrong.
    func finish() -> [String] {
        state.isOver.store(true, ordering: .relaxed)
        thread.end()
        return state.failures.withLock { $0 }
    }
}
