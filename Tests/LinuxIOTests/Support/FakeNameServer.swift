// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import Synchronization

/// A name server on loopback, UDP and TCP on one port, that says what a test tells it to.
final class FakeNameServer: Sendable {
    typealias Question = DNSMessage.Question
    /// Sends messages to whoever asked.
    typealias Reply = @Sendable ([[UInt8]]) -> Void

    let port: UInt16
    private let loop: EventLoop
    private let state: Sockets

    private final class Sockets: @unchecked Sendable {
        // Only the server's loop touches these after init.
        let udp: OwnedDescriptor
        let tcp: OwnedDescriptor
        var connections: [Int32: (OwnedDescriptor, [UInt8])] = [:]

        init(udp: OwnedDescriptor, tcp: OwnedDescriptor) {
            self.udp = udp
            self.tcp = tcp
        }
    }

    /// Starts serving.
    ///
    /// - Parameters:
    ///   - host: The last byte of 127.0.0.X.
    ///   - port: 0 for any that is free.
    ///   - handler: Called on the server's thread with each question; it may reply at once, later, or never.
    init(host: UInt8 = 1, port: UInt16 = 0, _ handler: @escaping @Sendable (Question, @escaping Reply) -> Void) throws {
        let (udp, tcp, bound) = try Self.sockets(host: host, port: port)
        self.port = bound
        let state = Sockets(udp: udp, tcp: tcp)
        self.state = state
        let loop = try EventLoop(name: "fake-dns")
        self.loop = loop
        loop.execute {
            _ = try? loop.watch(udp.number, for: .readable) { _ in Self.readDatagrams(state, handler) }
            _ = try? loop.watch(tcp.number, for: .readable) { _ in Self.accept(loop, state, handler) }
        }
    }

    /// Answers each question at once with the messages that a function gives.
    static func answering(
        host: UInt8 = 1,
        port: UInt16 = 0,
        _ answers: @escaping @Sendable (Question) -> [[UInt8]]
    ) throws -> FakeNameServer {
        try FakeNameServer(host: host, port: port) { question, reply in reply(answers(question)) }
    }

    deinit {
        loop.close()
    }

    private static func readDatagrams(
        _ state: Sockets,
        _ handler: @Sendable (Question, @escaping Reply) -> Void
    ) {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            var from = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let count = unsafe withUnsafeMutablePointer(to: &from) { from in
                unsafe from.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    unsafe recvfrom(
                        state.udp.number,
                        &buffer,
                        buffer.count,
                        Int32(MSG_DONTWAIT),
                        address,
                        &length
                    )
                }
            }
            guard count > 0 else { return }
            guard let question = DNSMessage.question(Array(buffer.prefix(count)), isTCP: false) else { continue }
            let peer = from
            let size = length
            let udp = state.udp
            handler(question) { messages in
                for message in messages {
                    var to = peer
                    _ = unsafe withUnsafePointer(to: &to) { to in
                        unsafe to.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                            unsafe sendto(udp.number, message, message.count, 0, address, size)
                        }
                    }
                }
            }
        }
    }

    private static func accept(
        _ loop: EventLoop,
        _ state: Sockets,
        _ handler: @escaping @Sendable (Question, @escaping Reply) -> Void
    ) {
        let number = Glibc.accept(state.tcp.number, nil, nil)
        guard number >= 0 else { return }
        state.connections[number] = (OwnedDescriptor(owning: number), [])
        let token = Mutex<WatchToken?>(nil)
        let watch = try? loop.watch(number, for: .readable) { _ in
            guard let (connection, begun) = state.connections[number] else { return }
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let count = unsafe recv(number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0 else {
                if let token = token.withLock({ $0 }) { loop.unwatch(token) }
                state.connections[number] = nil
                return
            }
            var bytes = begun + buffer.prefix(count)
            while bytes.count >= 2, bytes.count >= 2 + Int(bytes[0]) << 8 + Int(bytes[1]) {
                let size = Int(bytes[0]) << 8 + Int(bytes[1])
                let message = Array(bytes[2..<(2 + size)])
                bytes.removeFirst(2 + size)
                guard let question = DNSMessage.question(message, isTCP: true) else { continue }
                handler(question) { messages in
                    for message in messages {
                        let framed = DNSMessage.word(UInt16(message.count)) + message
                        _ = unsafe send(connection.number, framed, framed.count, Int32(MSG_NOSIGNAL))
                    }
                }
            }
            state.connections[number] = (connection, bytes)
        }
        token.withLock { $0 = watch }
    }

    private static func socket(_ type: __socket_type, host: UInt8, port: UInt16) throws -> OwnedDescriptor {
        let socket = OwnedDescriptor(
            owning: try systemCall("socket") { Glibc.socket(AF_INET, Int32(type.rawValue | SOCK_CLOEXEC.rawValue), 0) }
        )
        var yes: Int32 = 1
        if type == SOCK_STREAM {
            try systemCall("setsockopt") {
                unsafe setsockopt(socket.number, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
            }
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0000 | UInt32(host)).bigEndian
        _ = try unsafe withUnsafePointer(to: &address) { pointer in
            try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                try systemCall("bind") {
                    unsafe bind(socket.number, address, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        return socket
    }

    /// One port for both; any free one is looked for below those that the kernel gives to others.
    private static func sockets(host: UInt8, port: UInt16) throws -> (OwnedDescriptor, OwnedDescriptor, UInt16) {
        var attempt = 0
        while true {
            attempt += 1
            let number = port == 0 ? UInt16.random(in: 12_000..<32_000) : port
            do {
                let udp = try socket(SOCK_DGRAM, host: host, port: number)
                let tcp = try socket(SOCK_STREAM, host: host, port: number)
                try systemCall("listen") { listen(tcp.number, 16) }
                return (udp, tcp, number)
            } catch  where port == 0 && attempt < 100 {
                continue
            }
        }
    }
}
