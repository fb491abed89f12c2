// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import Synchronization
import TestSupport

/// A TCP port that answers while it is open and refuses connections while it is closed.
final class TargetPort: Sendable {
    let port: UInt16
    private let address: UInt32
    private let namespace: NetworkNamespace?
    private let socket = Mutex<OwnedDescriptor?>(nil)
    /// Bound and not listening: while the port is closed, no other program gets it, neither as a server nor for a connection.
    private let reservation: OwnedDescriptor

    /// Opens a port.
    ///
    /// - Parameters:
    ///   - port: the port; 0 for a free one.
    ///   - address: the address to listen on, in the host's byte order; 127.0.0.1 unless given.
    ///   - namespace: the network; nil for the test's own.
    init(port: UInt16 = 0, address: UInt32 = 0x7f00_0001, in namespace: NetworkNamespace? = nil) throws {
        (self.address, self.namespace) = (address, namespace)
        (reservation, self.port) = try Self.bind(port, address, namespace, isListening: false)
        try open()
    }

    /// Refuses connections from now on.
    func close() { socket.withLock { $0 = nil } }

    /// Accepts connections again.
    func open() throws {
        let opened = try Self.bind(port, address, namespace, isListening: true)
        socket.withLock { $0 = opened.socket }
    }

    private static func bind(
        _ port: UInt16,
        _ address: UInt32,
        _ namespace: NetworkNamespace?,
        isListening: Bool
    ) throws -> (socket: OwnedDescriptor, port: UInt16) {
        let make: @Sendable () throws -> (socket: OwnedDescriptor, port: UInt16) = {
            let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            let socket = OwnedDescriptor(owning: try systemCall("socket") { Glibc.socket(AF_INET, type, 0) })
            var one: Int32 = 1
            try systemCall("setsockopt") {
                unsafe setsockopt(socket.number, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
            }
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = port.bigEndian
            name.sin_addr.s_addr = address.bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            // The kernel completes handshakes by itself, as many as the queue holds.
            try systemCall("bind and listen") {
                unsafe withUnsafeMutablePointer(to: &name) { pointer in
                    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        guard unsafe Glibc.bind(socket.number, $0, size) == 0,
                            !isListening || Glibc.listen(socket.number, 4_096) == 0
                        else { return Int32(-1) }
                        return unsafe getsockname(socket.number, $0, &size)
                    }
                }
            }
            return (socket, UInt16(bigEndian: name.sin_port))
        }
        if let namespace { return try namespace.run(make) }
        return try make()
    }
}
