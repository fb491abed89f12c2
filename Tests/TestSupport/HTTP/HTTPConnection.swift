// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Glibc
package import LinuxIO

/// A blocking TCP connection of a test, with just enough HTTP/1.1 to read replies; one thread at a time.
///
/// Deliberately simple: it sends exactly the bytes that it is given, so that a test can send wrong ones.
package final class HTTPConnection {
    /// The socket, for tests that stop reading or set options.
    package let socket: OwnedDescriptor
    private let limit: Int
    private var buffer: [UInt8] = []
    private var start = 0

    /// Connects to a port of this machine.
    ///
    /// - Parameters:
    ///   - port: The port.
    ///   - host: An IPv4 literal.
    ///   - namespace: Where to connect, nil for the test's own network.
    ///   - limit: The hang limit of each read, in seconds.
    package init(
        port: UInt16,
        host: String = "127.0.0.1",
        in namespace: NetworkNamespace? = nil,
        limit: Int = 600
    ) throws {
        let open: @Sendable () throws -> OwnedDescriptor = { try Self.connect(host: host, port: port) }
        socket = try namespace.map { try $0.run(open) } ?? open()
        self.limit = limit
    }

    private static func connect(host: String, port: UInt16) throws -> OwnedDescriptor {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let socket = OwnedDescriptor(owning: try systemCall("socket") { Glibc.socket(AF_INET, type, 0) })
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        guard unsafe inet_pton(AF_INET, host, &address.sin_addr) == 1 else { throw HTTPFailure("not IPv4: \(host)") }
        try systemCall("connect \(host):\(port)") {
            unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe Glibc.connect(socket.number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        return socket
    }

    /// Sends text as it is.
    package func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    /// Sends bytes as they are.
    package func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try systemCall("send") {
                unsafe rest.withUnsafeBytes {
                    unsafe Glibc.send(socket.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Tells the server that nothing more will be sent, `shutdown(2)`.
    package func finishSending() {
        _ = shutdown(socket.number, Int32(SHUT_WR))
    }

    /// Reads a whole reply.
    ///
    /// - Parameter isHead: Whether it answers HEAD, and so has no body.
    package func receive(toHead isHead: Bool = false) throws -> HTTPReply {
        var reply = try receiveHead()
        guard !isHead, reply.status >= 200, reply.status != 204, reply.status != 304 else { return reply }
        if reply["Transfer-Encoding"]?.lowercased() == "chunked" {
            while let chunk = try readChunk() { reply.body += chunk }
        } else if let length = reply["Content-Length"].flatMap({ Int($0) }) {
            reply.body = try read(count: length)
        } else {
            while try fill() {}
            reply.body = Array(buffer[start...])
            start = buffer.count
        }
        return reply
    }

    /// Reads the status line and the header of a reply, not its body.
    package func receiveHead() throws -> HTTPReply {
        guard let statusLine = try readLine() else { throw HTTPFailure("closed before a status line") }
        var headers: [(name: String, value: String)] = []
        while let line = try readLine(), !line.isEmpty {
            let name = line.prefix { $0 != ":" }
            let value = line.dropFirst(name.count + 1).drop { $0 == " " }
            headers.append((String(name), String(value)))
        }
        return HTTPReply(statusLine: statusLine, headers: headers)
    }

    /// Reads the next chunk of a chunked body; nil after the last one or when the server closed.
    package func readChunk() throws -> [UInt8]? {
        guard let line = try readLine() else { return nil }
        guard let size = Int(line.prefix { $0 != ";" }, radix: 16) else { throw HTTPFailure("chunk size: \(line)") }
        let chunk = try read(count: size)
        _ = try readLine()
        return size == 0 ? nil : chunk
    }

    /// Reads a line without its end; nil when the server closed before one.
    package func readLine() throws -> String? {
        while true {
            if let end = buffer[start...].firstIndex(of: 10) {
                var line = buffer[start..<end]
                if line.last == 13 { line = line.dropLast() }
                start = end + 1
                return String(decoding: line, as: UTF8.self)
            }
            guard try fill() else { return nil }
        }
    }

    /// Whether the server closed the connection, after what was read so far; waits for it or for more bytes.
    package func isClosedByServer() throws -> Bool {
        try start == buffer.count && !fill()
    }

    private func read(count: Int) throws -> [UInt8] {
        while buffer.count - start < count {
            guard try fill() else { throw HTTPFailure("closed inside a body of \(count) bytes") }
        }
        defer { start += count }
        return Array(buffer[start..<start + count])
    }

    /// Reads what there is; false at the end.
    private func fill() throws -> Bool {
        guard waitReadable(socket.number, limit: limit) else { throw HTTPFailure("silent for \(limit) s") }
        if start > 65536 {
            buffer.removeFirst(start)
            start = 0
        }
        var chunk = [UInt8](repeating: 0, count: 16384)
        let count = unsafe recv(socket.number, &chunk, chunk.count, 0)
        guard count > 0 else {
            // A reset is an end, too: the server may close while bytes of ours are unread.
            guard count == 0 || errno == ECONNRESET else { throw SystemError(code: errno, operation: "recv") }
            return false
        }
        buffer += chunk[..<count]
        return true
    }
}
