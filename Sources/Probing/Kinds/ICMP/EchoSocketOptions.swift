// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import CLinux
import Glibc
import LinuxIO

/// The system calls of an ICMP socket.
enum EchoSocketOptions {
    // Constants that Swift's Glibc module lacks.
    private static let filter: Int32 = 1  // ICMP_FILTER, and ICMP6_FILTER
    private static let receiveBufferForce: Int32 = 33  // SO_RCVBUFFORCE
    private static let receiveBuffer: Int32 = 1 << 20

    /// Opens a socket with all options.
    ///
    /// - Returns: The socket, and whether it is a raw one.
    /// - Throws: ``ProbeFault`` of the setup stage.
    static func openSocket(_ family: AddressFamily) throws(ProbeFault) -> (OwnedDescriptor, isRaw: Bool) {
        let descriptor: OwnedDescriptor
        let isRaw: Bool
        do throws(SystemError) {
            (descriptor, isRaw) = try open(family)
        } catch {
            guard error.code == EPERM || error.code == EACCES else { throw ProbeFault(error, at: .setup) }
            throw ProbeFault(
                reason: .icmpNotPermitted,
                detail: "ICMP is not permitted: the group is not in net.ipv4.ping_group_range (datagram sockets), "
                    + "and CAP_NET_RAW is missing (raw sockets)"
            )
        }
        do throws(SystemError) {
            try apply(to: descriptor, family: family, isRaw: isRaw)
        } catch {
            throw ProbeFault(error, at: .setup)
        }
        return (descriptor, isRaw)
    }

    /// - Returns: The socket, and whether it is a raw one.
    /// - Throws: The raw socket's error.
    private static func open(_ family: AddressFamily) throws(SystemError) -> (OwnedDescriptor, Bool) {
        let proto = family == .ipv4 ? Int32(IPPROTO_ICMP) : Int32(IPPROTO_ICMPV6)
        func open(_ type: __socket_type) throws(SystemError) -> OwnedDescriptor {
            let flags = Int32(type.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            return OwnedDescriptor(
                owning: try systemCall("socket(ICMP)") { socket(Int32(family.rawValue), flags, proto) }
            )
        }
        do throws(SystemError) {
            return (try open(SOCK_DGRAM), false)
        } catch {
            guard error.code == EACCES || error.code == EPERM || error.code == EPROTONOSUPPORT else { throw error }
            return (try open(SOCK_RAW), true)
        }
    }

    private static func apply(to descriptor: OwnedDescriptor, family: AddressFamily, isRaw: Bool) throws(SystemError) {
        try ProbeSocket.set(descriptor, SOL_SOCKET, SocketMessage.timestamp, 1, "SO_TIMESTAMPNS")
        do throws(SystemError) {
            try ProbeSocket.set(descriptor, SOL_SOCKET, receiveBufferForce, receiveBuffer, "SO_RCVBUFFORCE")
        } catch {
            // Without CAP_NET_ADMIN, limited by net.core.rmem_max.
            try ProbeSocket.set(descriptor, SOL_SOCKET, SO_RCVBUF, receiveBuffer, "SO_RCVBUF")
        }
        do throws(SystemError) {
            if family == .ipv4 {
                try ProbeSocket.set(descriptor, Int32(IPPROTO_IP), IP_RECVTTL, 1, "IP_RECVTTL")
                // The own address distinguishes errors of this machine from those of others.
                try ProbeSocket.set(descriptor, Int32(IPPROTO_IP), IP_PKTINFO, 1, "IP_PKTINFO")
            } else {
                try ProbeSocket.set(descriptor, Int32(IPPROTO_IPV6), IPV6_RECVHOPLIMIT, 1, "IPV6_RECVHOPLIMIT")
                try ProbeSocket.set(descriptor, Int32(IPPROTO_IPV6), IPV6_RECVPKTINFO, 1, "IPV6_RECVPKTINFO")
            }
        } catch {
            // Some sandboxes lack this option: errors are then not reported, but replies still arrive.
        }
        if isRaw {
            try applyFilter(to: descriptor, family: family)
        } else if family == .ipv4 {
            try ProbeSocket.set(descriptor, Int32(IPPROTO_IP), IP_RECVERR, 1, "IP_RECVERR")
        } else {
            try ProbeSocket.set(descriptor, Int32(IPPROTO_IPV6), IPV6_RECVERR, 1, "IPV6_RECVERR")
        }
    }

    /// Filters a raw socket, which otherwise receives every ICMP message, to replies and errors. A set bit blocks a
    /// type.
    private static func applyFilter(to descriptor: OwnedDescriptor, family: AddressFamily) throws(SystemError) {
        let wanted: [UInt8] = family == .ipv4 ? [0, 3, 11, 12] : [1, 2, 3, 4, 129]
        var words = [UInt32](repeating: ~0, count: family == .ipv4 ? 1 : 8)
        for type in wanted { words[Int(type) / 32] &= ~(1 << UInt32(type % 32)) }
        let level: Int32 = family == .ipv4 ? 255 : Int32(IPPROTO_ICMPV6)  // SOL_RAW
        try systemCall("ICMP_FILTER") {
            unsafe setsockopt(descriptor.number, level, filter, words, socklen_t(words.count * 4))
        }
    }

    /// Returns the control messages of one packet, for the options that differ between packets on the shared socket.
    static func control(for packet: EchoPacket, interface: UInt32) -> [UInt8] {
        var messages = ControlMessages()
        let isIPv4 = packet.address.family == .ipv4
        if packet.origin.source != nil || interface != 0 {
            var source = [UInt8](repeating: 0, count: isIPv4 ? 4 : 16)
            if let address = packet.origin.source, address.family == packet.address.family {
                source = unsafe address.withNetworkBytes { unsafe Array($0) }
            }
            let index = ControlMessages.bytes(of: interface)
            // struct in_pktinfo: index, source, (destination); struct in6_pktinfo: source, index.
            messages.append(
                level: isIPv4 ? Int32(IPPROTO_IP) : Int32(IPPROTO_IPV6),
                type: isIPv4 ? IP_PKTINFO : IPV6_PKTINFO,
                isIPv4 ? index + source + [0, 0, 0, 0] : source + index
            )
        }
        if let timeToLive = packet.timeToLive {
            messages.append(
                level: isIPv4 ? Int32(IPPROTO_IP) : Int32(IPPROTO_IPV6),
                type: isIPv4 ? IP_TTL : IPV6_HOPLIMIT,
                Int32(timeToLive)
            )
        }
        if let mark = packet.origin.mark {
            messages.append(level: SOL_SOCKET, type: SO_MARK, Int32(bitPattern: mark))
        }
        return messages.bytes
    }

    static func send(
        _ bytes: [UInt8],
        to target: SocketAddress,
        control: [UInt8],
        on descriptor: OwnedDescriptor
    ) throws(SystemError) -> SystemCallResult<Int> {
        // sendmsg(2) writes to none of these.
        var bytes = bytes
        var control = control
        return try nonBlockingCall("sendmsg") {
            unsafe target.withBytes { name in
                unsafe bytes.withUnsafeMutableBytes { bytes in
                    unsafe control.withUnsafeMutableBytes { control in
                        unsafe withUnsafeTemporaryAllocation(of: iovec.self, capacity: 1) { vector in
                            unsafe vector.initialize(
                                repeating: iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                            )
                            var header = unsafe msghdr()
                            unsafe header.msg_name = UnsafeMutableRawPointer(mutating: name.baseAddress)
                            unsafe header.msg_namelen = socklen_t(name.count)
                            unsafe header.msg_iov = vector.baseAddress
                            unsafe header.msg_iovlen = 1
                            if unsafe !control.isEmpty {
                                unsafe header.msg_control = control.baseAddress
                                unsafe header.msg_controllen = control.count
                            }
                            return unsafe sendmsg(descriptor.number, &header, Int32(MSG_NOSIGNAL))
                        }
                    }
                }
            }
        }
    }
}
