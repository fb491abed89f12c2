// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Synchronization

/// Tickets for streams: a browser's EventSource sends no header of ours, and a token in a URL would stand in every log. Each
/// is good once, and not for long.
final class TicketIssuer: Sendable {
    /// How long a ticket is good, in seconds.
    static let lifetime = 30
    /// As many are out at a time; the oldest goes first.
    private static let limit = 1_000

    private struct State {
        /// When each ends, in nanoseconds.
        var ends: [String: UInt64] = [:]
        var order: [String] = []
    }

    private let time: @Sendable () -> UInt64
    private let state = Mutex(State())

    /// - Parameter time: nanoseconds that never go back.
    init(time: @escaping @Sendable () -> UInt64) {
        self.time = time
    }

    /// A new ticket.
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

    /// Takes a ticket: whether it was good.
    func take(_ ticket: String) -> Bool {
        let now = time()
        return state.withLock { state in
            guard let end = state.ends.removeValue(forKey: ticket) else { return false }
            return now < end
        }
    }
}
