// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CLinux
import Glibc
import LinuxIO
import Synchronization

/// A peer on loopback that behaves as a test says, on a thread of its own.
final class TestPeer: Sendable {
    /// What it does with a connection or a datagram.
    enum Behaviour: Sendable {
        /// Nothing.
        case silent
        /// Nothing, not even listening: connections are refused, and no other test gets the port.
        case refuses
        /// Says this at once, or in reply to each datagram.
        case says([UInt8])
        /// Says this and closes.
        case saysAndCloses([UInt8])
        /// Says a fresh answer to what it was sent.
        case answers(@Sendable ([UInt8]) -> [UInt8]?)
        /// Says this at once, then a fresh answer to what it was sent.
        case greetsAndAnswers([UInt8], @Sendable ([UInt8]) -> [UInt8]?)
        /// Resets the connection.
        case resets
        /// Says this to what it was sent, and resets the connection a fifth of a second later.
        case answersAndResets([UInt8])
        /// Reads, and closes its half of the connection at once.
        case halfCloses
        /// Sends these bytes for ever; to datagrams two hundred times.
        case floods([UInt8])
    }

    let port: UInt16
    private let loop: EventLoop
    private let state: State

    /// Unchecked because only the peer's loop touches the connections.
    private final class State: @unchecked Sendable {
        let descriptor: OwnedDescriptor
        var connections: [Int32: (OwnedDescriptor, WatchToken?)] = [:]

        init(_ descriptor: OwnedDescriptor) {
            self.descriptor = descriptor
        }
    }

    /// Starts a peer.
    ///
    /// - Parameters:
    ///   - type: `SOCK_STREAM` or `SOCK_DGRAM`.
    ///   - isIPv6: On ::1 rather than 127.0.0.1.
    ///   - port: 0 for any that is free.
    init(
        _ type: __socket_type,
        isIPv6: Bool = false,
        host: UInt8 = 1,
        port: UInt16 = 0,
        _ behaviour: Behaviour,
        prologue: @escaping @Sendable () -> Void = {}
    ) throws {
        let family = isIPv6 ? AF_INET6 : AF_INET
        let descriptor = OwnedDescriptor(
            owning: try systemCall("socket") {
                socket(family, Int32(type.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
            }
        )
        self.port = try Self.bind(descriptor.number, isIPv6: isIPv6, host: host, port: port)
        let state = State(descriptor)
        self.state = state
        let loop = try EventLoop(name: "test-peer", prologue: prologue)
        self.loop = loop
        if case .refuses = behaviour { return }
        if type == SOCK_STREAM {
            try systemCall("listen") { listen(descriptor.number, 64) }
            _ = loop.executeAndWait {
                _ = try? loop.watch(descriptor.number, for: .readable) { _ in Self.accept(loop, state, behaviour) }
            }
        } else {
            _ = loop.executeAndWait {
                _ = try? loop.watch(descriptor.number, for: .readable) { _ in Self.datagrams(state, behaviour) }
            }
        }
    }

    deinit {
        loop.close()
    }

    /// Two peers at one port of different addresses or types. The first one's port may be taken there by another test: then both
    /// are made anew.
    static func pair(
        _ first: () throws -> TestPeer,
        _ second: (_ port: UInt16) throws -> TestPeer
    ) throws -> (first: TestPeer, second: TestPeer) {
        for _ in 0..<20 {
            let one = try first()
            do throws(any Error) {
                return (one, try second(one.port))
            } catch let error as SystemError where error.code == EADDRINUSE {
                continue
            }
        }
        throw SystemError(code: EADDRINUSE, operation: "bind")
    }

    /// Waits until the peer has seen what was done to its connections before.
    func settle() {
        for _ in 0..<3 { _ = loop.executeAndWait {} }
    }

    private static func bind(_ number: Int32, isIPv6: Bool, host: UInt8, port: UInt16) throws -> UInt16 {
        var name = sockaddr_storage()
        var size: socklen_t
        if isIPv6 {
            size = socklen_t(MemoryLayout<sockaddr_in6>.size)
            var six = sockaddr_in6()
            six.sin6_family = sa_family_t(AF_INET6)
            six.sin6_port = port.bigEndian
            six.sin6_addr = in6addr_loopback
            unsafe withUnsafeMutableBytes(of: &name) { unsafe $0.storeBytes(of: six, as: sockaddr_in6.self) }
        } else {
            size = socklen_t(MemoryLayout<sockaddr_in>.size)
            var four = sockaddr_in()
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = port.bigEndian
            four.sin_addr.s_addr = UInt32(0x7F00_0000 | UInt32(host)).bigEndian
            unsafe withUnsafeMutableBytes(of: &name) { unsafe $0.storeBytes(of: four, as: sockaddr_in.self) }
        }
        try unsafe withUnsafeMutablePointer(to: &name) { pointer in
            try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = try systemCall("bind") { unsafe Glibc.bind(number, address, size) }
                _ = try systemCall("getsockname") { unsafe getsockname(number, address, &size) }
            }
        }
        // The port is at the same place in both.
        return unsafe withUnsafeBytes(of: &name) { UInt16(unsafe $0[2]) << 8 | UInt16(unsafe $0[3]) }
    }

    private static func accept(_ loop: EventLoop, _ state: State, _ behaviour: Behaviour) {
        let number = Glibc.accept(state.descriptor.number, nil, nil)
        guard number >= 0 else { return }
        _ = fcntl(number, F_SETFL, O_NONBLOCK)
        let connection = OwnedDescriptor(owning: number)
        state.connections[number] = (connection, nil)
        func drop() {
            if let token = state.connections[number]?.1 { loop.unwatch(token) }
            state.connections[number] = nil
        }
        func say(_ bytes: [UInt8]) {
            _ = unsafe send(number, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }
        func reset() {
            guard state.connections[number] != nil else { return }
            var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
            _ = unsafe setsockopt(number, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
            drop()
        }
        switch behaviour {
        case .says(let bytes), .greetsAndAnswers(let bytes, _): say(bytes)
        case .saysAndCloses(let bytes):
            say(bytes)
            return drop()
        case .resets: return reset()
        case .halfCloses: shutdown(number, Int32(SHUT_WR))
        default: break
        }
        var events: EventLoop.Events = .readable
        if case .floods = behaviour {
            var yes: Int32 = 1
            _ = unsafe setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, 4)
            events = [.readable, .writable]
        }
        let token = try? loop.watch(number, for: events) { ready in
            if ready.contains(.readable) {
                var buffer = [UInt8](repeating: 0, count: 1 << 16)
                let count = unsafe recv(number, &buffer, buffer.count, 0)
                guard count > 0 else {
                    if count == 0 || errno != EAGAIN { drop() }
                    return
                }
                switch behaviour {
                case .answers(let answer), .greetsAndAnswers(_, let answer):
                    if let reply = answer(Array(buffer.prefix(count))) { say(reply) }
                case .answersAndResets(let bytes):
                    say(bytes)
                    _ = loop.schedule(after: 200_000_000) { reset() }
                default: break
                }
            }
            if case .floods(let bytes) = behaviour { say(bytes) }
        }
        state.connections[number] = (connection, token)
    }

    private static func datagrams(_ state: State, _ behaviour: Behaviour) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            var from = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            unsafe withUnsafeMutablePointer(to: &from) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    let number = state.descriptor.number
                    let count = unsafe recvfrom(number, &buffer, buffer.count, 0, address, &length)
                    guard count >= 0 else { return length = 0 }
                    func reply(_ bytes: [UInt8]) { _ = unsafe sendto(number, bytes, bytes.count, 0, address, length) }
                    switch behaviour {
                    case .says(let bytes), .saysAndCloses(let bytes): reply(bytes)
                    case .answers(let answer): if let bytes = answer(Array(buffer.prefix(count))) { reply(bytes) }
                    case .floods(let bytes): for _ in 0..<200 { reply(bytes) }
                    case .silent, .refuses, .resets, .answersAndResets, .halfCloses, .greetsAndAnswers: break
                    }
                }
            }
            if length == 0 { return }
        }
    }
}
