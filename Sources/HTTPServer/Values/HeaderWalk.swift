// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc

/// Goes from field to field of a block of header fields; every request is asked for several, so each byte is touched once.
@safe struct HeaderWalk: ~Copyable {
    /// The field that was reached, in the block.
    private(set) var name = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    /// Its value, without the blanks around it.
    private(set) var value = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    private let block: UnsafeBufferPointer<UInt8>
    private var at = 0

    /// - Parameter block: as ``HeaderFields/block(_:)`` has it; has to outlive the walk.
    init(_ block: UnsafeBufferPointer<UInt8>) {
        unsafe self.block = block
    }

    /// Goes to the next field; false behind the last one.
    mutating func next() -> Bool {
        guard unsafe at < block.count, unsafe block[at] != 0 else { return false }
        let nameEnd = end(from: at)
        unsafe name = UnsafeBufferPointer(rebasing: block[at..<nameEnd])
        var start = min(nameEnd + 1, unsafe block.count)
        let end = end(from: start)
        var valueEnd = end
        while start < end, isBlank(start) { start += 1 }
        while valueEnd > start, isBlank(valueEnd - 1) { valueEnd -= 1 }
        unsafe value = UnsafeBufferPointer(rebasing: block[start..<valueEnd])
        at = end + 2
        return true
    }

    /// Where the text that begins at a place ends: at a NUL, or with the block.
    private func end(from place: Int) -> Int {
        guard let base = unsafe block.baseAddress, unsafe place < block.count,
            let found = unsafe memchr(base + place, 0, block.count - place)
        else { return unsafe block.count }
        return unsafe UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }

    private func isBlank(_ place: Int) -> Bool {
        unsafe block[place] == UInt8(ascii: " ") || block[place] == UInt8(ascii: "\t")
    }
}
