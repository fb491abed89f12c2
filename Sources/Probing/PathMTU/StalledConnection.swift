// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO

/// What the kernel knew (`struct tcp_info`) of a connection that was established and then ran into its timeout.
///
/// Two signs suggest a path MTU black hole, where small packets pass and full ones vanish: full segments of ours that
/// stay unacknowledged while they are sent again, or small segments of the peer behind a missing one. A peer whose
/// first full segment is also its last shows no sign, and a slow one looks the same; ``PathMTUInvestigator`` decides.
package struct StalledConnection: Sendable, Hashable {
    /// The size of our full segments in bytes (`tcpi_snd_mss`).
    package let segmentSize: Int
    /// The path MTU that the kernel uses, in bytes (`tcpi_pmtu`).
    package let pathMTU: Int
    /// How many times the retransmission timeout was doubled without an acknowledgement (`tcpi_backoff`).
    package let backoff: Int
    /// Segments that were sent again (`tcpi_total_retrans`).
    package let retransmissions: Int
    /// Payload bytes sent and not acknowledged.
    package let bytesUnacknowledged: Int
    /// Payload bytes received in order (`tcpi_bytes_received`).
    package let bytesReceived: Int
    /// Whether a full segment of the peer arrived in order: large packets then pass on the way back.
    package let hasReceivedFullSegment: Bool
    /// Segments that arrived behind a missing one (`tcpi_rcv_ooopack`, Linux 5.4).
    package let segmentsOutOfOrder: Int

    /// Creates a record from its parts.
    package init(
        segmentSize: Int,
        pathMTU: Int,
        backoff: Int = 0,
        retransmissions: Int = 0,
        bytesUnacknowledged: Int = 0,
        bytesReceived: Int = 0,
        segmentsOutOfOrder: Int = 0,
        hasReceivedFullSegment: Bool = false
    ) {
        self.hasReceivedFullSegment = hasReceivedFullSegment
        self.segmentSize = segmentSize
        self.pathMTU = pathMTU
        self.backoff = backoff
        self.retransmissions = retransmissions
        self.bytesUnacknowledged = bytesUnacknowledged
        self.bytesReceived = bytesReceived
        self.segmentsOutOfOrder = segmentsOutOfOrder
    }

    /// Reads a `struct tcp_info` by offsets: kernels only append fields, and `netinet/tcp.h` has a shorter structure.
    ///
    /// - Returns: nil when the bytes end before the payload counters (Linux 4.19).
    init?(tcpInfo bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 216 else { return nil }
        func word(_ offset: Int) -> Int { Int(unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
        func long(_ offset: Int) -> Int {
            Int(clamping: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        let payload = max(0, long(200) - long(208))
        self.init(
            segmentSize: word(16),
            pathMTU: word(60),
            backoff: Int(unsafe bytes[4]),
            retransmissions: word(100),
            // The acknowledged bytes include one for the SYN.
            bytesUnacknowledged: max(0, payload - max(0, long(120) - 1)),
            bytesReceived: long(128),
            segmentsOutOfOrder: bytes.count >= 228 ? word(224) : 0,
            // tcpi_rcv_mss, the largest segment that arrived, is 536 at first; tcpi_advmss includes the timestamps' 12.
            hasReceivedFullSegment: word(20) + 12 >= word(84) && word(84) > 0
        )
    }

    /// Whether full segments of ours were sent repeatedly and not acknowledged.
    package var isSendingStuck: Bool { backoff >= 2 && segmentSize > 0 && bytesUnacknowledged >= segmentSize }

    /// Whether later segments of the peer arrived, and earlier ones did not.
    package var hasGap: Bool { isReceivingStuck && segmentsOutOfOrder > 0 }

    /// Whether nothing of ours is missing, and no full segment of the peer arrived.
    private var isReceivingStuck: Bool { bytesUnacknowledged == 0 && !hasReceivedFullSegment }

    /// Whether it may be a path MTU black hole: a sign, or nothing contradicts it.
    package var maySuggestBlackHole: Bool { isSendingStuck || isReceivingStuck }

    /// Whether random loss does not explain it: a sign, or no segment of ours was lost.
    var isUnlikeLoss: Bool { isSendingStuck || hasGap || isReceivingStuck && retransmissions == 0 }

    /// The sign in a few words, for the detail of a timeout; empty without one.
    var words: String {
        if isSendingStuck {
            return "; full segments (\(segmentSize) bytes) are not acknowledged (suspected path MTU black hole)"
        }
        return hasGap ? "; later segments arrived, earlier ones did not (suspected path MTU black hole)" : ""
    }
}

extension ProbeSocket {
    /// What the kernel knows of this connection; nil for datagrams and where the kernel does not report it.
    var stall: StalledConnection? {
        unsafe withUnsafeTemporaryAllocation(byteCount: 512, alignment: 8) { bytes in
            guard let base = bytes.baseAddress else { return nil }
            var size = socklen_t(bytes.count)
            guard unsafe getsockopt(descriptor.number, Int32(IPPROTO_TCP), TCP_INFO, base, &size) == 0 else {
                return nil
            }
            return unsafe StalledConnection(
                tcpInfo: UnsafeRawBufferPointer(rebasing: bytes[..<min(Int(size), bytes.count)])
            )
        }
    }
}
