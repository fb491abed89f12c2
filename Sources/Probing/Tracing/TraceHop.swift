// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses

/// The answers to the packets with one TTL (hop limit).
package struct TraceHop: Sendable, Hashable {
    /// The type and code of an ICMP (RFC 792) or ICMPv6 (RFC 4443) message.
    package struct ICMPCode: Sendable, Hashable {
        /// The type, for example 11 or 3: time exceeded.
        package let type: UInt8
        /// The code within the type.
        package let code: UInt8

        /// Creates a code from its parts.
        package init(type: UInt8, code: UInt8) {
            self.type = type
            self.code = code
        }
    }

    /// The TTL of the packets, from 1.
    package let number: Int
    /// The distinct senders of the answers, in the order of the first answer of each. A router chooses the address
    /// that it sends from, so an address here is a claim of the answer and not proven.
    package let addresses: [IPAddress]
    /// The round trips of the answers, in the order of the packets.
    package let roundTrips: [Duration]
    /// The number of packets sent.
    package let sent: Int
    /// The first answer's ICMP type and code; nil without an answer, and for an answer that is not an ICMP error.
    package let icmp: ICMPCode?
    /// The MPLS labels that the packet had at the router, outermost first; empty unless the router reported them.
    package let labels: [MPLSLabel]

    /// Creates a hop; everything except the number has a default, that of a hop without packets.
    package init(
        number: Int,
        addresses: [IPAddress] = [],
        roundTrips: [Duration] = [],
        sent: Int = 0,
        icmp: ICMPCode? = nil,
        labels: [MPLSLabel] = []
    ) {
        self.number = number
        self.addresses = addresses
        self.roundTrips = roundTrips
        self.sent = sent
        self.icmp = icmp
        self.labels = labels
    }

    /// The number of packets without an answer.
    package var lost: Int { sent - roundTrips.count }

    /// The smallest round trip; nil without an answer.
    package var minimum: Duration? { roundTrips.min() }

    /// The median of the round trips, of an even number the lower middle one; nil without an answer.
    package var median: Duration? {
        guard !roundTrips.isEmpty else { return nil }
        return roundTrips.sorted()[(roundTrips.count - 1) / 2]
    }

    /// Whether it did not answer.
    package var isSilent: Bool { addresses.isEmpty }
}

/// An entry of an MPLS label stack (RFC 3032, section 2.1), as a router reports it (RFC 4950).
package struct MPLSLabel: Sendable, Hashable {
    /// The label, 20 bits.
    package let label: UInt32
    /// The traffic class, 3 bits (RFC 5462).
    package let trafficClass: UInt8
    /// Whether it is the last entry of the stack.
    package let isBottom: Bool
    /// The TTL with which the packet arrived.
    package let timeToLive: UInt8

    /// Creates an entry from its parts.
    package init(label: UInt32, trafficClass: UInt8, isBottom: Bool, timeToLive: UInt8) {
        self.label = label
        self.trafficClass = trafficClass
        self.isBottom = isBottom
        self.timeToLive = timeToLive
    }

    /// Creates an entry from its 32 bits.
    init(bits: UInt32) {
        label = bits >> 12
        trafficClass = UInt8(bits >> 9 & 7)
        isBottom = bits >> 8 & 1 == 1
        timeToLive = UInt8(truncatingIfNeeded: bits)
    }
}
