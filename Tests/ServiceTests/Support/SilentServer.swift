// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO

/// A frozen service: the kernel takes connections for it, and it never answers.
final class SilentServer {
    private let socket: OwnedDescriptor
    let port: UInt16

    init() throws {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        socket = OwnedDescriptor(owning: try systemCall("socket") { Glibc.socket(AF_INET, type, 0) })
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let number = socket.number
        try unsafe withUnsafeMutablePointer(to: &address) { pointer in
            try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                try systemCall("bind") { unsafe bind(number, pointer, length) }
                try systemCall("listen") { listen(number, 8) }
                try systemCall("getsockname") { unsafe getsockname(number, pointer, &length) }
            }
        }
        port = UInt16(bigEndian: address.sin_port)
    }
}
