// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux
internal import Glibc
internal import LinuxIO

/// A `NETLINK_ROUTE` socket with its receive buffer; belongs to one thread.
@safe
final class NetlinkSocket {
    let descriptor: OwnedDescriptor
    private let buffer: UnsafeMutableRawBufferPointer
    private var sequence: UInt32 = 0

    /// Opens a socket in the calling thread's network namespace.
    ///
    /// - Parameter patience: How long an answer is waited for. The kernel queues it before it takes the next question, so that one
    ///   which is not there at once is lost (linux-paths 7); a second is for kernels that are none, such as gVisor's.
    init(patience: Duration = .seconds(1)) throws(SystemError) {
        descriptor = OwnedDescriptor(
            owning: try systemCall("socket(AF_NETLINK)") {
                socket(AF_NETLINK, Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue), NETLINK_ROUTE)
            }
        )
        // 64 KiB hold any message that the kernel sends in one piece, and dumps come in pieces of half that.
        unsafe buffer = .allocate(byteCount: 64 << 10, alignment: 16)
        // Both exist since 4.12 and 4.20; without them answers are longer or laxer, not wrong.
        set(NETLINK_EXT_ACK, 1)
        set(NETLINK_CAP_ACK, 1)
        set(NETLINK_GET_STRICT_CHK, 1)
        let (seconds, attoseconds) = patience.components
        var limit = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
        try systemCall("setsockopt(SO_RCVTIMEO)") {
            unsafe setsockopt(
                descriptor.number,
                SOL_SOCKET,
                SO_RCVTIMEO,
                &limit,
                socklen_t(MemoryLayout<timeval>.size)
            )
        }
    }

    deinit {
        unsafe buffer.deallocate()
    }

    /// Sets a `SOL_NETLINK` option; returns whether the kernel took it.
    @discardableResult
    func set(_ option: Int32, _ value: Int32) -> Bool {
        var value = value
        return unsafe setsockopt(descriptor.number, SOL_NETLINK, option, &value, 4) == 0
    }

    /// Asks for a receive buffer, by privilege if there is any, and returns what was granted, in bytes.
    func setReceiveBuffer(_ bytes: Int) -> Int {
        descriptor.requestReceiveBuffer(Int32(clamping: bytes))
    }

    /// A number for the next request.
    func nextSequence() -> UInt32 {
        sequence &+= 1
        return sequence
    }

    /// Sends requests to the kernel.
    func send(_ request: borrowing NetlinkRequest) throws(SystemError) {
        try descriptor.sendToKernel(request.bytes)
    }

    /// Receives one datagram and hands it to a body.
    ///
    /// - Returns: Whether there was one; without `waiting` an empty socket is not waited for.
    /// - Throws: ``SystemError``, `ENOBUFS` among them: the kernel dropped messages; `ETIMEDOUT` when none came in time.
    @discardableResult
    func receive(waiting: Bool, _ body: (NetlinkBytes) -> Void) throws(SystemError) -> Bool {
        let flags = waiting ? 0 : Int32(MSG_DONTWAIT)
        let result = try nonBlockingCall("recv(netlink)") {
            unsafe recv(descriptor.number, buffer.baseAddress, buffer.count, flags)
        }
        guard case .done(let count) = result else {
            guard waiting else { return false }
            throw SystemError(code: ETIMEDOUT, operation: "recv(netlink)")
        }
        unsafe body(NetlinkBytes(UnsafeRawBufferPointer(rebasing: buffer[..<count])))
        return true
    }

    /// How many answers ``receiveMany(_:_:)`` takes at once, and the room for each: the kernel makes none to a question
    /// that is longer (`NLMSG_GOODSIZE`).
    private static let slots = 8
    private static let slot = 8192

    /// Receives up to so many answers to questions with one call, waiting for the first, and hands each to a body.
    ///
    /// - Throws: ``SystemError``, `ENOBUFS` among them: the kernel dropped messages; `ETIMEDOUT` when none came in time.
    func receiveMany(_ count: Int, _ body: (NetlinkBytes) -> Void) throws(SystemError) {
        var lengths = [UInt32](repeating: 0, count: Self.slots)
        let wanted = UInt32(min(max(count, 1), Self.slots))
        let result = try nonBlockingCall("recvmmsg(netlink)") { () -> Int32 in
            guard let start = unsafe buffer.baseAddress else { return 0 }
            return unsafe reachd_receive_many(descriptor.number, start, Self.slot, wanted, &lengths)
        }
        guard case .done(let received) = result else {
            throw SystemError(code: ETIMEDOUT, operation: "recvmmsg(netlink)")
        }
        for index in 0..<Int(received) {
            let start = index * Self.slot
            let end = start + min(Int(lengths[index]), Self.slot)
            unsafe body(NetlinkBytes(UnsafeRawBufferPointer(rebasing: buffer[start..<end])))
        }
    }

    /// Makes a dump request and calls a body with each message of the answer; repeats a dump that the kernel calls
    /// interrupted, at most ten times.
    ///
    /// - Parameters:
    ///   - begin: Called before each try, to forget what an interrupted one said.
    func dump<Header: BitwiseCopyable>(
        type: Int,
        header: Header,
        begin: () -> Void,
        _ body: (NetlinkMessage) -> Void
    ) throws(SystemError) {
        for _ in 0..<10 {
            begin()
            var request = NetlinkRequest()
            let sequence = nextSequence()
            request.begin(type: type, flags: Int(NLM_F_REQUEST | NLM_F_DUMP), sequence: sequence, header: header)
            request.end()
            try send(request)
            var isInterrupted = false
            var isDone = false
            var failure: Int32 = 0
            while !isDone {
                try receive(waiting: true) { bytes in
                    NetlinkMessage.forEach(in: bytes) { message in
                        guard message.sequence == sequence else { return }
                        if message.flags & UInt16(NLM_F_DUMP_INTR) != 0 { isInterrupted = true }
                        if message.type == Int(NLMSG_DONE) {
                            isDone = true
                        } else if let error = message.failure {
                            failure = error.code
                            isDone = true
                        } else {
                            body(message)
                        }
                    }
                }
            }
            if failure != 0 { throw SystemError(code: failure, operation: "netlink dump") }
            if !isInterrupted { return }
        }
    }
}

/// Which network namespace the calling thread is in.
enum NetworkNamespaceIdentity {
    /// Names that are looked at, at most.
    private static let limit = 4_096
    private static let folder = "/run/netns"

    /// The inode of `/proc/thread-self/ns/net`; 0 when it cannot be read.
    static var inode: UInt64 { file("/proc/thread-self/ns/net").map { UInt64($0.st_ino) } ?? 0 }

    /// The name that `ip netns` gave it; nil when there is none.
    static var name: String? {
        guard let own = file("/proc/thread-self/ns/net"), let names = unsafe opendir(folder) else { return nil }
        defer { unsafe closedir(names) }
        for _ in 0..<limit {
            guard let entry = unsafe readdir(names) else { return nil }
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let other = file("\(folder)/\(name)"), other.st_ino == own.st_ino, other.st_dev == own.st_dev else {
                continue
            }
            return name
        }
        return nil
    }

    private static func file(_ path: String) -> stat? {
        var information = stat()
        return unsafe stat(path, &information) == 0 ? information : nil
    }
}
