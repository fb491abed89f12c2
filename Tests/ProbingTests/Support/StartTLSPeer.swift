// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import TestSupport

/// A peer that says its lines and then hands the connection on to a TLS server.
final class StartTLSPeer: Sendable {
    /// What is said after what was heard; the first is said at once.
    typealias Script = [(hears: String, says: String)]

    private let peer: TestPeer
    private let relay: Relay
    /// What the client sent after the script, to the server.
    let relayed = Recorder<[UInt8]>()

    var port: UInt16 { peer.port }

    /// The connection to the server, made when TLS begins. Unchecked because one thread at a time uses it: the peer's.
    private final class Relay: @unchecked Sendable {
        var script: Script
        let port: UInt16
        var server: OwnedDescriptor?
        let relayed: Recorder<[UInt8]>

        init(_ script: Script, port: UInt16, _ relayed: Recorder<[UInt8]>) {
            self.script = script
            self.port = port
            self.relayed = relayed
        }

        /// Answers one flight: of the script, then of the server.
        func answer(_ bytes: [UInt8]) -> [UInt8]? {
            if let line = script.first {
                guard String(decoding: bytes, as: UTF8.self).hasPrefix(line.hears) else { return Array("?\r\n".utf8) }
                script.removeFirst()
                return Array(line.says.utf8)
            }
            relayed.record(bytes)
            if server == nil { server = try? Self.connect(to: port) }
            guard let server else { return nil }
            _ = unsafe send(server.number, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let count = unsafe recv(server.number, &buffer, buffer.count, 0)
            return count > 0 ? Array(buffer.prefix(count)) : nil
        }

        private static func connect(to port: UInt16) throws(SystemError) -> OwnedDescriptor {
            let server = OwnedDescriptor(
                owning: try systemCall("socket") {
                    socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
                }
            )
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = port.bigEndian
            name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            try systemCall("connect") {
                unsafe withUnsafePointer(to: &name) { pointer in
                    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        unsafe Glibc.connect(server.number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                    }
                }
            }
            return server
        }
    }

    init(greeting: String, _ script: Script, server: UInt16) throws {
        let relay = Relay(script, port: server, relayed)
        self.relay = relay
        peer = try TestPeer(SOCK_STREAM, .greetsAndAnswers(Array(greeting.utf8)) { relay.answer($0) })
    }
}
