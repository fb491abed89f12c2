// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses

/// A TCP connection of this machine that has ended, or an attempt that has: what the kernel knew of it when it freed the socket.
///
/// The kernel clears these facts before it reports the socket, so that such connections are not seen at all: after a **blocking**
/// `connect(2)` that failed, and after a close with `SO_LINGER` 0 (both run `tcp_disconnect`, and the remote port is 0 then).
/// Programs with non-blocking sockets are seen in full.
package struct EndedConnection: Sendable, Hashable {
    /// Which side of the connection the target is.
    package enum Role: Sendable, Hashable {
        /// The target is the remote side.
        case client
        /// The target is the local side: this machine serves it.
        case server
    }

    /// How it ended. The first four had been established, the others had not.
    package enum Ending: String, Sendable, Hashable, CaseIterable {
        /// Our FIN was acknowledged.
        case closed
        /// Our FIN was not acknowledged and nothing was being retransmitted: one of the sides sent a reset. `tcp_info` does not
        /// tell which.
        case reset
        /// This machine's program closed the connection without reading all that had arrived, so that this kernel sent a reset.
        case aborted
        /// Retransmissions or keep-alive probes were unanswered at the end: the kernel gave up, or the program did first.
        case timedOut = "timed_out"
        /// A segment arrived and the connection was not established: the peer answered the SYN with a reset.
        case refused
        /// The SYN was sent again at least once, and nothing arrived; also when no link-layer address was found.
        case unanswered
        /// Given up before the SYN was answered or sent again: a program that tries several addresses at once keeps one and
        /// abandons the others. An ICMP error on the first SYN looks the same.
        case abandoned

        /// Whether it had been established.
        package var isEstablished: Bool {
            switch self {
            case .closed, .reset, .aborted, .timedOut: true
            case .refused, .unanswered, .abandoned: false
            }
        }

        /// Whether it is evidence against the peer: an attempt that failed, or a connection that timed out. A reset is not, because
        /// many programs end connections with one.
        package var isFailure: Bool { self == .refused || self == .unanswered || self == .timedOut }

        /// Whether it may be a failure: the facts do not tell, a probe does.
        package var isPossibleFailure: Bool { self == .abandoned }
    }

    /// Whether it is evidence against the target; a client of ours that is not reached any more is none.
    package var isFailure: Bool { role == .client && ending.isFailure }

    /// Whether it may be evidence against the target.
    var isPossibleFailure: Bool { role == .client && ending.isPossibleFailure }

    /// Whether it is evidence for the target.
    package var isSuccess: Bool { ending.isEstablished && !ending.isFailure }

    /// Its family; a connection over IPv4 of an IPv6 socket is IPv4.
    package var family: AddressFamily { remote.address.family }
    /// This machine's side.
    package let local: TrafficEndpoint
    /// The other side.
    package let remote: TrafficEndpoint
    /// Which side the target is.
    package let role: Role
    /// How it ended.
    package let ending: Ending
    /// The socket's `SO_COOKIE`.
    package let cookie: UInt64
    /// Segments sent, each retransmission included.
    package let segmentsOut: UInt32
    /// Segments sent again.
    package let retransmissions: UInt32
    /// The shortest round trip in microseconds; nil without a measurement.
    package let minimumRoundTrip: UInt32?
    /// The smoothed round trip in microseconds; nil without a measurement. Delayed acknowledgements lengthen it.
    package let roundTrip: UInt32?
    /// Payload bytes sent, without retransmissions.
    package let bytesSent: UInt64
    /// Bytes received, with one for the peer's FIN.
    package let bytesReceived: UInt64

    /// Classifies the message of a destroyed socket.
    ///
    /// - Returns: nil for a socket that never connected, that the kernel cleared, or without `tcp_info`.
    init?(_ message: DiagMessage, role: Role) {
        guard message.remote.port != 0, let info = message.info else { return nil }
        local = message.local
        remote = message.remote
        self.role = role
        cookie = message.cookie
        segmentsOut = info.segmentsOut
        retransmissions = info.retransmissions
        minimumRoundTrip = info.minimumRoundTrip
        roundTrip = info.roundTrip == 0 ? nil : info.roundTrip
        bytesReceived = info.bytesReceived
        let payload = info.bytesSent.map { $0 - min($0, info.bytesRetransmitted ?? 0) }
        bytesSent = payload ?? info.bytesAcknowledged
        ending = Self.ending(info, payload: payload, unread: message.receiveQueue, role: role)
    }

    private static func ending(_ info: TCPInfo, payload: UInt64?, unread: UInt32, role: Role) -> Ending {
        // A SYN that was sent again gives no round trip, so each sign counts.
        let isEstablished = info.minimumRoundTrip != nil || info.bytesAcknowledged > 0 || info.bytesReceived > 0
        guard isEstablished else {
            if info.segmentsIn > 0 { return .refused }
            return info.retransmissions > 0 || info.retransmits > 0 ? .unanswered : .abandoned
        }
        if info.retransmits > 0 || info.probes > 0 { return .timedOut }
        // Without tcpi_bytes_sent it cannot be told whether the FIN was acknowledged.
        guard let payload else { return .closed }
        // SYN and FIN count as one byte each; the SYN only of the side that connects.
        let withFIN = payload &+ (role == .client ? 2 : 1)
        if info.bytesAcknowledged >= withFIN { return .closed }
        return unread > 1 ? .aborted : .reset
    }
}
