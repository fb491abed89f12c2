// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Testing

@testable import Probing

@Suite("What tcp_info tells of a connection that stalled")
struct StalledConnectionTests {
    private static func read(_ words: [Int: UInt32], count: Int = 232, backoff: UInt8 = 0) -> StalledConnection? {
        var bytes = [UInt8](repeating: 0, count: count)
        if count > 4 { bytes[4] = backoff }
        for (offset, value) in words where offset + 4 <= count {
            for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: value.littleEndian >> (8 * index)) }
        }
        return unsafe bytes.withUnsafeBytes { unsafe StalledConnection(tcpInfo: $0) }
    }

    @Test("The fields are where linux/tcp.h has them, and missing ones are zero")
    func layout() {
        let words: [Int: UInt32] = [16: 1_448, 60: 1_500, 100: 3, 120: 501, 128: 70, 200: 9_000, 208: 4_000, 224: 2]
        let full = StalledConnection(
            segmentSize: 1_448,
            pathMTU: 1_500,
            backoff: 3,
            retransmissions: 3,
            bytesUnacknowledged: 4_500,
            bytesReceived: 70,
            segmentsOutOfOrder: 2
        )
        #expect(Self.read(words, backoff: 3) == full)
        #expect(Self.read(words, count: 216, backoff: 3)?.segmentsOutOfOrder == 0)
        #expect(Self.read(words, count: 215) == nil)
        #expect(Self.read([:], count: 0) == nil)
        #expect(Self.read([20: 1_448, 84: 1_460])?.hasReceivedFullSegment == true)
        #expect(Self.read([20: 1_447, 84: 1_460])?.hasReceivedFullSegment == false)
        #expect(Self.read([20: 536])?.hasReceivedFullSegment == false)
        // More acknowledged than sent, as of a cleared socket.
        #expect(Self.read([120: .max, 124: .max, 208: 5])?.bytesUnacknowledged == 0)
    }

    @Test("Full segments without acknowledgement, or a gap, suggest a black hole; a small segment does not")
    func signs() {
        func stall(_ backoff: Int, _ unacknowledged: Int, _ outOfOrder: Int = 0, again: Int = 0) -> StalledConnection {
            StalledConnection(
                segmentSize: 1_448,
                pathMTU: 1_500,
                backoff: backoff,
                retransmissions: again,
                bytesUnacknowledged: unacknowledged,
                segmentsOutOfOrder: outOfOrder
            )
        }
        #expect(stall(2, 1_448).isSendingStuck && stall(2, 1_448).maySuggestBlackHole)
        #expect(!stall(2, 1_447).isSendingStuck && !stall(2, 1_447).maySuggestBlackHole)
        #expect(!stall(1, 5_000).isSendingStuck)
        #expect(stall(0, 0, 1).hasGap && !stall(0, 600, 1).hasGap)
        let received = StalledConnection(
            segmentSize: 1_448,
            pathMTU: 1_500,
            segmentsOutOfOrder: 1,
            hasReceivedFullSegment: true
        )
        #expect(!received.hasGap && !received.maySuggestBlackHole && !received.isUnlikeLoss)
        let idle = stall(0, 0)
        #expect(idle.maySuggestBlackHole && idle.isUnlikeLoss && idle.words.isEmpty)
        #expect(!stall(0, 0, again: 1).isUnlikeLoss)
        #expect(stall(2, 1_448).words.contains("full segments (1448 bytes) are not acknowledged (suspected"))
        #expect(stall(0, 0, 1).words.contains("suspected path MTU black hole"))
    }
}
