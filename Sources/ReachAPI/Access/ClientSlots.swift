// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import NetworkPaths
import Synchronization

/// Counts the concurrent requests of each client.
final class ClientSlots: Sendable {
    /// One request's slot, until it is released.
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

    /// The maximum number of concurrent requests of one client.
    let limit: Int
    private let counts = Mutex<[ClientIdentity: Int]>([:])

    init(limit: Int) {
        self.limit = limit
    }

    /// The requests of all clients.
    var count: Int { counts.withLock { $0.values.reduce(0, +) } }

    /// Takes a slot; nil when the client has reached the limit.
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

/// The identity whose limits a request counts against: its token's, else its address's.
enum ClientIdentity: Sendable, Hashable {
    /// A known token, by its digest.
    case token([UInt8])
    /// Clients of unix sockets; the file's permissions bound their number.
    case unixSocket
    /// An IPv4 address, or the first 64 bits of an IPv6 address: one customer of a provider has that many addresses.
    case address(IPAddress)
    /// A peer whose address cannot be read.
    case unknown

    /// The identity of a request without a known token.
    init(_ request: borrowing HTTPRequest) {
        if request.isFromUnixSocket {
            self = .unixSocket
        } else if let address = request.peerAddress {
            // All neighbours on a link share fe80::/64.
            let isWhole = address.family == .ipv4 || address.isLoopback || address.high >> 54 == 0xfe80 >> 6
            self = .address(isWhole ? address : IPAddress(ipv6High: address.high, low: 0))
        } else {
            self = .unknown
        }
    }
}
