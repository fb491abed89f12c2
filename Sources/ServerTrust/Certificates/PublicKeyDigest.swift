// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL
import LinuxIO

/// SHA-256 of a public key with its algorithm (SubjectPublicKeyInfo, DER), as in RFC 7469.
public struct PublicKeyDigest: Sendable, Hashable {
    /// The 32 bytes.
    public let bytes: [UInt8]

    /// - Parameter bytes: 32 bytes; any other number returns nil.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// - Parameter text: `sha256/` and the digest in Base64, as in RFC 7469 and most tools; anything else returns nil.
    public init?(_ text: String) {
        guard text.hasPrefix("sha256/"), let bytes = Base64.bytes(String(text.dropFirst(7))) else { return nil }
        self.init(bytes: bytes)
    }

    /// The digest in lower-case hexadecimal digits.
    public var hexadecimal: String { PrintableBytes.hexadecimal(bytes) }
}

extension PublicKeyDigest: CustomStringConvertible {
    /// `sha256/` and the digest in Base64.
    public var description: String { "sha256/\(Base64.text(bytes))" }
}

/// SHA-256 (FIPS 180-4), computed by OpenSSL.
public enum SHA256 {
    /// The number of bytes of a digest.
    public static let count = 32

    /// Returns the digest of bytes; nil when out of memory. Any thread.
    public static func digest(of bytes: [UInt8]) -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: count)
        guard unsafe reachd_tls_sha256(bytes, bytes.count, &digest) != 0 else { return nil }
        return digest
    }
}

/// SHA-256 of a chain as the server sent it.
struct ChainDigest: Hashable {
    private let words: SIMD4<UInt64>

    /// Creates a digest from its 32 bytes; missing ones are zero.
    init(_ bytes: [UInt8]) {
        var words = SIMD4<UInt64>()
        for (index, byte) in bytes.prefix(32).enumerated() { words[index / 8] = words[index / 8] << 8 | UInt64(byte) }
        self.words = words
    }
}
