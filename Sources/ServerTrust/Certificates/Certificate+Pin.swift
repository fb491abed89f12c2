// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension Certificate {
    /// The pin of its key as people write it, `sha256/…` (RFC 7469); nil when the key could not be read.
    public var pin: String? {
        let digits = Array(publicKeyDigest.utf8)
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
        }
        return PublicKeyDigest(bytes: bytes)?.description
    }
}
