// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux

/// One netlink message: its header and what follows.
struct NetlinkMessage {
    let type: Int
    let flags: UInt16
    let sequence: UInt32
    let payload: NetlinkBytes

    /// What an error or acknowledgement message says.
    struct Failure {
        /// The positive `errno`, zero for an acknowledgement.
        let code: Int32
        /// Whether the kernel added words: then our request was malformed, and it is not a verdict (linux-paths 3.2).
        let hasText: Bool
    }

    /// The failure, if the message is one.
    var failure: Failure? {
        guard type == Int(NLMSG_ERROR), let error = payload.load(Int32.self) else { return nil }
        // With NETLINK_CAP_ACK the answer repeats only the header of the question, then come the attributes.
        guard flags & UInt16(NLM_F_ACK_TLVS) != 0 else { return Failure(code: -error, hasText: false) }
        let hasText = NetlinkAttributes(payload, from: 4 + MemoryLayout<nlmsghdr>.size)
            .contains { $0.type == Int(NLMSGERR_ATTR_MSG.rawValue) }
        return Failure(code: -error, hasText: hasText)
    }

    /// Calls a body for each message in what one `recv(2)` brought.
    static func forEach(in bytes: NetlinkBytes, _ body: (NetlinkMessage) -> Void) {
        var offset = 0
        while let header = bytes.load(nlmsghdr.self, at: offset) {
            let length = Int(header.nlmsg_len)
            guard length >= MemoryLayout<nlmsghdr>.size, offset + length <= bytes.count else { return }
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
