// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses

/// One packet of a trace.
struct TraceProbe: Hashable {
    /// The TTL (hop limit), from 1.
    let hop: Int
    /// The number among the packets with this TTL, from 1.
    let attempt: Int
}

/// An answer to a packet of a trace.
struct TraceAnswer: Hashable {
    enum Kind: Hashable {
        /// The destination accepted the packet: SYN-ACK, echo reply, datagram.
        case reply
        /// The destination reset the connection.
        case reset
        /// An ICMP error.
        case error(PacketError)
    }

    let kind: Kind
    /// The sender.
    let address: IPAddress
    /// In nanoseconds; nil when the channel does not know which packet it answers.
    var roundTrip: UInt64?
    var labels: [MPLSLabel] = []
    /// Whether the packet was of the trace's main flow.
    var isOfMainFlow = true
    /// Whether this machine sent the ICMP error itself, for a packet to another one.
    let isOwn: Bool

    /// The destination's own answer.
    init(_ kind: Kind, from address: IPAddress, roundTrip: UInt64?) {
        self.kind = kind
        self.address = address
        self.roundTrip = roundTrip
        isOwn = false
    }

    /// An ICMP error; nil when it has no sender, or does not end a packet's way.
    init?(
        _ message: PacketError.Message,
        systemError: Int32,
        local: IPAddress?,
        destination: IPAddress,
        roundTrip: UInt64?,
        labels: [MPLSLabel]
    ) {
        guard let offender = message.offender, message.family == destination.family else { return nil }
        switch (message.family, message.type, message.code) {
        case (.ipv4, 3, 4), (.ipv6, 2, _): return nil  // Too big: not a packet of a trace.
        case (.ipv4, 11, 0), (.ipv6, 3, 0): break
        case (.ipv4, 11, _), (.ipv6, 3, _): return nil  // Reassembly: not a packet of a trace.
        case (.ipv4, 3, _), (.ipv4, 12, _), (.ipv6, 1, _), (.ipv6, 4, _): break
        default: return nil
        }
        kind = .error(PacketError(systemError: systemError, message: message, local: local, peer: destination))
        address = offender
        isOwn = offender == local && offender != destination
        self.roundTrip = roundTrip
        self.labels = labels
    }

    /// The ICMP error; nil for other answers.
    var packetError: PacketError? {
        guard case .error(let error) = kind else { return nil }
        return error
    }

    /// The ICMP type and code; nil for other answers.
    var icmp: TraceHop.ICMPCode? {
        packetError?.message.map { TraceHop.ICMPCode(type: $0.type, code: $0.code) }
    }

    /// Whether a router reports that the TTL was exhausted.
    var isTimeExceeded: Bool {
        guard let message = packetError?.message else { return false }
        return message.type == (message.family == .ipv4 ? 11 : 3)
    }
}
