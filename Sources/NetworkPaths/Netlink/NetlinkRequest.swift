// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux

/// Bytes of one or more netlink requests in the making.
struct NetlinkRequest {
    private(set) var bytes: [UInt8] = []
    private var start = 0

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    /// Begins a message; ``end()`` ends it.
    mutating func begin<Header: BitwiseCopyable>(
        type: Int,
        flags: Int,
        sequence: UInt32,
        header: Header
    ) {
        start = bytes.count
        append(
            nlmsghdr(
                nlmsg_len: 0,
                nlmsg_type: UInt16(truncatingIfNeeded: type),
                nlmsg_flags: UInt16(truncatingIfNeeded: flags),
                nlmsg_seq: sequence,
                nlmsg_pid: 0
            )
        )
        append(header)
    }

    /// Adds an attribute with a plain value.
    mutating func attribute<Value: BitwiseCopyable>(_ type: Int, _ value: Value) {
        append(rtattr(rta_len: UInt16(4 + MemoryLayout<Value>.size), rta_type: UInt16(truncatingIfNeeded: type)))
        append(value)
        pad()
    }

    /// Adds an attribute with an address.
    mutating func attribute(_ type: Int, _ address: IPAddress) {
        append(rtattr(rta_len: UInt16(4 + address.byteCount), rta_type: UInt16(truncatingIfNeeded: type)))
        unsafe address.withNetworkBytes { unsafe bytes.append(contentsOf: $0) }
    }

    /// Ends the message that was begun last.
    mutating func end() {
        pad()
        let length = UInt32(bytes.count - start)
        unsafe bytes.withUnsafeMutableBytes { bytes in
            unsafe bytes.storeBytes(of: length, toByteOffset: start, as: UInt32.self)
        }
    }

    private mutating func append<Value: BitwiseCopyable>(_ value: Value) {
        unsafe withUnsafeBytes(of: value) { unsafe bytes.append(contentsOf: $0) }
    }

    private mutating func pad() {
        while bytes.count % 4 != 0 { bytes.append(0) }
    }
}
