// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import CLinux
import Glibc
import LinuxIO

/// The metadata of a message from `recvmsg(2)`.
struct SocketMessage {
    static let timestamp: Int32 = 64  // SO_TIMESTAMPNS_NEW: two 64-bit numbers everywhere

    /// The length of the message in the buffer.
    var count = 0
    /// The sender; for the error queue, the destination of the failed packet.
    var address: IPAddress?
    /// The address of this machine that it was sent to; only with `IP_PKTINFO` or `IPV6_RECVPKTINFO`.
    var localAddress: IPAddress?
    /// The kernel's time of arrival, in nanoseconds of the real-time clock.
    var time: UInt64?
    /// The received hop limit (IPv4: TTL).
    var hopLimit: UInt8?
    /// The ICMP error, for messages of the error queue.
    var error: PacketError.Message?
    /// The `errno` of an error.
    var errorNumber: Int32 = 0
    /// The position in the message of the error's extensions (RFC 4884); nil without them, and unless the socket's
    /// option `IP_RECVERR_RFC4884` is set.
    var extensions: Int?

    /// Receives one message; nil when there is none, or for an error of an earlier request, which is also in the error
    /// queue.
    static func receive(_ buffer: inout [UInt8], on descriptor: OwnedDescriptor, flags: Int32) -> SocketMessage? {
        var message = SocketMessage()
        var name = sockaddr_storage()
        let isDone = unsafe withUnsafeMutableBytes(of: &name) { name in
            unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { control in
                    unsafe withUnsafeTemporaryAllocation(of: iovec.self, capacity: 1) { vector in
                        unsafe vector.initialize(repeating: iovec(iov_base: bytes.baseAddress, iov_len: bytes.count))
                        var header = unsafe msghdr()
                        unsafe header.msg_name = name.baseAddress
                        unsafe header.msg_namelen = socklen_t(name.count)
                        unsafe header.msg_iov = vector.baseAddress
                        unsafe header.msg_iovlen = 1
                        unsafe header.msg_control = control.baseAddress
                        unsafe header.msg_controllen = control.count
                        var count = -1
                        // The error of an earlier request is returned once; then the messages follow.
                        for _ in 0..<8 {
                            count = unsafe recvmsg(descriptor.number, &header, flags)
                            if count >= 0 || errno == EAGAIN { break }
                        }
                        guard count >= 0 else { return false }
                        message.count = min(count, bytes.count)
                        let used = unsafe min(Int(header.msg_namelen), name.count)
                        unsafe message.address = SocketAddress.address(
                            in: UnsafeRawBufferPointer(rebasing: name[..<used])
                        )
                        let controlUsed = unsafe min(Int(header.msg_controllen), control.count)
                        unsafe ControlMessages.forEach(in: UnsafeRawBufferPointer(rebasing: control[..<controlUsed])) {
                            unsafe message.read(level: $0, type: $1, $2)
                        }
                        message.completeError()
                        return true
                    }
                }
            }
        }
        return isDone ? message : nil
    }

    /// Adds the hop limit, which is another control message, to the error.
    private mutating func completeError() {
        guard let error, let hopLimit else { return }
        self.error = PacketError.Message(
            family: error.family,
            type: error.type,
            code: error.code,
            offender: error.offender,
            hopLimit: hopLimit
        )
    }

    /// Reads a control message.
    mutating func read(level: Int32, type: Int32, _ data: UnsafeRawBufferPointer) {
        if level == SOL_SOCKET, type == Self.timestamp, data.count >= 16 {
            let seconds = unsafe data.loadUnaligned(as: Int64.self)
            let nanoseconds = unsafe data.loadUnaligned(fromByteOffset: 8, as: Int64.self)
            time = UInt64(max(0, seconds)) * 1_000_000_000 + UInt64(max(0, nanoseconds))
        }
        let isHopLimit =
            level == Int32(IPPROTO_IP) && type == IP_TTL || level == Int32(IPPROTO_IPV6) && type == IPV6_HOPLIMIT
        if isHopLimit, data.count >= 4 {
            hopLimit = UInt8(exactly: unsafe data.loadUnaligned(as: Int32.self))
        }
        // struct in_pktinfo: index, (source), destination; struct in6_pktinfo: destination, index.
        if level == Int32(IPPROTO_IP), type == IP_PKTINFO, data.count >= 12 {
            localAddress = unsafe IPAddress(networkBytes: UnsafeRawBufferPointer(rebasing: data[8..<12]))
        }
        if level == Int32(IPPROTO_IPV6), type == IPV6_PKTINFO, data.count >= 16 {
            localAddress = unsafe IPAddress(networkBytes: UnsafeRawBufferPointer(rebasing: data[..<16]))
        }
        let isIPv4 = level == Int32(IPPROTO_IP) && type == IP_RECVERR
        let isIPv6 = level == Int32(IPPROTO_IPV6) && type == IPV6_RECVERR
        // struct sock_extended_err: errno, origin (2 ICMP, 3 ICMPv6), type, code, pad, info, data; then the offender.
        // The data is a struct sock_ee_data_rfc4884: the length of the quote, flags.
        guard isIPv4 || isIPv6, data.count >= 16 else { return }
        errorNumber = unsafe data.loadUnaligned(as: Int32.self)
        guard unsafe data[4] == 2 || data[4] == 3 else { return }
        let quote = Int(unsafe data.loadUnaligned(fromByteOffset: 12, as: UInt16.self))
        extensions = quote > 0 ? quote : nil
        error = PacketError.Message(
            family: unsafe data[4] == 2 ? .ipv4 : .ipv6,
            type: unsafe data[5],
            code: unsafe data[6],
            offender: unsafe SocketAddress.address(in: UnsafeRawBufferPointer(rebasing: data[16...]))
        )
    }
}

/// The control messages of `sendmsg(2)` and `recvmsg(2)`, `cmsg(3)`, whose macros Swift cannot import.
struct ControlMessages {
    private static let align = MemoryLayout<Int>.size
    /// The size of the header: the length as a `size_t`, then level and type as `int`.
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

    /// Adds a message with an `int`.
    mutating func append(level: Int32, type: Int32, _ value: Int32) {
        append(level: level, type: type, Self.bytes(of: value))
    }

    /// Returns the bytes of a number in native order.
    static func bytes(of value: some FixedWidthInteger) -> [UInt8] {
        var bytes: [UInt8] = []
        add(value, to: &bytes)
        return bytes
    }

    /// Calls the body with each message; stops at the first truncated one.
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
