// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux

/// The attributes of a message, one after the other; a malformed one ends the walk.
struct NetlinkAttributes: Sequence, IteratorProtocol {
    private let bytes: NetlinkBytes
    private var offset: Int

    /// Walks the attributes that begin at an offset.
    init(_ bytes: NetlinkBytes, from offset: Int = 0) {
        self.bytes = bytes
        self.offset = (offset + 3) & ~3
    }

    mutating func next() -> (type: Int, value: NetlinkBytes)? {
        guard let header = bytes.load(rtattr.self, at: offset), header.rta_len >= 4 else { return nil }
        let end = offset + Int(header.rta_len)
        guard end <= bytes.count else { return nil }
        let value = bytes.slice(from: offset + 4, to: end)
        offset = (end + 3) & ~3
        // The two top bits say "nested" and "network byte order"; the rest is the type.
        return (Int(header.rta_type & 0x3fff), value)
    }
}
