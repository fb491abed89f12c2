// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO

/// A socket on 127.0.0.1 that takes datagrams and never replies.
final class BoundDatagramSocket {
    let port: UInt16
    private let socket: OwnedDescriptor

    init() throws {
        let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let socket = OwnedDescriptor(owning: try systemCall("socket") { Glibc.socket(AF_INET, type, 0) })
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        try unsafe withUnsafeMutablePointer(to: &address) { pointer in
            try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                var size = socklen_t(MemoryLayout<sockaddr_in>.size)
                try systemCall("bind") { unsafe bind(socket.number, pointer, size) }
                try systemCall("getsockname") { unsafe getsockname(socket.number, pointer, &size) }
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        self.socket = socket
    }
}
