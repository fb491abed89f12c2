// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// How many requests of each client are being worked on.
final class ClientSlots: Sendable {
    /// One of them, until it is released.
    final class Slot: Sendable {
        private let slots: ClientSlots
        private let client: ClientIdentity
        private let isHeld = Atomic<Bool>(true)

        fileprivate init(_ slots: ClientSlots, _ client: ClientIdentity) {
            self.slots = slots
            self.client = client
        }

        /// Any thread; further calls do nothing.
        func release() {
            if isHeld.exchange(false, ordering: .acquiringAndReleasing) { slots.release(client) }
        }

        deinit { release() }
    }

    /// Requests of one client at a time.
    let limit: Int
    private let counts = Mutex<[ClientIdentity: Int]>([:])

    init(limit: Int) {
        self.limit = limit
    }

    /// Requests of all clients.
    var count: Int { counts.withLock { $0.values.reduce(0, +) } }

    /// Takes one; nil when the client has all that it may have.
    func take(_ client: ClientIdentity) -> Slot? {
        let isTaken = counts.withLock { counts in
            guard counts[client, default: 0] < limit else { return false }
            counts[client, default: 0] += 1
            return true
        }
        return isTaken ? Slot(self, client) : nil
    }

    private func release(_ client: ClientIdentity) {
        counts.withLock { counts in
            let left = counts[client, default: 1] - 1
            counts[client] = left > 0 ? left : nil
        }
    }
}
