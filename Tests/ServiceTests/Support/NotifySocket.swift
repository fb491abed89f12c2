// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO

/// The service manager's end of `sd_notify(3)`.
final class NotifySocket {
    private let socket: OwnedDescriptor
    /// What `NOTIFY_SOCKET` says.
    let name: String

    /// Listens at a path, or at an abstract name that begins with `@`.
    init(_ name: String) throws {
        self.name = name
        let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        socket = OwnedDescriptor(owning: try systemCall("socket") { Glibc.socket(AF_UNIX, type, 0) })
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        let isAbstract = name.hasPrefix("@")
        if isAbstract { bytes[0] = 0 }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + (isAbstract ? 0 : 1))
        try systemCall("bind \(name)") {
            unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(socket.number, $0, length)
                }
            }
        }
    }

    /// The next message; nil when none came for a minute.
    func next() throws -> String? {
        var waiting = pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&waiting, 1, 600_000) == 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = try systemCall("recv") { unsafe recv(socket.number, &bytes, bytes.count, 0) }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
