// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CZlib

/// Reads `Accept-Encoding` (RFC 9110, section 12.5.3).
package enum AcceptEncoding {
    /// Whether a header names gzip, rather than only permit it by its absence.
    ///
    /// - Parameter field: the bytes of the header's value.
    package static func acceptsGzip(_ field: some RandomAccessCollection<UInt8>) -> Bool {
        var others = false
        var rest = field[...]
        while let element = next(of: &rest, before: UInt8(ascii: ",")) {
            var parameters = element
            guard let name = next(of: &parameters, before: UInt8(ascii: ";")) else { continue }
            var isWanted = true
            while let parameter = next(of: &parameters, before: UInt8(ascii: ";")) {
                if isZero(parameter) { isWanted = false }
            }
            if isSame(name, "gzip") || isSame(name, "x-gzip") { return isWanted }
            if isSame(name, "*") { others = isWanted }
        }
        return others
    }

    /// Takes the part before the next separator; nil when nothing is left. Empty parts are passed over.
    private static func next<Part: RandomAccessCollection<UInt8>>(of rest: inout Part, before separator: UInt8) -> Part?
    where Part.SubSequence == Part {
        rest = rest.drop { $0 == separator }
        guard !rest.isEmpty else { return nil }
        let part = rest.prefix { $0 != separator }
        rest = rest[part.endIndex...]
        return part
    }

    /// Whether a parameter is a weight of zero: `q=0`, `q=0.000`.
    private static func isZero(_ parameter: some RandomAccessCollection<UInt8>) -> Bool {
        let text = visible(parameter)
        return text.starts(with: "q=0".utf8)
            && text.dropFirst(2).allSatisfy { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: ".") }
    }

    private static func isSame(_ text: some RandomAccessCollection<UInt8>, _ name: String) -> Bool {
        visible(text).elementsEqual(name.utf8)
    }

    /// The bytes without blanks, in lower case.
    private static func visible(_ bytes: some RandomAccessCollection<UInt8>) -> some Collection<UInt8> {
        bytes.lazy.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
            .map { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") ? $0 | 0x20 : $0 }
    }
}

/// A gzip body made in chunks (RFC 1952): ``head``, the results of ``append(_:)``, ``tail``.
package struct GzipStream: Sendable {
    /// The first bytes: no name, no time, an unknown system.
    package static let head: [UInt8] = [0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 0xFF]

    private var checksum: UInt32 = 0
    private var count = 0

    /// Begins a body.
    package init() {}

    /// Compresses a chunk; nil when there is no memory.
    package mutating func append(_ bytes: [UInt8]) -> [UInt8]? {
        guard !bytes.isEmpty else { return [] }
        guard let piece = GzipChunk(bytes) else { return nil }
        checksum = GzipChunk.combine(checksum, piece)
        count += piece.count
        return piece.compressed
    }

    /// The last bytes.
    package var tail: [UInt8] { GzipChunk.tail(checksum: checksum, count: count) }
}

/// A chunk of a body, compressed so that it fits at any position in any gzip body: unchanged chunks need not be
/// compressed again.
package struct GzipChunk: Sendable, Hashable {
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

    /// The gzip body (RFC 1952) of consecutive chunks.
    package static func body(of pieces: some Sequence<GzipChunk>) -> [UInt8] {
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

    /// The checksum of a body with a chunk appended.
    static func combine(_ checksum: UInt32, _ piece: GzipChunk) -> UInt32 {
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
