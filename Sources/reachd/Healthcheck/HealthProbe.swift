// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import NetworkPaths

/// One HTTP request over a socket of its own, with one time limit for all of it.
///
/// A frozen service accepts connections and never answers: every wait ends at the deadline.
struct HealthProbe {
    let endpoint: HealthEndpoint
    let timeout: Duration

    /// Asks for a path.
    ///
    /// - Returns: The status code of the answer.
    func status(of path: String) throws(HealthFailure) -> Int {
        let deadline = SystemMonotonicClock().now() + timeout.nanoseconds
        let socket = try connected(by: deadline)
        let request = "GET \(path) HTTP/1.1\r\nHost: localhost\r\nUser-Agent: reachd-healthcheck\r\n"
        try send(
            Array((request + "Accept: application/json\r\nConnection: close\r\n\r\n").utf8),
            to: socket,
            by: deadline
        )
        return try statusCode(try firstLine(from: socket, by: deadline))
    }

    private func connected(by deadline: UInt64) throws(HealthFailure) -> OwnedDescriptor {
        let family =
            switch endpoint {
            case .tcp(let address, _): address.family == .ipv4 ? AF_INET : AF_INET6
            case .unix: AF_UNIX
            }
        let socket: OwnedDescriptor
        do throws(SystemError) {
            let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            socket = OwnedDescriptor(owning: try systemCall("socket") { Glibc.socket(family, type, 0) })
        } catch {
            throw HealthFailure("\(error)")
        }
        let code = unsafe SocketAddress.with(endpoint) { address, length in
            unsafe Glibc.connect(socket.number, address, length) == 0 ? 0 : errno
        }
        switch code {
        case 0: return socket
        case EINPROGRESS, EAGAIN: break
        default: throw HealthFailure("\(SystemError(code: code, operation: "connecting to \(endpoint)"))")
        }
        try wait(for: Int16(POLLOUT), on: socket, by: deadline, "connected to \(endpoint)")
        var error: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        _ = unsafe getsockopt(socket.number, SOL_SOCKET, SO_ERROR, &error, &length)
        guard error == 0 else {
            throw HealthFailure("\(SystemError(code: error, operation: "connecting to \(endpoint)"))")
        }
        return socket
    }

    private func send(_ bytes: [UInt8], to socket: OwnedDescriptor, by deadline: UInt64) throws(HealthFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            try wait(for: Int16(POLLOUT), on: socket, by: deadline, "asked \(endpoint)")
            do throws(SystemError) {
                let sent = try nonBlockingCall("send") {
                    unsafe rest.withUnsafeBytes { bytes in
                        unsafe Glibc.send(socket.number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                    }
                }
                if case .done(let count) = sent { rest = rest.dropFirst(count) }
            } catch {
                throw HealthFailure("\(error)")
            }
        }
    }

    private func firstLine(from socket: OwnedDescriptor, by deadline: UInt64) throws(HealthFailure) -> String {
        var line: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 512)
        // A status line is short; whoever sends more before its end is no HTTP server.
        while line.count < 4_096 {
            try wait(for: Int16(POLLIN), on: socket, by: deadline, "answered by \(endpoint)")
            do throws(SystemError) {
                let read = try nonBlockingCall("recv") { unsafe recv(socket.number, &piece, piece.count, 0) }
                guard case .done(let count) = read else { continue }
                line += piece.prefix(count)
                if let end = line.firstIndex(of: UInt8(ascii: "\n")) {
                    return String(decoding: line[..<end], as: UTF8.self)
                }
                if count == 0 { break }
            } catch {
                throw HealthFailure("\(error)")
            }
        }
        throw HealthFailure("\(endpoint) does not speak HTTP")
    }

    private func statusCode(_ line: String) throws(HealthFailure) -> Int {
        let words = line.split(separator: " ")
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let code = Int(words[1].prefix(3)) else {
            throw HealthFailure("\(endpoint) does not speak HTTP")
        }
        return code
    }

    private func wait(
        for events: Int16,
        on socket: OwnedDescriptor,
        by deadline: UInt64,
        _ what: String
    ) throws(HealthFailure) {
        while true {
            let now = SystemMonotonicClock().now()
            guard now < deadline else { throw HealthFailure("not \(what) in time") }
            var waiting = pollfd(fd: socket.number, events: events, revents: 0)
            let rest = Int32(clamping: (deadline - now + 999_999) / 1_000_000)
            if unsafe poll(&waiting, 1, rest) > 0 { return }
        }
    }
}
