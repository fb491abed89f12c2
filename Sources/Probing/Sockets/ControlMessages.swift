// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The control messages of `sendmsg(2)` and `recvmsg(2)`, `cmsg(3)`, whose macros Swift cannot import.
struct ControlMessages {
    private static let align = MemoryLayout<Int>.size
    /// The length as a `size_t`, then level and type as `int`.
    private static let headerSize = align + 8

    /// The bytes so far.
    private(set) var bytes: [UInt8] = []

    /// Adds a message.
    mutating func append(level: Int32, type: Int32, _ data: [UInt8]) {
        Self.add(Self.headerSize + data.count, to: &bytes)
        Self.add(level, to: &bytes)
        Self.add(type, to: &bytes)
        bytes += data
        bytes += [UInt8](repeating: 0, count: Self.padding(bytes.count))
    }

    /// Adds a message that is an `int`.
    mutating func append(level: Int32, type: Int32, _ value: Int32) {
        append(level: level, type: type, Self.bytes(of: value))
    }

    /// The bytes of a number in the machine's order.
    static func bytes(of value: some FixedWidthInteger) -> [UInt8] {
        var bytes: [UInt8] = []
        add(value, to: &bytes)
        return bytes
    }

    /// Calls with each message; ends at the first that is cut short.
    static func forEach(
        in bytes: UnsafeRawBufferPointer,
        _ body: (_ level: Int32, _ type: Int32, _ data: UnsafeRawBufferPointer) -> Void
    ) {
        var rest = unsafe bytes[...]
        while unsafe rest.count >= headerSize {
            let head = unsafe UnsafeRawBufferPointer(rebasing: rest)
            let length = unsafe head.loadUnaligned(as: Int.self)
            guard length >= headerSize, length <= head.count else { return }
            unsafe body(
                head.loadUnaligned(fromByteOffset: align, as: Int32.self),
                head.loadUnaligned(fromByteOffset: align + 4, as: Int32.self),
                UnsafeRawBufferPointer(rebasing: head[headerSize..<length])
            )
            unsafe rest = rest.dropFirst(length + padding(length))
        }
    }

    private static func padding(_ count: Int) -> Int { (align - count % align) % align }

    private static func add<Value: FixedWidthInteger>(_ value: Value, to bytes: inout [UInt8]) {
        unsafe withUnsafeBytes(of: value) { unsafe bytes.append(contentsOf: $0) }
    }
}
