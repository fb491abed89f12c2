// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL
import LinuxIO

/// SHA-256 of a public key with its algorithm (SubjectPublicKeyInfo, DER), as RFC 7469 pins it.
public struct PublicKeyDigest: Sendable, Hashable {
    /// The 32 bytes.
    public let bytes: [UInt8]

    /// - Parameter bytes: 32 of them; nil for another number.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// - Parameter text: `sha256/` and the digest in Base64, as RFC 7469 and most tools write it; nil for anything else.
    public init?(_ text: String) {
        guard text.hasPrefix("sha256/"), let bytes = Base64.decode(String(text.dropFirst(7))) else { return nil }
        self.init(bytes: bytes)
    }

    /// The digest in lower-case hexadecimal digits.
    public var hexadecimal: String { PrintableBytes.hexadecimal(bytes) }
}

extension PublicKeyDigest: CustomStringConvertible {
    /// `sha256/` and the digest in Base64.
    public var description: String { "sha256/\(Base64.encode(bytes))" }
}
