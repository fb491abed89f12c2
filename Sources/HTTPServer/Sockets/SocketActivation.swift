// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CMicroHTTPD
import Glibc
import LinuxIO

/// The sockets that a service manager passes to the process: the protocol of `sd_listen_fds(3)`.
package struct SocketActivation: Sendable {
    /// The sockets, in the manager's order.
    package let sockets: [InheritedSocket]

    /// The number of the first passed descriptor.
    private static let first: Int32 = 3
    /// More than any unit has; a wrong number must not claim other descriptors.
    private static let limit = 64
    private static let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]

    /// Takes ownership of the sockets passed to this process, and clears the environment variables, so that no child
    /// process uses them. Once, before there are threads.
    ///
    /// - Parameter environment: Has the process (`LISTEN_PID`), the number of descriptors from 3 on (`LISTEN_FDS`) and
    ///   their names (`LISTEN_FDNAMES`, between colons). Variables for another process are ignored.
    /// - Throws: ``HTTPServerError`` if one of them is not a listening stream socket.
    package init(environment: [String: String]) throws(HTTPServerError) {
        for name in Self.variables { unsafe unsetenv(name) }
        guard environment["LISTEN_PID"].flatMap({ pid_t($0) }) == getpid(),
            let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }), count > 0, count <= Self.limit
        else {
            sockets = []
            return
        }
        let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
        var sockets: [InheritedSocket] = []
        for index in 0..<count {
            let name = names.indices.contains(Int(index)) ? String(names[Int(index)]) : ""
            // The manager's placeholder for a socket without a name.
            sockets.append(try InheritedSocket(owning: Self.first + index, name: name == "unknown" ? "" : name))
        }
        self.sockets = sockets
    }

    /// The sockets with a name, or all.
    package func sockets(named name: String?) -> [InheritedSocket] {
        guard let name else { return sockets }
        return sockets.filter { $0.name == name }
    }
}

/// A listening socket that the process inherited.
package final class InheritedSocket: Sendable {
    /// Its address.
    package let address: ListenAddress
    /// The service manager's name for it; empty for none.
    package let name: String
    private let descriptor: OwnedDescriptor

    /// Takes ownership of a descriptor and makes it non-blocking and close-on-exec.
    ///
    /// - Throws: ``HTTPServerError`` if it is not a listening stream socket, which is then closed.
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

    /// Another descriptor of the same socket; the caller must close it.
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
