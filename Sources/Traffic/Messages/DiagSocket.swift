// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux
internal import Glibc
internal import LinuxIO

/// A non-blocking `NETLINK_SOCK_DIAG` socket in the network namespace of the thread that opens it; belongs to one thread.
@safe
final class DiagSocket {
    let descriptor: OwnedDescriptor
    private let slots: Int
    private let slot: Int
    private let buffer: UnsafeMutableRawBufferPointer
    private var lengths: [UInt32]

    /// What a receive returned.
    enum Received {
        /// So many datagrams.
        case datagrams(Int)
        /// None is there.
        case nothing
        /// `ENOBUFS`: the kernel dropped messages.
        case overrun
    }

    /// - Parameters:
    ///   - slots: How many datagrams one call receives, at most 64.
    ///   - slot: The room for each, in bytes.
    init(slots: Int, slot: Int) throws(SystemError) {
        descriptor = OwnedDescriptor(
            owning: try systemCall("socket(NETLINK_SOCK_DIAG)") {
                socket(
                    AF_NETLINK,
                    Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue),
                    NETLINK_SOCK_DIAG
                )
            }
        )
        self.slots = slots
        self.slot = slot
        lengths = Array(repeating: 0, count: slots)
        unsafe buffer = .allocate(byteCount: slots * slot, alignment: 16)
        // Without an address the kernel does not deliver multicast messages.
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(AF_NETLINK)
        try systemCall("bind(NETLINK_SOCK_DIAG)") {
            unsafe withUnsafePointer(to: &address) { address in
                unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    unsafe bind(descriptor.number, address, socklen_t(MemoryLayout<sockaddr_nl>.size))
                }
            }
        }
    }

    deinit {
        unsafe buffer.deallocate()
    }

    /// Joins a multicast group, or leaves it.
    func setMembership(_ group: Int32, _ isMember: Bool) throws(SystemError) {
        var group = group
        let option = isMember ? NETLINK_ADD_MEMBERSHIP : NETLINK_DROP_MEMBERSHIP
        try systemCall("setsockopt(\(isMember ? "NETLINK_ADD_MEMBERSHIP" : "NETLINK_DROP_MEMBERSHIP") \(group))") {
            unsafe setsockopt(descriptor.number, SOL_NETLINK, option, &group, 4)
        }
    }

    /// Replaces the socket's filter; nil removes it.
    ///
    /// - Returns: Whether the kernel took it: an older one limits its size (`net.core.optmem_max`).
    func setFilter(_ program: [PacketFilterProgram.Instruction]?) -> Bool {
        // The kernel counts the old filter until it is replaced, so it is removed first.
        var unused: Int32 = 0
        _ = unsafe setsockopt(descriptor.number, SOL_SOCKET, SO_DETACH_FILTER, &unused, 4)
        guard let program else { return true }
        var instructions = program.map { sock_filter(code: $0.code, jt: $0.jumpTrue, jf: $0.jumpFalse, k: $0.value) }
        return unsafe instructions.withUnsafeMutableBufferPointer { instructions in
            var program = unsafe sock_fprog(len: UInt16(instructions.count), filter: instructions.baseAddress)
            return unsafe setsockopt(
                descriptor.number,
                SOL_SOCKET,
                SO_ATTACH_FILTER,
                &program,
                socklen_t(MemoryLayout<sock_fprog>.size)
            ) == 0
        }
    }

    /// Receives what is there, with one call and without waiting, and calls a body with each datagram, cut to its slot.
    func receive(_ body: (NetlinkBytes) -> Void) throws(SystemError) -> Received {
        do {
            let result = try nonBlockingCall("recvmmsg(NETLINK_SOCK_DIAG)") { () -> Int32 in
                guard let start = unsafe buffer.baseAddress else { return 0 }
                return unsafe reachd_receive_many(descriptor.number, start, slot, UInt32(slots), &lengths)
            }
            guard case .done(let count) = result else { return .nothing }
            for index in 0..<Int(count) {
                let start = index * slot
                let end = start + min(Int(lengths[index]), slot)
                unsafe body(NetlinkBytes(UnsafeRawBufferPointer(rebasing: buffer[start..<end])))
            }
            return .datagrams(Int(count))
        } catch {
            guard error.code == ENOBUFS else { throw error }
            return .overrun
        }
    }
}
