// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

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
