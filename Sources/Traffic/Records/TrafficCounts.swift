// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What ended connections with a target add up to.
///
/// A connection between two sockets of this machine ends twice and counts once, as a client's.
package struct TrafficCounts: Sendable, Hashable {
    /// Connections that had been established, however they ended.
    package internal(set) var connections: UInt32 = 0
    /// Of ``connections``, those that this machine served: the target was the local side.
    package internal(set) var served: UInt32 = 0
    /// Attempts that the target answered with a reset.
    package internal(set) var refused: UInt32 = 0
    /// Attempts without any reply, with at least one retransmission.
    package internal(set) var unanswered: UInt32 = 0
    /// Attempts that the program gave up before a reply and before a retransmission; not a failure.
    package internal(set) var abandoned: UInt32 = 0
    /// Of ``connections``, those that one of the sides ended with a reset.
    package internal(set) var reset: UInt32 = 0
    /// Of ``connections``, those that this machine closed with unread data.
    package internal(set) var aborted: UInt32 = 0
    /// Of ``connections``, those that ended while the peer did not acknowledge.
    package internal(set) var timedOut: UInt32 = 0
    /// Segments sent, retransmissions included.
    package internal(set) var segmentsOut: UInt64 = 0
    /// Segments sent again.
    package internal(set) var retransmissions: UInt64 = 0
    /// Payload bytes sent.
    package internal(set) var bytesSent: UInt64 = 0
    /// Bytes received.
    package internal(set) var bytesReceived: UInt64 = 0

    /// Creates empty counts.
    package init() {}

    /// How many connections ended in a way.
    package func count(of ending: EndedConnection.Ending) -> UInt32 {
        switch ending {
        // The sums wrap.
        case .closed: connections &- reset &- aborted &- timedOut
        case .reset: reset
        case .aborted: aborted
        case .timedOut: timedOut
        case .refused: refused
        case .unanswered: unanswered
        case .abandoned: abandoned
        }
    }

    /// Attempts that failed: refused or unanswered.
    package var failedAttempts: Int { Int(refused) + Int(unanswered) }

    /// The share of segments that were sent again, from 0 to 1; nil without any segment.
    package var retransmissionShare: Double? {
        segmentsOut == 0 ? nil : min(1, Double(retransmissions) / Double(segmentsOut))
    }

    /// Adds a connection. Sums wrap: 2³² connections in the minute or hour that they cover are more than a machine can have.
    mutating func add(_ connection: EndedConnection) {
        switch connection.ending {
        case .closed: break
        case .reset: reset &+= 1
        case .aborted: aborted &+= 1
        case .timedOut: timedOut &+= 1
        case .refused: refused &+= 1
        case .unanswered: unanswered &+= 1
        case .abandoned: abandoned &+= 1
        }
        if connection.ending.isEstablished {
            connections &+= 1
            if connection.role == .server { served &+= 1 }
        }
        segmentsOut &+= UInt64(connection.segmentsOut)
        retransmissions &+= UInt64(connection.retransmissions)
        bytesSent &+= connection.bytesSent
        bytesReceived &+= connection.bytesReceived
    }

    /// What was added since an earlier value; nil when the counts began anew in between.
    package func since(_ earlier: TrafficCounts) -> TrafficCounts? {
        guard segmentsOut >= earlier.segmentsOut, bytesSent >= earlier.bytesSent, bytesReceived >= earlier.bytesReceived
        else { return nil }
        var counts = TrafficCounts()
        counts.connections = connections &- earlier.connections
        counts.served = served &- earlier.served
        counts.refused = refused &- earlier.refused
        counts.unanswered = unanswered &- earlier.unanswered
        counts.abandoned = abandoned &- earlier.abandoned
        counts.reset = reset &- earlier.reset
        counts.aborted = aborted &- earlier.aborted
        counts.timedOut = timedOut &- earlier.timedOut
        counts.segmentsOut = segmentsOut - earlier.segmentsOut
        counts.retransmissions = retransmissions &- earlier.retransmissions
        counts.bytesSent = bytesSent - earlier.bytesSent
        counts.bytesReceived = bytesReceived - earlier.bytesReceived
        return counts
    }

    /// Adds other counts.
    mutating func add(_ other: TrafficCounts) {
        connections &+= other.connections
        served &+= other.served
        refused &+= other.refused
        unanswered &+= other.unanswered
        abandoned &+= other.abandoned
        reset &+= other.reset
        aborted &+= other.aborted
        timedOut &+= other.timedOut
        segmentsOut &+= other.segmentsOut
        retransmissions &+= other.retransmissions
        bytesSent &+= other.bytesSent
        bytesReceived &+= other.bytesReceived
    }
}
