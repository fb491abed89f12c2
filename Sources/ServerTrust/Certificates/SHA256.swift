// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL

/// The hash (FIPS 180-4), as OpenSSL has it.
public enum SHA256 {
    /// How many bytes a digest has.
    public static let count = 32

    /// The digest of bytes; nil when there is no memory. Any thread.
    public static func digest(of bytes: [UInt8]) -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: count)
        guard unsafe reachd_tls_sha256(bytes, bytes.count, &digest) != 0 else { return nil }
        return digest
    }
}
