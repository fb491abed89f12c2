// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses

/// The route of packets to a destination, as far as routers reported it.
package struct TraceResult: Sendable, Hashable {
    /// What became of the packets.
    package enum End: Sendable, Hashable {
        /// The destination accepted them: a connection, an echo reply or a datagram.
        case reached
        /// The destination refused them: by a reset (nil) or by an ICMP error.
        case refused(PacketError?)
        /// A router, or this machine, refused them by an ICMP error; ``PacketError/message`` has its type, code and
        /// sender.
        case error(PacketError)
        /// The destination did not answer, and no router reported why.
        case silent
        /// The packets could not be sent, or the trace was cancelled.
        case fault(ProbeFault)
    }

    /// The request.
    package let request: TraceRequest
    /// All hops from 1 to the last useful one: the destination, the router that refused the packets, or the last
    /// router that answered.
    package let hops: [TraceHop]
    /// What became of the packets.
    package let end: End
    /// The time from the start to the end.
    package let duration: Duration
    /// The number of packets sent, without the kernel's retransmissions.
    package let packetsSent: Int
    /// Whether all answers were to packets of one flow: the same addresses, protocol, ports, and IPv6 flow label, or
    /// for ICMP identifier and checksum. Routers that balance load by flow then sent them along one path.
    package let isOneFlow: Bool

    /// Creates a result from its parts.
    package init(
        request: TraceRequest,
        hops: [TraceHop],
        end: End,
        duration: Duration,
        packetsSent: Int,
        isOneFlow: Bool
    ) {
        self.request = request
        self.hops = hops
        self.end = end
        self.duration = duration
        self.packetsSent = packetsSent
        self.isOneFlow = isOneFlow
    }

    /// Whether the destination answered.
    package var isAnswered: Bool {
        switch end {
        case .reached, .refused: true
        case .error, .silent, .fault: false
        }
    }

    /// Whether this machine's own firewall or routes refused the packets.
    package var isRefusedHere: Bool {
        switch end {
        case .error(let error): error.isRefusedHere
        case .fault(let fault): fault.packetError?.isRefusedHere ?? false
        case .reached, .refused, .silent: false
        }
    }

    /// The last hop that answered; nil when none did.
    package var lastAnswering: TraceHop? { hops.last { !$0.isSilent } }

    /// Whether the last hop that was asked is a router that answered: that the trace is silent then shows nothing of where packets end.
    package var isCutOff: Bool {
        guard case .silent = end, loop.isEmpty else { return false }
        return lastAnswering?.number == request.maximumHops
    }

    /// The routers between which the packets circulated until their TTL was exhausted, in the order of the path; empty
    /// without a loop.
    package var loop: [IPAddress] { isAnswered ? [] : RoutingLoop.find(in: hops.map(\.addresses.first)) }
}

/// Finds routing loops.
enum RoutingLoop {
    /// Returns the routers of a loop, once around; empty without one.
    ///
    /// A loop is an address at three hops, with other addresses between them. One address at consecutive hops is not
    /// one: some machines answer in the name of all routers behind them.
    ///
    /// - Parameter path: The first address of each hop, from hop 1; nil for silent ones.
    static func find(in path: [IPAddress?]) -> [IPAddress] {
        for (index, address) in path.enumerated() {
            guard let address else { continue }
            var visits = [index]
            for next in path.indices.dropFirst(index + 1) where path[next] == address {
                // A different router answered since the last visit.
                let between = path[(visits[visits.count - 1] + 1)..<next]
                if between.contains(where: { $0 != nil && $0 != address }) { visits.append(next) }
            }
            guard visits.count >= 3 else { continue }
            var around: [IPAddress] = []
            for case let router? in path[visits[0]..<visits[1]] where !around.contains(router) { around.append(router) }
            return around
        }
        return []
    }
}
