// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import Synchronization

/// A server on 127.0.0.1 that says its lines to one client and then hands the connection on to another server, as those
/// that go over to TLS do.
final class ScriptedServer: Sendable {
    /// What is said after what was heard.
    typealias Script = [(hears: String, says: String)]

    let port: UInt16

    /// - Parameters:
    ///   - greeting: What is said at once.
    ///   - next: The port of the other server; 0: the connection is closed.
    ///   - alter: What becomes of what the other server says.
    init(
        greeting: String = "",
        _ script: Script = [],
        next: UInt16 = 0,
        alter: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 }
    ) throws {
        let listener = try Self.socket()
        port = try unsafe Self.withAddress(port: 0) { pointer, length in
            try systemCall("bind") { unsafe bind(listener.number, pointer, length) }
            try systemCall("listen") { listen(listener.number, 1) }
            var size = length
            try systemCall("getsockname") { unsafe getsockname(listener.number, pointer, &size) }
        }
        // Ends with its one client.
        try Thread(name: "scripted-server") {
            let number = accept(listener.number, nil, nil)
            guard number >= 0 else { return }
            let client = OwnedDescriptor(owning: number)
            _ = try? Self.serve(client, greeting, script, next, alter)
        }.detach()
    }

    private static func serve(
        _ client: OwnedDescriptor,
        _ greeting: String,
        _ script: Script,
        _ next: UInt16,
        _ alter: ([UInt8]) -> [UInt8]
    ) throws {
        if !greeting.isEmpty { try say(Array(greeting.utf8), to: client) }
        for line in script {
            guard let heard = try hear(client), String(decoding: heard, as: UTF8.self).hasPrefix(line.hears) else {
                return
            }
            try say(Array(line.says.utf8), to: client)
        }
        guard next > 0 else { return }
        let server = try socket()
        _ = try unsafe withAddress(port: next) { pointer, length in
            try systemCall("connect") { unsafe connect(server.number, pointer, length) }
        }
        while true {
            var entries = [client, server].map { pollfd(fd: $0.number, events: Int16(POLLIN), revents: 0) }
            guard unsafe poll(&entries, 2, 600_000) > 0 else { return }
            for (index, way) in [(client, server), (server, client)].enumerated() where entries[index].revents != 0 {
                guard let bytes = try hear(way.0) else { return }
                try say(index == 1 ? alter(bytes) : bytes, to: way.1)
            }
        }
    }

    private static func say(_ bytes: [UInt8], to peer: OwnedDescriptor) throws {
        try systemCall("send") { unsafe send(peer.number, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
    }

    /// nil at the end.
    private static func hear(_ peer: OwnedDescriptor) throws -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = try systemCall("recv") { unsafe recv(peer.number, &buffer, buffer.count, 0) }
        return count > 0 ? Array(buffer.prefix(Int(count))) : nil
    }

    private static func socket() throws -> OwnedDescriptor {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        return OwnedDescriptor(owning: try systemCall("socket") { Glibc.socket(AF_INET, type, 0) })
    }

    /// - Returns: The port that the address has in the end.
    private static func withAddress(
        port: UInt16,
        _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) throws -> Void
    ) throws -> UInt16 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        try unsafe withUnsafeMutablePointer(to: &address) { pointer in
            try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                try unsafe body(pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }
}
