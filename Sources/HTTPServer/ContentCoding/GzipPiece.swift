// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CZlib

/// A piece of a body, compressed so that it can stand anywhere in any gzip body: what did not change need not be
/// compressed again.
package struct GzipPiece: Sendable, Hashable {
    /// The compressed bytes (RFC 1951), without the end of a stream.
    let compressed: [UInt8]
    private(set) var checksum: UInt32
    private(set) var count: Int

    /// Compresses bytes. Nil when there is no memory, or there are 4 GiB.
    package init?(_ bytes: [UInt8]) {
        let room = reachd_zlib_bound(bytes.count)
        let compressed = unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            unsafe count = reachd_zlib_deflate(bytes, bytes.count, start, room)
        }
        guard !compressed.isEmpty else { return nil }
        self.compressed = compressed
        checksum = unsafe reachd_zlib_checksum(bytes, bytes.count)
        count = bytes.count
    }

    /// The gzip body (RFC 1952) of pieces, one behind the other.
    package static func body(of pieces: some Sequence<GzipPiece>) -> [UInt8] {
        var body = GzipStream.head
        body.reserveCapacity(pieces.reduce(32) { $0 + $1.compressed.count })
        var checksum: UInt32 = 0
        var count = 0
        for piece in pieces {
            body += piece.compressed
            checksum = combine(checksum, piece)
            count += piece.count
        }
        return body + tail(checksum: checksum, count: count)
    }

    /// The checksum of what has one, with a piece behind it.
    static func combine(_ checksum: UInt32, _ piece: GzipPiece) -> UInt32 {
        reachd_zlib_combine(checksum, piece.checksum, piece.count)
    }

    /// The end of a body: the last block, which is empty, the checksum and the size.
    static func tail(checksum: UInt32, count: Int) -> [UInt8] {
        [0x03, 0x00]
            + [checksum, UInt32(truncatingIfNeeded: count)].flatMap { value in
                (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            }
    }
}
