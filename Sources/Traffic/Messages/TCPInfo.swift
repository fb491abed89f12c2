// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import LinuxIO

/// What this module reads of `struct tcp_info` (linux/tcp.h), the state of one TCP connection.
///
/// Kernels only append fields, so the attribute's length decides which exist. They are read by offset, because `netinet/tcp.h` has
/// a shorter structure of the same name.
package struct TCPInfo: Sendable, Hashable {
    /// Consecutive retransmissions by timeout that are not acknowledged (`tcpi_retransmits`).
    package var retransmits: UInt8
    /// Keep-alive or zero-window probes without a reply (`tcpi_probes`).
    package var probes: UInt8
    /// How many times the timeout was doubled (`tcpi_backoff`).
    package var backoff: UInt8
    /// Segments sent and not acknowledged (`tcpi_unacked`).
    package var unacknowledged: UInt32
    /// Milliseconds since the last acknowledgement arrived (`tcpi_last_ack_recv`).
    package var sinceLastAcknowledgement: UInt32
    /// The smoothed round trip in microseconds; 0 without a measurement (`tcpi_rtt`).
    package var roundTrip: UInt32
    /// Segments that were sent again (`tcpi_total_retrans`).
    package var retransmissions: UInt32
    /// Bytes that the peer acknowledged, with one for our SYN and one for our FIN (`tcpi_bytes_acked`).
    package var bytesAcknowledged: UInt64
    /// Bytes received, with one for the peer's FIN (`tcpi_bytes_received`).
    package var bytesReceived: UInt64
    /// Segments sent (`tcpi_segs_out`).
    package var segmentsOut: UInt32
    /// Segments received (`tcpi_segs_in`).
    package var segmentsIn: UInt32
    /// The shortest round trip in microseconds; nil without a measurement (`tcpi_min_rtt`, Linux 4.6).
    package var minimumRoundTrip: UInt32?
    /// Payload bytes sent, each retransmission included (`tcpi_bytes_sent`, Linux 4.19).
    package var bytesSent: UInt64?
    /// Payload bytes that were sent again (`tcpi_bytes_retrans`, Linux 4.19).
    package var bytesRetransmitted: UInt64?

    /// Reads the structure.
    ///
    /// - Returns: nil when the bytes end before `tcpi_segs_in`, which every kernel has that reports ended connections (4.3).
    init?(_ bytes: NetlinkBytes) {
        guard let retransmits = bytes.load(UInt8.self, at: 2), let probes = bytes.load(UInt8.self, at: 3),
            let backoff = bytes.load(UInt8.self, at: 4), let unacknowledged = bytes.load(UInt32.self, at: 24),
            let sinceLastAcknowledgement = bytes.load(UInt32.self, at: 56),
            let roundTrip = bytes.load(UInt32.self, at: 68), let retransmissions = bytes.load(UInt32.self, at: 100),
            let bytesAcknowledged = bytes.load(UInt64.self, at: 120),
            let bytesReceived = bytes.load(UInt64.self, at: 128), let segmentsOut = bytes.load(UInt32.self, at: 136),
            let segmentsIn = bytes.load(UInt32.self, at: 140)
        else { return nil }
        self.retransmits = retransmits
        self.probes = probes
        self.backoff = backoff
        self.unacknowledged = unacknowledged
        self.sinceLastAcknowledgement = sinceLastAcknowledgement
        self.roundTrip = roundTrip
        self.retransmissions = retransmissions
        self.bytesAcknowledged = bytesAcknowledged
        self.bytesReceived = bytesReceived
        self.segmentsOut = segmentsOut
        self.segmentsIn = segmentsIn
        // The kernel's initial value is all ones.
        minimumRoundTrip = bytes.load(UInt32.self, at: 148).flatMap { $0 == .max ? nil : $0 }
        bytesSent = bytes.load(UInt64.self, at: 200)
        bytesRetransmitted = bytes.load(UInt64.self, at: 208)
    }
}
