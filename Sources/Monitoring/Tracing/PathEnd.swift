// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
package import JSON
package import Probing

/// Where the packets to a target ended, as a trace found, or the large ones of a path MTU black hole. A class, so that the records of
/// the many targets without one stay small.
package final class PathEnd: Sendable, Hashable {
    /// The last hop that answered, of a black hole: that large packets reached; nil when it is not known.
    package let lastHop: TraceComparison.Position?
    /// The hop that followed ``lastHop`` on the last good trace, of a black hole: the first that only small packets reached; nil when it is
    /// not known.
    package let nextHop: TraceComparison.Position?
    /// When ``nextHop`` followed.
    package let seenAt: Timestamp?
    /// The number of the target's hop on the last good trace; nil when it is not known.
    package let length: Int?
    /// The size in bytes of the largest IP packet that arrives; nil when no packet does, or its size is not known.
    package let largestPacket: Int?

    /// Creates an end from its parts.
    package init(
        lastHop: TraceComparison.Position,
        nextHop: TraceComparison.Position? = nil,
        seenAt: Timestamp? = nil,
        length: Int? = nil
    ) {
        self.lastHop = lastHop
        self.nextHop = nextHop
        self.seenAt = seenAt
        self.length = length
        largestPacket = nil
    }

    /// Where large packets end.
    package init(_ limit: PathMTULimit) {
        lastHop = limit.behind
        nextHop = limit.before
        seenAt = nil
        length = nil
        largestPacket = limit.largest
    }

    /// Whether all parts are equal.
    package static func == (left: PathEnd, right: PathEnd) -> Bool {
        left.lastHop == right.lastHop && left.nextHop == right.nextHop && left.seenAt == right.seenAt
            && left.length == right.length && left.largestPacket == right.largestPacket
    }

    /// Hashes all parts.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(lastHop)
        hasher.combine(nextHop)
        hasher.combine(seenAt)
        hasher.combine(length)
        hasher.combine(largestPacket)
    }
}

extension TargetTraces {
    /// Where the packets of the last trace ended; nil when the target answered it, or no hop did, or the last hop that was asked.
    package var end: PathEnd? {
        guard let result = latest?.result, !result.isAnswered, !result.isCutOff, let last = result.lastAnswering,
            let address = last.addresses.first
        else { return nil }
        let lastHop = TraceComparison.Position(address: address, hop: last.number)
        guard result.loop.isEmpty, let good, let comparison, comparison.lastCommon == lastHop else {
            return PathEnd(lastHop: lastHop)
        }
        return PathEnd(lastHop: lastHop, nextHop: comparison.next, seenAt: comparison.next == nil ? nil : good.at)
    }
}

extension JSONWriter {
    /// The members of where a path ends.
    package mutating func pathEndMembers(_ end: PathEnd) {
        if let largest = end.largestPacket { member("largest_packet_bytes", largest) }
        if let lastHop = end.lastHop { member("last_hop") { $0.positionMembers(lastHop) } }
        if let length = end.length { member("length", length) }
        guard let nextHop = end.nextHop else { return }
        member("next_hop") { writer in
            writer.positionMembers(nextHop)
            if let seenAt = end.seenAt { writer.member("at", seenAt) }
        }
    }

    private mutating func positionMembers(_ position: TraceComparison.Position) {
        member("address", position.address.description)
        member("hop", position.hop)
    }
}
