// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Glibc
package import LinuxIO

/// Ports of the loopback interface for servers that cannot choose one themselves.
package enum LoopbackPort {
    /// A TCP port that was free a moment ago; another program may take it before the server does.
    package static func free() throws(SystemError) -> UInt16 {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let socket = OwnedDescriptor(owning: try systemCall("socket") { Glibc.socket(AF_INET, type, 0) })
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        try systemCall("bind") {
            unsafe withUnsafeMutablePointer(to: &name) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    let code = unsafe bind(socket.number, $0, size)
                    return unsafe code == 0 ? getsockname(socket.number, $0, &size) : code
                }
            }
        }
        return UInt16(bigEndian: name.sin_port)
    }
}
