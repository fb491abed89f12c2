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
        /// Whether the kernel added words: then our question was malformed, and it is no verdict (linux-paths 3.2).
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
