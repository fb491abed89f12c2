// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Decodes the extensions of ICMP errors (RFC 4884): the MPLS label stack (RFC 4950). Pure.
enum ICMPExtensions {
    /// The maximum number of labels that are read; real stacks have a few.
    static let labelLimit = 16
    /// The minimum length of the quoted packet before extensions, in bytes (RFC 4884, section 4).
    static let quoteLength = 128

    /// Returns the labels of an extension structure; empty when there are none, or it is malformed.
    ///
    /// - Parameter needsChecksum: Whether the checksum is required: its position is then only an assumption.
    static func labels(in bytes: ArraySlice<UInt8>, needsChecksum: Bool = false) -> [MPLSLabel] {
        let bytes = Array(bytes)
        guard bytes.count >= 8, bytes[0] >> 4 == 2 else { return [] }
        let hasChecksum = bytes[2] != 0 || bytes[3] != 0
        guard hasChecksum ? ICMPMessage.checksum(bytes) == 0 : !needsChecksum else { return [] }
        var labels: [MPLSLabel] = []
        var position = 4
        // Each object: length with these four bytes, class and type.
        while position + 4 <= bytes.count {
            let length = Int(bytes[position]) << 8 | Int(bytes[position + 1])
            guard length >= 4, position + length <= bytes.count else { return labels }
            if bytes[position + 2] == 1, bytes[position + 3] == 1 {
                for entry in stride(from: position + 4, to: position + length - 3, by: 4) {
                    guard labels.count < labelLimit else { return labels }
                    let bits = bytes[entry..<(entry + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                    labels.append(MPLSLabel(bits: bits))
                }
            }
            position += length
        }
        return labels
    }

    /// Returns the labels behind the quote of an error.
    ///
    /// - Parameters:
    ///   - bytes: The quoted packet without its first headers, and what follows it.
    ///   - length: The length of the quote within the bytes; nil when the error does not state it.
    ///   - stripped: The length of the headers that are missing at the beginning of the quote.
    static func labels(behind bytes: ArraySlice<UInt8>, quote length: Int?, stripped: Int) -> [MPLSLabel] {
        if let length { return length <= bytes.count ? labels(in: bytes.dropFirst(max(0, length))) : [] }
        // Routers older than RFC 4884 append extensions at a fixed position and do not state it (section 5.5).
        let assumed = quoteLength - stripped
        guard assumed > 0, bytes.count > assumed else { return [] }
        return labels(in: bytes.dropFirst(assumed), needsChecksum: true)
    }
}
