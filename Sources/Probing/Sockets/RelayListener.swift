// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CLinux
import Glibc
import LinuxIO

/// A listening unix socket at a kernel-chosen name, to which a library connects within this process.
///
/// A socket pair would do, but libcurl 7.88 also connects sockets declared as connected.
struct RelayListener {
    let listener: OwnedDescriptor
    /// The listener's `sockaddr_un`; autobound names have 8 bytes including the family.
    private let name: [UInt8]

    /// - Throws: ``ProbeFault`` when no descriptor is left.
    init() throws(ProbeFault) {
        do throws(SystemError) {
            listener = OwnedDescriptor(owning: try Self.makeSocket())
            let number = listener.number
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            var length = socklen_t(MemoryLayout<sa_family_t>.size)
            var failure: SystemError?
            unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    do throws(SystemError) {
                        // An address with only a family requests an automatic name (unix(7), "Autobind feature").
                        try systemCall("bind") { unsafe bind(number, pointer, length) }
                        try systemCall("listen") { listen(number, 8) }
                        length = socklen_t(MemoryLayout<sockaddr_un>.size)
                        try systemCall("getsockname") { unsafe getsockname(number, pointer, &length) }
                    } catch {
                        failure = error
                    }
                }
            }
            if let failure { throw failure }
            name = unsafe withUnsafeBytes(of: &address) { unsafe Array($0.prefix(Int(length))) }
        } catch {
            throw ProbeFault(error, at: .setup)
        }
    }

    /// Creates an unconnected socket, which the library connects to ``copyName(to:)`` and closes.
    func makeFar() throws(ProbeFault) -> Int32 {
        do throws(SystemError) {
            return try Self.makeSocket()
        } catch {
            throw ProbeFault(error, at: .setup)
        }
    }

    /// Copies the `sockaddr` to connect to.
    ///
    /// - Returns: Its length; 0 when the buffer is too small.
    func copyName(to target: UnsafeMutableRawBufferPointer) -> Int {
        guard name.count <= target.count else { return 0 }
        unsafe target.copyBytes(from: name)
        return name.count
    }

    /// Accepts the library's connection; nil when it has not connected. Closes connections of other processes.
    func accept() -> OwnedDescriptor? {
        while true {
            let result = try? nonBlockingCall("accept") { Glibc.accept(listener.number, nil, nil) }
            guard case .done(let number)? = result else { return nil }
            let arrived = OwnedDescriptor(owning: number)
            // Process, user and group (unix(7)).
            var peer: [Int32] = [0, 0, 0]
            var size = socklen_t(3 * MemoryLayout<Int32>.size)
            guard unsafe getsockopt(number, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0, peer[0] == getpid() else {
                continue
            }
            _ = fcntl(number, F_SETFD, FD_CLOEXEC)
            _ = fcntl(number, F_SETFL, O_NONBLOCK)
            return arrived
        }
    }

    private static func makeSocket() throws(SystemError) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        return try systemCall("socket") { socket(AF_UNIX, kind, 0) }
    }
}
