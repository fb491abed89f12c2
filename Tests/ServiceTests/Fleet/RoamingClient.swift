// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Synchronization
import TestSupport

/// A client of a fleet's stream that leaves after a few events, and continues on a random node where it was.
final class RoamingClient: Sendable {
    private final class Shared: Sendable {
        let messages = Mutex<[SSEMessage]>([])
        let isStopped = Atomic<Bool>(false)
    }

    private let shared = Shared()
    private let thread: LinuxIO.Thread

    /// Begins on a thread of its own.
    ///
    /// - Parameters:
    ///   - start: the id before the first event.
    ///   - count: how many events it reads in all.
    ///   - ports: the ports of the nodes, which may change.
    ///   - seed: of the random choices.
    init(after start: String, count: Int, ports: @escaping @Sendable () -> [UInt16], seed: UInt64) throws {
        thread = try LinuxIO.Thread(name: "roaming") { [shared] in
            var random = SeededGenerator(seed: seed)
            var last = start
            var found = 0
            while found < count, !shared.isStopped.load(ordering: .relaxed) {
                let port = ports().randomElement(using: &random) ?? 0
                // A node that was killed, or cannot read the database, is no place to stay.
                guard let client = try? SSEClient("/events?event=state", port: port, headers: ["Last-Event-ID": last]),
                    client.reply.status == 200
                else { continue }
                for _ in 0..<Int.random(in: 1...4, using: &random) where found < count {
                    guard let message = try? client.next(where: { $0.event != "hello" }) else { break }
                    shared.messages.withLock { $0.append(message) }
                    found += 1
                    last = message.id ?? last
                }
            }
        }
    }

    /// What came so far.
    var messages: [SSEMessage] { shared.messages.withLock { $0 } }

    /// Waits until it has read all its events.
    func end() -> [SSEMessage] {
        thread.end()
        return messages
    }

    /// Ends it after the event that it waits for, or the end of its node.
    func stop() { shared.isStopped.store(true, ordering: .relaxed) }
}
