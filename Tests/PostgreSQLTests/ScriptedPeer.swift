// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import Synchronization
import TestSupport

/// A server on 127.0.0.1 that sends prepared bytes: the first part after the client's first message, the second after its next.
final class ScriptedPeer: Sendable {
    /// What a peer does with a connection.
    struct Script: Sendable {
        /// The answer to the startup message.
        var start: [UInt8]
        /// The answer to the first statement.
        var answer: [UInt8] = []
        /// How many bytes are written at once.
        var piece = 1 << 16
        /// Whether the answer is repeated as long as the client reads.
        var repeats = false
        /// Whether the connection is closed after the last byte.
        var closes = true
    }

    let port: UInt16
    private let loop: EventLoop
    private let listener: OwnedDescriptor
    private let script = Mutex(Script(start: []))

    init() throws {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let listener = OwnedDescriptor(owning: try systemCall("socket") { Glibc.socket(AF_INET, type, 0) })
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        try systemCall("listen") {
            unsafe withUnsafeMutablePointer(to: &name) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    guard unsafe bind(listener.number, $0, size) == 0, listen(listener.number, 128) == 0 else {
                        return -1
                    }
                    return Int(unsafe getsockname(listener.number, $0, &size))
                }
            }
        }
        port = UInt16(bigEndian: name.sin_port)
        self.listener = listener
        loop = try EventLoop(name: "test-peer")
        loop.executeAndWait { [self] in
            _ = try? loop.watch(listener.number, for: .readable) { [weak self] _ in self?.accept() }
        }
    }

    deinit { loop.close() }

    /// Sets what the next connections get.
    func play(_ script: Script) { self.script.withLock { $0 = script } }

    private func accept() {
        let number = Glibc.accept(listener.number, nil, nil)
        guard number >= 0 else { return }
        _ = PeerConnection(OwnedDescriptor(owning: number), loop: loop, script: script.withLock { $0 })
    }
}

/// One connection of a peer; the loop holds it until it closes.
private final class PeerConnection {
    private let socket: OwnedDescriptor
    private let loop: EventLoop
    private let script: ScriptedPeer.Script
    private var watch: WatchToken?
    private var messages = 0
    private var unsent: ArraySlice<UInt8> = []

    init(_ socket: OwnedDescriptor, loop: EventLoop, script: ScriptedPeer.Script) {
        self.socket = socket
        self.loop = loop
        self.script = script
        watch = try? loop.watch(socket.number, for: .readable) { [self] events in handle(events) }
    }

    private func handle(_ events: EventLoop.Events) {
        if events.contains(.readable) {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe recv(socket.number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count == 0 || (count < 0 && errno != EAGAIN) { return close() }
            if count > 0, messages < 2 {
                messages += 1
                unsent += messages == 1 ? script.start : script.answer
            }
        }
        send()
    }

    private func send() {
        let piece = unsent.prefix(script.piece)
        if !piece.isEmpty {
            let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
            let count = unsafe piece.withUnsafeBytes {
                unsafe Glibc.send(socket.number, $0.baseAddress, $0.count, flags)
            }
            if count < 0, errno != EAGAIN { return close() }
            unsent = unsent.dropFirst(max(0, count))
        }
        if unsent.isEmpty, script.repeats, messages == 2 { unsent = script.answer[...] }
        if unsent.isEmpty, script.closes, messages == 2 || script.answer.isEmpty { return close() }
        guard let watch else { return }
        try? loop.rewatch(watch, for: unsent.isEmpty ? .readable : [.readable, .writable])
    }

    private func close() {
        if let watch { loop.unwatch(watch) }
        watch = nil
        // accept(2) does not set close-on-exec: a program that another test started may hold the descriptor as well.
        shutdown(socket.number, Int32(SHUT_RDWR))
    }
}

/// Messages of PostgreSQL's protocol, version 3.
enum ServerMessage {
    /// A message with a type, its length and a body.
    static func make(_ type: Character, _ body: [UInt8] = [], length: Int32? = nil) -> [UInt8] {
        Array(String(type).utf8) + bytes(length ?? Int32(body.count + 4)) + body
    }

    /// Four bytes in network order.
    static func bytes(_ value: Int32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }

    /// A successful start: authentication, parameters, key, ready.
    static let start: [UInt8] =
        make("R", bytes(0)) + make("S", Array("server_version\u{0}15.1\u{0}".utf8))
        + make("S", Array("client_encoding\u{0}UTF8\u{0}".utf8)) + make("K", bytes(7) + bytes(8)) + make("Z", [0x49])

    /// The head of a result with one text column.
    static let head: [UInt8] =
        make("1") + make("2")
        + make(
            "T",
            [0, 1] + Array("a\u{0}".utf8) + bytes(0) + [0, 0] + bytes(25) + [0xFF, 0xFF] + bytes(-1) + [0, 0]
        )

    /// A row with one text.
    static func row(_ text: String) -> [UInt8] {
        make("D", [0, 1] + bytes(Int32(text.utf8.count)) + Array(text.utf8))
    }

    /// The end of a result.
    static let end: [UInt8] = make("C", Array("SELECT 1\u{0}".utf8)) + make("Z", [0x49])

    /// An error.
    static func error(_ code: String, _ message: String, severity: String = "ERROR") -> [UInt8] {
        make("E", Array("S\(severity)\u{0}V\(severity)\u{0}C\(code)\u{0}M\(message)\u{0}\u{0}".utf8))
    }
}
