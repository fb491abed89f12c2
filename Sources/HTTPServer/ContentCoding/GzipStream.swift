// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A gzip body that is made piece by piece (RFC 1952): ``head``, what ``append(_:)`` makes of each piece, ``tail``.
package struct GzipStream: Sendable {
    /// The first bytes: no name, no time, an unknown system.
    package static let head: [UInt8] = [0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 0xFF]

    private var checksum: UInt32 = 0
    private var count = 0

    /// Begins a body.
    package init() {}

    /// Compresses a piece; nil when there is no memory.
    package mutating func append(_ bytes: [UInt8]) -> [UInt8]? {
        guard !bytes.isEmpty else { return [] }
        guard let piece = GzipPiece(bytes) else { return nil }
        checksum = GzipPiece.combine(checksum, piece)
        count += piece.count
        return piece.compressed
    }

    /// The last bytes.
    package var tail: [UInt8] { GzipPiece.tail(checksum: checksum, count: count) }
}
