// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO

/// A listening socket that the process was started with.
package final class InheritedSocket: Sendable {
    /// Where it listens.
    package let address: ListenAddress
    /// What whoever started the process calls it; empty for nothing.
    package let name: String
    private let descriptor: OwnedDescriptor

    /// Takes over a descriptor and makes it fit for a server: non-blocking, closed in programs that are started.
    ///
    /// - Throws: ``HTTPServerError`` when it is no listening stream socket; it is closed then.
    package init(owning number: Int32, name: String) throws(HTTPServerError) {
        descriptor = OwnedDescriptor(owning: number)
        self.name = name
        let words = name.isEmpty ? "descriptor \(number)" : "descriptor \(number) (\(name))"
        do throws(SystemError) {
            guard
                try Self.option(number, SO_ACCEPTCONN) == 1,
                try Self.option(number, SO_TYPE) == Int32(SOCK_STREAM.rawValue)
            else {
                throw SystemError(code: EINVAL, operation: "SO_ACCEPTCONN")
            }
            let flags = try systemCall("fcntl") { fcntl(number, F_GETFL) }
            try systemCall("fcntl") { fcntl(number, F_SETFL, flags | O_NONBLOCK) }
            try systemCall("fcntl") { fcntl(number, F_SETFD, FD_CLOEXEC) }
        } catch {
            throw HTTPServerError(
                code: .unusableSocket,
                message: "\(words) is not a listening stream socket (ListenStream= with Accept=no)"
            )
        }
        do throws(SystemError) {
            address = try ListenSocket.address(of: number)
        } catch {
            throw HTTPServerError(code: .unusableSocket, message: "\(words): \(error)")
        }
    }

    /// Another descriptor of the same socket; whoever takes it closes it.
    func duplicate() throws(SystemError) -> Int32 {
        try systemCall("fcntl") { fcntl(descriptor.number, F_DUPFD_CLOEXEC, 3) }
    }

    private static func option(_ number: Int32, _ option: Int32) throws(SystemError) -> Int32 {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        try systemCall("getsockopt") { unsafe getsockopt(number, SOL_SOCKET, option, &value, &length) }
        return value
    }
}
