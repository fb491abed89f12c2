// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Synchronization
import TestSupport

/// A client that reads events on a thread of its own until the service goes, and remembers what it was sent.
final class EventCollector: Sendable {
    /// The blocks as they came: an id, and all that was sent under it.
    private let blocks: Shared
    private let thread: LinuxIO.Thread

    private final class Shared: Sendable {
        let messages = Mutex<[SSEMessage]>([])
        let changed = Semaphore()
    }

    /// - Parameters:
    ///   - query: of the stream.
    ///   - id: the last event that was seen before.
    init(_ query: String = "", after id: String?, port: UInt16) throws {
        let shared = Shared()
        blocks = shared
        let headers = id.map { ["Last-Event-ID": $0] } ?? [:]
        thread = try LinuxIO.Thread(name: "collector") {
            // The end of the service is the end of the stream, in whatever way it shows.
            guard let client = try? SSEClient("/events" + query, port: port, headers: headers) else {
                return shared.changed.post()
            }
            while let message = try? client.nextBlock() {
                if message.isEvent { shared.messages.withLock { $0.append(message) } }
                shared.changed.post()
            }
            shared.changed.post()
        }
    }

    /// What came so far.
    var messages: [SSEMessage] { blocks.messages.withLock { $0 } }

    /// Waits until a condition holds.
    func wait(until condition: ([SSEMessage]) -> Bool) {
        while !condition(messages) { blocks.changed.wait() }
    }

    /// Waits for the end of the stream, which the end of the service is.
    func end() -> [SSEMessage] {
        thread.end()
        return messages
    }
}
