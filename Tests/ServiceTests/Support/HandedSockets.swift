// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import TestSupport

/// Listening sockets as a service manager makes them before it starts a service, and the start.
final class HandedSockets {
    private var sockets: [(descriptor: OwnedDescriptor, name: String)] = []

    /// Listens on a free port of the loopback interface, or of another address of this machine.
    @discardableResult
    func addTCP(_ name: String = "", listens: Bool = true) throws -> UInt16 {
        let type = Int32(SOCK_STREAM.rawValue)
        let socket = OwnedDescriptor(owning: try systemCall("socket") { Glibc.socket(AF_INET, type, 0) })
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        try unsafe bindAndListen(socket, &address, MemoryLayout<sockaddr_in>.size, listens: listens)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        try systemCall("getsockname") {
            unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe getsockname(socket.number, $0, &length)
                }
            }
        }
        sockets.append((socket, name))
        return UInt16(bigEndian: address.sin_port)
    }

    /// Listens at a path.
    func addUnix(_ path: String, name: String = "") throws {
        let type = Int32(SOCK_STREAM.rawValue)
        let socket = OwnedDescriptor(owning: try systemCall("socket") { Glibc.socket(AF_UNIX, type, 0) })
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
        try unsafe bindAndListen(socket, &address, MemoryLayout<sockaddr_un>.size, listens: true)
        sockets.append((socket, name))
    }

    private func bindAndListen(
        _ socket: OwnedDescriptor,
        _ address: UnsafeMutableRawPointer,
        _ size: Int,
        listens: Bool
    ) throws {
        try systemCall("bind") {
            unsafe bind(socket.number, address.assumingMemoryBound(to: sockaddr.self), socklen_t(size))
        }
        if listens { try systemCall("listen") { listen(socket.number, 16) } }
    }

    /// Starts the service with the sockets from descriptor 3 on, as `sd_listen_fds(3)` says.
    ///
    /// - Parameter process: What `LISTEN_PID` says: `$$` is the service's own number.
    func start(_ arguments: [String], process: String = "$$") throws -> ChildProcess {
        // Beyond what the shell uses, and not closed in it.
        let handed = try sockets.map { socket in
            OwnedDescriptor(owning: try systemCall("fcntl") { fcntl(socket.descriptor.number, F_DUPFD, 100) })
        }
        let moves = handed.enumerated().map { "exec \(3 + $0.offset)<&\($0.element.number) \($0.element.number)<&-" }
        let names = sockets.map(\.name).joined(separator: ":")
        let script =
            (moves + [
                "export LISTEN_PID=\(process) LISTEN_FDS=\(sockets.count) LISTEN_FDNAMES='\(names)'",
                "exec \"$0\" \"$@\"",
            ]).joined(separator: "\n")
        let process = try ChildProcess(
            ["bash", "-c", script, Reachd.path] + arguments,
            environment: Reachd.cleanEnvironment
        )
        return withExtendedLifetime(handed) { process }
    }
}
