// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import CLinux
import Glibc
import LinuxIO
import TestSupport

@testable import Traffic

/// A TCP socket in a namespace of a test's; closed when it goes.
struct TCPSocket: Sendable {
    let descriptor: OwnedDescriptor

    /// How long a test waits for an event before it fails, in milliseconds.
    private static let hangLimit: Int32 = 30_000

    private static func open(_ family: AddressFamily) throws -> TCPSocket {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        return TCPSocket(
            descriptor: OwnedDescriptor(owning: try systemCall("socket") { socket(Int32(family.rawValue), type, 0) })
        )
    }

    /// Listens at an address.
    ///
    /// - Returns: The socket and its endpoint; the kernel chooses the port when it is 0.
    static func listen(
        at address: IPAddress,
        port: UInt16 = 0,
        in namespace: NetworkNamespace
    ) throws -> (socket: TCPSocket, endpoint: TrafficEndpoint) {
        try namespace.run {
            let socket = try open(address.family)
            let name = SocketAddress(address, port: port)
            try systemCall("bind") { unsafe name.withPointer { unsafe bind(socket.descriptor.number, $0, $1) } }
            try systemCall("listen") { Glibc.listen(socket.descriptor.number, 1024) }
            var bytes = sockaddr_storage()
            let chosen = try unsafe withUnsafeMutableBytes(of: &bytes) { bytes in
                var length = socklen_t(bytes.count)
                try systemCall("getsockname") { () -> Int32 in
                    guard let address = unsafe bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else {
                        return -1
                    }
                    return unsafe getsockname(socket.descriptor.number, address, &length)
                }
                return UInt16(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
            }
            return (socket, TrafficEndpoint(address, port: chosen))
        }
    }

    /// Begins to connect.
    ///
    /// - Parameter userTimeout: After how many milliseconds without an acknowledgement the kernel gives up.
    static func begin(
        to endpoint: TrafficEndpoint,
        in namespace: NetworkNamespace,
        userTimeout: Int32? = nil,
        prepare: @escaping @Sendable (Int32) -> Void = { _ in }
    ) throws -> TCPSocket {
        try namespace.run { try begin(to: endpoint, userTimeout: userTimeout, prepare: prepare) }
    }

    /// Begins to connect in the calling thread's namespace.
    static func begin(
        to endpoint: TrafficEndpoint,
        userTimeout: Int32? = nil,
        prepare: (Int32) -> Void = { _ in }
    ) throws -> TCPSocket {
        let socket = try open(endpoint.address.family)
        if let userTimeout { socket.set(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, userTimeout) }
        prepare(socket.descriptor.number)
        let name = SocketAddress(endpoint.address, port: endpoint.port)
        let code = unsafe name.withPointer { unsafe connect(socket.descriptor.number, $0, $1) }
        guard code == 0 || errno == EINPROGRESS else { throw SystemError(code: errno, operation: "connect") }
        return socket
    }

    /// Waits until the connection is established or failed; 0 or an `errno`.
    func outcome() throws -> Int32 {
        try wait(POLLOUT)
        var (code, length) = (Int32(0), socklen_t(4))
        _ = unsafe getsockopt(descriptor.number, SOL_SOCKET, SO_ERROR, &code, &length)
        return code
    }

    /// Waits for a connection and takes it.
    func accept() throws -> TCPSocket {
        try wait(POLLIN)
        return TCPSocket(
            descriptor: OwnedDescriptor(
                owning: try systemCall("accept") { Glibc.accept(descriptor.number, nil, nil) }
            )
        )
    }

    /// Sends bytes; returns how many the kernel took, -1 when none.
    @discardableResult
    func send(_ count: Int) -> Int {
        let bytes = [UInt8](repeating: 120, count: count)
        return unsafe Glibc.send(descriptor.number, bytes, count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }

    /// Waits for bytes, the peer's end or an error; returns the number, 0 or a negated `errno`.
    func receive() throws -> Int {
        try wait(POLLIN)
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe recv(descriptor.number, &bytes, bytes.count, 0)
        return count >= 0 ? count : -Int(errno)
    }

    /// Makes the close send a reset.
    func resetOnClose() {
        var value = linger(l_onoff: 1, l_linger: 0)
        _ = unsafe setsockopt(
            descriptor.number,
            SOL_SOCKET,
            SO_LINGER,
            &value,
            socklen_t(MemoryLayout<linger>.size)
        )
    }

    /// Sets an option.
    func set(_ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        _ = unsafe setsockopt(descriptor.number, level, option, &value, 4)
    }

    private func wait(_ events: Int32) throws {
        var entry = pollfd(fd: descriptor.number, events: Int16(events), revents: 0)
        let count = try systemCall("poll") { unsafe poll(&entry, 1, Self.hangLimit) }
        guard count == 1 else { throw SystemError(code: ETIMEDOUT, operation: "waiting for a TCP socket") }
    }
}
