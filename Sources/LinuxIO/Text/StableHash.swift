// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Hashes that are the same in every run and on every machine, unlike the standard library's.
package enum StableHash {
    /// FNV-1a with 64 bits, then mixed: FNV alone leaves the upper bits of short texts that differ at the end alike, and the
    /// upper bits are what the spread takes.
    ///
    /// Source: draft-eastlake-fnv, section 2.
    @inlinable package static func hash(_ text: String, seed: UInt64 = 0) -> UInt64 {
        hash(text.utf8, seed: seed)
    }

    /// The same of bytes.
    @inlinable package static func hash(_ bytes: some Sequence<UInt8>, seed: UInt64 = 0) -> UInt64 {
        mix(fnv1a(bytes) ^ mix(seed))
    }

    /// FNV-1a with 64 bits.
    @inlinable package static func fnv1a(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes {
            hash ^= UInt64(byte)
            hash &*= 0x0000_0100_0000_01b3
        }
        return hash
    }

    /// The finalizer of SplitMix64: each bit of the input reaches each of the output. Zero stays zero.
    @inlinable package static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }

    /// A number below `bound`, as far along as `hash` is among all hashes.
    @inlinable package static func scale(_ hash: UInt64, below bound: UInt64) -> UInt64 {
        hash.multipliedFullWidth(by: bound).high
    }
}
