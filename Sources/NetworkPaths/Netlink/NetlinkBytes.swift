// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Borrowed bytes of a netlink message with bounds-checked reads; valid only while the call that lends them runs.
@safe
struct NetlinkBytes {
    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        unsafe self.bytes = unsafe bytes
    }

    var count: Int { unsafe bytes.count }

    /// Reads a value at an offset, or nil where the bytes end before it does.
    func load<Value: BitwiseCopyable>(_ type: Value.Type, at offset: Int = 0) -> Value? {
        guard offset >= 0, offset + MemoryLayout<Value>.size <= count else { return nil }
        return unsafe bytes.loadUnaligned(fromByteOffset: offset, as: Value.self)
    }

    /// The bytes from `start` up to `end`, cut to what there is.
    func slice(from start: Int, to end: Int) -> NetlinkBytes {
        let start = min(max(start, 0), count)
        return unsafe NetlinkBytes(UnsafeRawBufferPointer(rebasing: bytes[start..<min(max(end, start), count)]))
    }

    /// The bytes as text, up to the first zero.
    var text: String {
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// The bytes as an address of 4 or 16 bytes.
    var address: IPAddress? { unsafe IPAddress(networkBytes: bytes) }

    /// The bytes as hexadecimal pairs with colons.
    var hexadecimal: String {
        let digits = Array("0123456789abcdef")
        return unsafe bytes.map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }.joined(separator: ":")
    }
}
