// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses
internal import CLinux

/// One netlink message: its header and what follows.
package struct NetlinkMessage {
    /// `nlmsg_type`.
    package let type: Int
    /// `nlmsg_flags`.
    package let flags: UInt16
    /// `nlmsg_seq`: of a reply, that of its request.
    package let sequence: UInt32
    /// What follows the header.
    package let payload: NetlinkBytes

    /// What an error or acknowledgement message says.
    package struct Failure {
        /// The positive `errno`, zero for an acknowledgement.
        package let code: Int32
        /// Whether the kernel added words: then our request was malformed, and it is not a verdict (linux-paths 3.2).
        package let hasText: Bool
    }

    /// The failure, if the message is one.
    package var failure: Failure? {
        guard type == Int(NLMSG_ERROR), let error = payload.load(Int32.self) else { return nil }
        // With NETLINK_CAP_ACK the answer repeats only the header of the question, then come the attributes.
        guard flags & UInt16(NLM_F_ACK_TLVS) != 0 else { return Failure(code: 0 &- error, hasText: false) }
        let hasText = NetlinkAttributes(payload, from: 4 + MemoryLayout<nlmsghdr>.size)
            .contains { $0.type == Int(NLMSGERR_ATTR_MSG.rawValue) }
        return Failure(code: 0 &- error, hasText: hasText)
    }

    /// Calls a body for each message in what one `recv(2)` returned; a length that leaves the bytes ends the walk.
    package static func forEach(in bytes: NetlinkBytes, _ body: (NetlinkMessage) -> Void) {
        var offset = 0
        while let header = bytes.load(nlmsghdr.self, at: offset) {
            let length = Int(header.nlmsg_len)
            guard length >= MemoryLayout<nlmsghdr>.size, length <= bytes.count - offset else { return }
            body(
                NetlinkMessage(
                    type: Int(header.nlmsg_type),
                    flags: header.nlmsg_flags,
                    sequence: header.nlmsg_seq,
                    payload: bytes.slice(from: offset + MemoryLayout<nlmsghdr>.size, to: offset + length)
                )
            )
            offset += (length + 3) & ~3
        }
    }
}

/// Borrowed bytes of a netlink message with bounds-checked reads; valid only during the call that lends them.
@safe
package struct NetlinkBytes {
    @usableFromInline let bytes: UnsafeRawBufferPointer

    /// Lends bytes.
    package init(_ bytes: UnsafeRawBufferPointer) {
        unsafe self.bytes = unsafe bytes
    }

    /// The number of bytes.
    package var count: Int { unsafe bytes.count }

    /// Reads a value at an offset; nil where the bytes end before the value does. Inlined: a message takes many.
    @inlinable
    package func load<Value: BitwiseCopyable>(_ type: Value.Type, at offset: Int = 0) -> Value? {
        guard offset >= 0, unsafe offset <= bytes.count - MemoryLayout<Value>.size else { return nil }
        return unsafe bytes.loadUnaligned(fromByteOffset: offset, as: Value.self)
    }

    /// The bytes from `start` up to `end`, clamped to the bounds.
    package func slice(from start: Int, to end: Int) -> NetlinkBytes {
        let start = min(max(start, 0), count)
        return unsafe NetlinkBytes(UnsafeRawBufferPointer(rebasing: bytes[start..<min(max(end, start), count)]))
    }

    /// The bytes as text, up to the first zero.
    package var text: String {
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// The bytes as an address of 4 or 16 bytes.
    package var address: IPAddress? { unsafe IPAddress(networkBytes: bytes) }

    /// The bytes as hexadecimal pairs with colons.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef")
        return unsafe bytes.map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }.joined(separator: ":")
    }
}

/// The attributes of a message, one after the other; a malformed one ends the sequence.
package struct NetlinkAttributes: Sequence, IteratorProtocol {
    private let bytes: NetlinkBytes
    private var offset: Int

    /// Walks the attributes that begin at an offset.
    package init(_ bytes: NetlinkBytes, from offset: Int = 0) {
        self.bytes = bytes
        self.offset = (offset + 3) & ~3
    }

    /// The next attribute: its type, without flags, and its value.
    package mutating func next() -> (type: Int, value: NetlinkBytes)? {
        guard let header = bytes.load(rtattr.self, at: offset), header.rta_len >= 4 else { return nil }
        let end = offset + Int(header.rta_len)
        guard end <= bytes.count else { return nil }
        let value = bytes.slice(from: offset + 4, to: end)
        offset = (end + 3) & ~3
        // The two top bits say "nested" and "network byte order"; the rest is the type.
        return (Int(header.rta_type & 0x3fff), value)
    }
}
