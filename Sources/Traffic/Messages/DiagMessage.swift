// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Addresses
internal import CLinux
internal import LinuxIO

/// One socket in a `SOCK_DIAG_BY_FAMILY` message (sock_diag(7)): `struct inet_diag_msg` and its attributes.
///
/// Borrows the bytes of its attributes; valid only during the call that lends them.
struct DiagMessage {
    let family: AddressFamily
    /// `TCP_…`, the state.
    let state: UInt8
    /// Which timer runs: 1 retransmission, 2 keep-alive or delayed close, 4 zero-window probe.
    let timer: UInt8
    let local: TrafficEndpoint
    let remote: TrafficEndpoint
    /// The socket's number, unique in its network namespace until the next boot (`SO_COOKIE`).
    let cookie: UInt64
    /// Bytes received that the program has not read, with one for the peer's FIN.
    let receiveQueue: UInt32
    /// Bytes written by the program that the peer has not acknowledged.
    let sendQueue: UInt32
    private let attributes: NetlinkBytes

    /// Offsets in a whole message, from the start of `struct nlmsghdr`; ``ConnectionFilter`` reads at them too.
    enum Offset {
        static let family = 16
        static let localPort = 20
        static let remotePort = 22
        static let localAddress = 24
        static let remoteAddress = 40
    }

    /// Reads what follows the `nlmsghdr`.
    ///
    /// - Returns: nil when it is too short or of another family.
    init?(payload: NetlinkBytes) {
        let header = MemoryLayout<nlmsghdr>.size
        guard let message = payload.load(inet_diag_msg.self),
            let family = AddressFamily(rawValue: message.idiag_family),
            let local = Self.address(family, in: payload, at: Offset.localAddress - header),
            let remote = Self.address(family, in: payload, at: Offset.remoteAddress - header)
        else { return nil }
        self.family = family
        state = message.idiag_state
        timer = message.idiag_timer
        self.local = TrafficEndpoint(local, port: UInt16(bigEndian: message.id.idiag_sport))
        self.remote = TrafficEndpoint(remote, port: UInt16(bigEndian: message.id.idiag_dport))
        cookie = UInt64(message.id.idiag_cookie.1) << 32 | UInt64(message.id.idiag_cookie.0)
        receiveQueue = message.idiag_rqueue
        sendQueue = message.idiag_wqueue
        attributes = payload.slice(from: MemoryLayout<inet_diag_msg>.size, to: payload.count)
    }

    private static func address(_ family: AddressFamily, in payload: NetlinkBytes, at offset: Int) -> IPAddress? {
        payload.slice(from: offset, to: offset + (family == .ipv4 ? 4 : 16)).address
    }

    /// The attribute `INET_DIAG_INFO`, read when it is asked for: most messages are of connections that are not a target's.
    var info: TCPInfo? {
        for attribute in NetlinkAttributes(attributes) where attribute.type == Int(INET_DIAG_INFO) {
            return TCPInfo(attribute.value)
        }
        return nil
    }

    /// The attribute `INET_DIAG_SHUTDOWN`: bit 0 receiving, bit 1 sending; only in dumps that request it, and for ended
    /// connections always both or absent, so that it does not distinguish how they ended.
    var shutdown: UInt8? {
        for attribute in NetlinkAttributes(attributes) where attribute.type == Int(INET_DIAG_SHUTDOWN) {
            return attribute.value.load(UInt8.self)
        }
        return nil
    }
}

/// One netlink message of the sock_diag protocol.
enum DiagReply {
    /// A socket.
    case socket(DiagMessage)
    /// The end of a dump, with a positive `errno` when it failed.
    case done(Int32)
    /// A refused request, with a positive `errno`; 0 acknowledges.
    case failure(Int32)

    /// Calls a body for each message in the bytes that one `recv(2)` returned. Malformed ones and other types are skipped; a length
    /// that leaves the bytes ends the walk.
    static func forEach(in bytes: NetlinkBytes, _ body: (DiagReply, _ sequence: UInt32) -> Void) {
        NetlinkMessage.forEach(in: bytes) { message in
            switch message.type {
            case Int(SOCK_DIAG_BY_FAMILY):
                if let socket = DiagMessage(payload: message.payload) { body(.socket(socket), message.sequence) }
            case Int(NLMSG_DONE):
                body(.done(positive(message.payload.load(Int32.self) ?? 0)), message.sequence)
            case Int(NLMSG_ERROR):
                if let code = message.payload.load(Int32.self) { body(.failure(positive(code)), message.sequence) }
            default:
                break
            }
        }
    }

    /// A negated `errno` as a positive one; 0 for what is none.
    private static func positive(_ code: Int32) -> Int32 { code < 0 && code != .min ? -code : 0 }
}
