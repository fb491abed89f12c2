// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux
internal import Glibc

/// A TCP connection of this machine that waits for its peer at present.
package struct HangingConnection: Sendable, Hashable {
    /// What it waits for.
    package enum Cause: String, Sendable, Hashable, CaseIterable {
        /// A reply to its SYN, which was sent again.
        case connecting
        /// The acknowledgement of data or of its FIN, which were sent again after a timeout.
        case retransmitting
        /// Room in the receiver's window: the peer is reachable, and its program does not read.
        case zeroWindow = "zero_window"
        /// A reply to a keep-alive probe.
        case keepAlive = "keep_alive"
    }

    /// This machine's side.
    package let local: TrafficEndpoint
    /// The other side.
    package let remote: TrafficEndpoint
    /// What it waits for.
    package let cause: Cause
    /// Retransmissions by timeout, or probes, without a reply.
    package let attempts: Int
    /// How many times the timeout was doubled.
    package let backoff: Int
    /// Segments sent and not acknowledged.
    package let unacknowledged: Int
    /// Bytes that the program wrote and the peer has not acknowledged.
    package let sendQueue: Int
    /// Milliseconds since the peer's last acknowledgement; nil while it never replied.
    package let sinceLastAcknowledgement: UInt32?

    /// Reads the socket of a dump.
    ///
    /// - Returns: nil when it does not hang, and without `tcp_info`.
    init?(_ message: DiagMessage) {
        guard let info = message.info,
            let cause = Self.cause(state: message.state, timer: message.timer, info)
        else { return nil }
        local = message.local
        remote = message.remote
        self.cause = cause
        attempts = Int(max(info.retransmits, info.probes))
        backoff = Int(info.backoff)
        unacknowledged = Int(info.unacknowledged)
        sendQueue = Int(message.sendQueue)
        sinceLastAcknowledgement = cause == .connecting ? nil : info.sinceLastAcknowledgement
    }

    /// The timers of `idiag_timer`.
    private enum Timer {
        static let keepAlive: UInt8 = 2
        static let zeroWindow: UInt8 = 4
    }

    private static func cause(state: UInt8, timer: UInt8, _ info: TCPInfo) -> Cause? {
        if info.retransmits > 0 { return Int32(state) == tcpSynSent ? .connecting : .retransmitting }
        // A probe that is answered with a closed window doubles the timeout too, and is no longer counted in tcpi_probes.
        if timer == Timer.zeroWindow, info.probes > 0 || info.backoff > 0 { return .zeroWindow }
        if timer == Timer.keepAlive, info.probes > 0 { return .keepAlive }
        return nil
    }

    private static let tcpSynSent = Int32(TCP_SYN_SENT)
}
