// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc

/// One header; names compare without regard to case.
package struct HTTPHeader: Sendable, Hashable {
    /// The name.
    package let name: String
    /// The value, free of control characters.
    package let value: String

    /// Creates a header.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// A request's headers: a list, or the raw bytes, most of which are never read.
enum HeaderFields: Sendable {
    case list([HTTPHeader])
    /// Each header as name, NUL, optional spaces, value, NUL, NUL; checked by the C side.
    case block([UInt8])

    /// The headers in their order.
    var list: [HTTPHeader] {
        switch self {
        case .list(let list):
            return list
        case .block(let block):
            return unsafe block.withUnsafeBufferPointer { block in
                var list: [HTTPHeader] = []
                var walk = unsafe HeaderWalk(block)
                while walk.next() {
                    list.append(HTTPHeader(unsafe text(of: walk.name), unsafe text(of: walk.value)))
                }
                return list
            }
        }
    }

    /// The value of the first header with a name, without regard to case.
    func first(_ name: String) -> String? {
        switch self {
        case .list(let list): list.first { Self.isSame($0.name, name) }?.value
        case .block(let block): unsafe find(name, in: block) { unsafe text(of: $0) }
        }
    }

    /// Whether the first header with a name has a value; creates no string.
    func isFirst(_ name: String, equalTo value: String) -> Bool {
        var value = value
        return value.withUTF8 { value in
            unsafe withFirst(name) { unsafe Self.isEqual($0, value) } ?? false
        }
    }

    /// Calls a body with the value of the first header with a name, if there is one; creates no string.
    func withFirst<Result>(_ name: String, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
        switch self {
        case .list:
            guard var value = first(name) else { return nil }
            return value.withUTF8 { unsafe body($0) }
        case .block(let block): return unsafe find(name, in: block, body)
        }
    }

    private func find<Result>(
        _ name: String,
        in block: [UInt8],
        _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result? {
        var name = name
        return name.withUTF8 { wanted in
            unsafe block.withUnsafeBufferPointer { block in
                var walk = unsafe HeaderWalk(block)
                while walk.next() {
                    if unsafe Self.isSame(walk.name, wanted) { return unsafe body(walk.value) }
                }
                return nil
            }
        }
    }

    private func text(of bytes: UnsafeBufferPointer<UInt8>) -> String {
        unsafe String(decoding: bytes, as: UTF8.self)
    }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        var (left, right) = (left, right)
        return left.withUTF8 { left in right.withUTF8 { unsafe isSame(left, $0) } }
    }

    private static func isSame(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        var index = 0
        while index < left.count {
            let (one, other) = unsafe (left[index], right[index])
            guard one == other || lowercase(one) == lowercase(other) else { return false }
            index += 1
        }
        return true
    }

    private static func isEqual(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
        guard left.count == right.count, let one = left.baseAddress, let other = right.baseAddress else {
            return left.count == right.count
        }
        return unsafe memcmp(one, other, left.count) == 0
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }
}

/// Iterates over a block of headers; every request needs several, so each byte is read once.
@safe struct HeaderWalk: ~Copyable {
    /// The current header's name, in the block.
    private(set) var name = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    /// Its value, without the spaces around it.
    private(set) var value = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    private let block: UnsafeBufferPointer<UInt8>
    private var at = 0

    /// - Parameter block: in the format of ``HeaderFields/block(_:)``; must outlive the walk.
    init(_ block: UnsafeBufferPointer<UInt8>) {
        unsafe self.block = block
    }

    /// Advances to the next header; false after the last one.
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

    /// The end of the text that begins at an index: a NUL, or the end of the block.
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
