// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

extension Certificate {
    /// The pin of its key as people write it, `sha256/…` (RFC 7469); nil when the key could not be read.
    public var pin: String? {
        PrintableBytes.bytes(hexadecimal: publicKeyDigest).flatMap { PublicKeyDigest(bytes: $0)?.description }
    }
}
