// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc

/// What went wrong on the client's side of a test.
struct ClientError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A response as its bytes say.
struct RawResponse {
    var status: Int
    var headers: [(name: String, value: String)]
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }

    func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// A client that sends exactly the bytes it is told to, and reads with a time limit that only a broken server reaches.
final class RawClient {
    let descriptor: Int32
    private var buffer: [UInt8] = []
    private var start = 0
    private var isClosed = false

    /// Connects over TCP.
    init(port: UInt16, receiveBuffer: Int32? = nil, host: String = "127.0.0.1") throws {
        if host.contains(":") {
            descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            _ = unsafe inet_pton(AF_INET6, host, &address.sin6_addr)
            try unsafe connect(&address, MemoryLayout<sockaddr_in6>.size)
        } else {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            if let receiveBuffer { set(SO_RCVBUF, receiveBuffer) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            _ = unsafe inet_pton(AF_INET, host, &address.sin_addr)
            try unsafe connect(&address, MemoryLayout<sockaddr_in>.size)
        }
    }

    /// Connects to a unix socket.
    init(path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
        try unsafe connect(&address, MemoryLayout<sockaddr_un>.size)
    }

    deinit {
        close()
    }

    private func connect(_ address: UnsafeMutableRawPointer, _ size: Int) throws {
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let result = unsafe Glibc.connect(
            descriptor,
            address.assumingMemoryBound(to: sockaddr.self),
            socklen_t(size)
        )
        guard result == 0 else {
            let code = errno
            close()
            throw ClientError("connect: errno \(code)")
        }
    }

    private func set(_ option: Int32, _ value: Int32) {
        var value = value
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    // MARK: Sending

    func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) throws {
        guard trySend(bytes) else { throw ClientError("send: errno \(errno)") }
    }

    /// Sends as much as the server takes; false when it hung up.
    func trySend(_ bytes: [UInt8]) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe Glibc.send(
                    descriptor,
                    bytes.baseAddress?.advanced(by: offset),
                    bytes.count - offset,
                    Int32(MSG_NOSIGNAL)
                )
            }
            guard count > 0 else { return false }
            offset += count
        }
        return true
    }

    func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        Glibc.close(descriptor)
    }

    /// Closes with a reset instead of an orderly end.
    func reset() {
        var value = linger(l_onoff: 1, l_linger: 0)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    // MARK: Receiving

    /// Reads more into the buffer; false at the end. A reset is an end.
    private func receive() throws -> Bool {
        let (count, code) = unsafe withUnsafeTemporaryAllocation(byteCount: 64 * 1024, alignment: 1) { room in
            let count = unsafe recv(descriptor, room.baseAddress, room.count, 0)
            let code = errno
            if count > 0 { unsafe buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: room[..<count])) }
            return (count, code)
        }
        if count > 0 { return true }
        if count == 0 || code == ECONNRESET { return false }
        throw ClientError("nothing came for 30 seconds (errno \(code))")
    }

    /// Whether bytes or the connection's end have come.
    var hasInput: Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&polled, 1, 0) > 0
    }

    private func take(_ count: Int) -> [UInt8] {
        let result = Array(buffer[start..<start + count])
        start += count
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: true)
            start = 0
        }
        return result
    }

    /// Where a text begins in what has come.
    private func find(_ text: [UInt8], from: Int) -> Int? {
        unsafe buffer.withUnsafeBytes { bytes -> Int? in
            guard let base = bytes.baseAddress else { return nil }
            var at = from
            while at + text.count <= bytes.count {
                let left = bytes.count - text.count - at + 1
                guard let first = unsafe memchr(base + at, Int32(text[0]), left) else { return nil }
                at = unsafe UnsafeRawPointer(first) - base
                if unsafe memcmp(base + at, text, text.count) == 0 { return at }
                at += 1
            }
            return nil
        }
    }

    /// Reads up to and with a text.
    func read(through text: String) throws -> String {
        let wanted = Array(text.utf8)
        var from = start
        while true {
            if let at = find(wanted, from: from) {
                return String(decoding: take(at + wanted.count - start), as: UTF8.self)
            }
            from = max(start, buffer.count - wanted.count + 1)
            guard try receive() else {
                throw ClientError("the connection ended after: \(String(decoding: buffer[start...], as: UTF8.self))")
            }
        }
    }

    func read(count: Int) throws -> [UInt8] {
        while buffer.count - start < count {
            guard try receive() else {
                throw ClientError("the connection ended \(count - (buffer.count - start)) bytes early")
            }
        }
        return take(count)
    }

    /// Reads until the server ends the connection.
    func readToEnd() throws -> [UInt8] {
        while try receive() {}
        return take(buffer.count - start)
    }

    /// Reads a response's head, and its body unless there is none.
    func readResponse(hasBody: Bool = true) throws -> RawResponse {
        let head = try read(through: "\r\n\r\n")
        var lines = head.split(separator: "\r\n").map(String.init)
        let first = lines.removeFirst().split(separator: " ", maxSplits: 2).map(String.init)
        guard first.count >= 2, first[0] == "HTTP/1.1", let status = Int(first[1]) else {
            throw ClientError("not a status line: \(head)")
        }
        let headers = lines.map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (name: String(parts[0]), value: parts.count > 1 ? String(parts[1].drop { $0 == " " }) : "")
        }
        var response = RawResponse(status: status, headers: headers, body: [])
        if hasBody, let length = response.header("Content-Length").flatMap({ Int($0) }) {
            response.body = try read(count: length)
        }
        return response
    }

    /// Sends a request and reads its response.
    func request(_ method: String, _ target: String, _ fields: [String] = []) throws -> RawResponse {
        try send(Self.head(method, target, fields))
        return try readResponse(hasBody: method != "HEAD")
    }

    static func head(_ method: String, _ target: String, _ fields: [String] = []) -> String {
        (["\(method) \(target) HTTP/1.1", "Host: test"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
    }
}
