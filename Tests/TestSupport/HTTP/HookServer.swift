// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Glibc
internal import LinuxIO
internal import Synchronization

/// An HTTP server on 127.0.0.1 that takes what it is sent and fails when a test says so.
package final class HookServer: Sendable {
    /// A request that arrived whole.
    package struct Request: Sendable, Hashable {
        /// The method.
        package let method: String
        /// The path and the query.
        package let target: String
        /// Headers by their names in small letters.
        package let headers: [String: String]
        /// The body.
        package let body: String

        /// The header `Reachd-Id`.
        package var id: String { headers["reachd-id"] ?? "" }
    }

    /// What comes of a request.
    package enum Reply: Sendable {
        /// An answer without a body.
        case status(Int, headers: [String] = [])
        /// An answer with a body of a type.
        case content(String, type: String)
        /// An answer that comes byte by byte.
        case slow(Int)
        /// Nothing, and the connection stays.
        case hang
        /// The connection is reset.
        case reset
        /// The connection is closed.
        case hangUp
    }

    /// The port.
    package let port: UInt16
    /// All requests, in the order of their arrival.
    package let requests = Recorder<Request>()
    private let listener: OwnedDescriptor
    private let behaviour: @Sendable (Request, Int) -> Reply
    private let state = Mutex(State())

    private struct State {
        var held: [OwnedDescriptor] = []
        var isClosed = false
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - port: 0 for any that is free.
    ///   - namespace: whose loopback interface it listens on; nil for the test's own.
    ///   - behaviour: decides, by the request and how many came before it; called on a thread of the server.
    package init(
        port: UInt16 = 0,
        in namespace: NetworkNamespace? = nil,
        _ behaviour: @escaping @Sendable (Request, Int) -> Reply = { _, _ in .status(200) }
    ) throws {
        self.behaviour = behaviour
        let made = try namespace.map { try $0.run { try Self.listen(port) } } ?? Self.listen(port)
        (listener, self.port) = made
        // Nobody waits for these threads: they go their own way.
        try Thread(name: "hook-server") { [weak self, listener] in
            while true {
                let number = accept(listener.number, nil, nil)
                if number < 0, errno == EINTR || errno == ECONNABORTED { continue }
                guard number >= 0, let self else { return }
                let client = OwnedDescriptor(owning: number)
                try? Thread(name: "hook-client") { [weak self] in self?.serve(client) }.detach()
            }
        }.detach()
    }

    deinit {
        close()
    }

    /// Ends the server and all that it holds; a second call does nothing.
    package func close() {
        let held = state.withLock { state -> [OwnedDescriptor] in
            defer { state = State(held: [], isClosed: true) }
            return state.held
        }
        // Wakes the thread in accept(2), and makes connections be refused.
        shutdown(listener.number, Int32(SHUT_RDWR))
        for client in held { shutdown(client.number, Int32(SHUT_RDWR)) }
    }

    private static func listen(_ port: UInt16) throws -> (OwnedDescriptor, UInt16) {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let socket = OwnedDescriptor(owning: try systemCall("socket") { Glibc.socket(AF_INET, type, 0) })
        var one: Int32 = 1
        unsafe setsockopt(socket.number, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        try unsafe withUnsafeMutablePointer(to: &address) { pointer in
            try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                var size = socklen_t(MemoryLayout<sockaddr_in>.size)
                try systemCall("bind") { unsafe bind(socket.number, pointer, size) }
                try systemCall("listen") { Glibc.listen(socket.number, 64) }
                try systemCall("getsockname") { unsafe getsockname(socket.number, pointer, &size) }
            }
        }
        return (socket, UInt16(bigEndian: address.sin_port))
    }

    private func serve(_ client: OwnedDescriptor) {
        guard let request = Self.read(client) else { return }
        let count = requests.count
        requests.record(request)
        switch behaviour(request, count) {
        case .status(let status, let headers): Self.write(Self.answer(status, headers), to: client)
        case .content(let body, let type):
            let head = "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n"
            Self.write(Array("\(head)Connection: close\r\n\r\n\(body)".utf8), to: client)
        case .slow(let status):
            for byte in Self.answer(status, []) {
                Self.write([byte], to: client)
                _ = poll(nil, 0, 5)
            }
        case .hang:
            state.withLock { state in
                if !state.isClosed { state.held.append(client) }
            }
        case .reset:
            var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
            unsafe setsockopt(
                client.number,
                SOL_SOCKET,
                SO_LINGER,
                &linger,
                socklen_t(MemoryLayout<Glibc.linger>.size)
            )
        case .hangUp: break
        }
    }

    private static func answer(_ status: Int, _ headers: [String]) -> [UInt8] {
        let fields = (headers + ["Content-Length: 0", "Connection: close"]).map { "\($0)\r\n" }.joined()
        return Array("HTTP/1.1 \(status) Whatever\r\n\(fields)\r\n".utf8)
    }

    private static func write(_ bytes: [UInt8], to client: OwnedDescriptor) {
        _ = unsafe send(client.number, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    private static func read(_ client: OwnedDescriptor) -> Request? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe recv(client.number, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer.prefix(count)
            guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { continue }
            let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
            let words = lines.first?.split(separator: " ") ?? []
            guard words.count == 3 else { return nil }
            var headers: [String: String] = [:]
            for line in lines.dropFirst() {
                guard let colon = line.firstIndex(of: ":") else { continue }
                let value = line[line.index(after: colon)...].drop { $0 == " " }
                headers[line[..<colon].lowercased()] = String(value)
            }
            let length = headers["content-length"].flatMap { Int($0) } ?? 0
            guard bytes.count - end.upperBound >= length else { continue }
            return Request(
                method: String(words[0]),
                target: String(words[1]),
                headers: headers,
                body: String(decoding: bytes[end.upperBound...].prefix(length), as: UTF8.self)
            )
        }
    }
}
