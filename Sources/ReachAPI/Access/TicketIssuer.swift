// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Synchronization

/// Tickets for streams: a browser's EventSource cannot send headers, and a token in a URL would appear in every log.
/// Each ticket works once and expires soon.
final class TicketIssuer: Sendable {
    /// The lifetime of a ticket, in seconds.
    static let lifetime = 30
    /// The maximum number of unused tickets; the oldest is dropped first.
    private static let limit = 1_000

    private struct State {
        /// When each ticket expires, in nanoseconds.
        var ends: [String: UInt64] = [:]
        var order: [String] = []
    }

    private let time: @Sendable () -> UInt64
    private let state = Mutex(State())

    /// - Parameter time: monotonic time in nanoseconds.
    init(time: @escaping @Sendable () -> UInt64) {
        self.time = time
    }

    /// Issues a ticket.
    func issue() -> String {
        // 128 bits of the system's random numbers.
        let ticket = PrintableBytes.hexadecimal((0..<16).map { _ in UInt8.random(in: 0...255) })
        let now = time()
        state.withLock { state in
            while let first = state.order.first,
                state.order.count >= Self.limit || state.ends[first].map({ $0 <= now }) ?? true
            {
                state.order.removeFirst()
                state.ends[first] = nil
            }
            state.ends[ticket] = now + UInt64(Self.lifetime) * 1_000_000_000
            state.order.append(ticket)
        }
        return ticket
    }

    /// Redeems a ticket; returns whether it was valid.
    func take(_ ticket: String) -> Bool {
        let now = time()
        return state.withLock { state in
            guard let end = state.ends.removeValue(forKey: ticket) else { return false }
            return now < end
        }
    }
}
