// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import Synchronization
import TestSupport

/// A server on 127.0.0.1 that answers by heart: a service of any state, and one that is hostile.
final class CannedServer: Sendable {
    /// What comes of a request.
    enum Reply: Sendable {
        /// A body of JSON.
        case json(String, status: Int = 200)
        /// Bytes as they are; the connection is closed behind them.
        case bytes([UInt8])
        /// A body that never ends.
        case endless
        /// These bytes, and then the last of them for ever.
        case flood([UInt8])
    }

    let port: UInt16
    /// The request lines and fields, in the order of their arrival.
    let requests = Recorder<String>()
    private let listener: OwnedDescriptor

    var url: String { "http://127.0.0.1:\(port)" }

    /// - Parameter behaviour: decides by the path with its query; called on a thread of the server.
    init(_ behaviour: @escaping @Sendable (String) -> Reply) throws {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let socket = OwnedDescriptor(owning: try systemCall("socket") { Glibc.socket(AF_INET, type, 0) })
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        try unsafe withUnsafeMutablePointer(to: &address) { pointer in
            try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                var size = socklen_t(MemoryLayout<sockaddr_in>.size)
                try systemCall("bind") { unsafe bind(socket.number, pointer, size) }
                try systemCall("listen") { Glibc.listen(socket.number, 16) }
                try systemCall("getsockname") { unsafe getsockname(socket.number, pointer, &size) }
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        listener = socket
        try Thread(name: "canned-server") { [socket, requests] in
            while true {
                let number = accept(socket.number, nil, nil)
                guard number >= 0 else { return }
                let client = OwnedDescriptor(owning: number)
                guard let head = Self.head(client) else { continue }
                requests.record(head)
                let path = head.split(separator: " ").dropFirst().first.map(String.init) ?? ""
                Self.answer(behaviour(path), client)
            }
        }.detach()
    }

    deinit {
        shutdown(listener.number, Int32(SHUT_RDWR))
    }

    private static func answer(_ reply: Reply, _ client: OwnedDescriptor) {
        switch reply {
        case .json(let body, let status):
            let head =
                "HTTP/1.1 \(status) X\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
            _ = send(Array("\(head)Connection: close\r\n\r\n\(body)".utf8), to: client)
        case .bytes(let bytes): _ = send(bytes, to: client)
        case .flood(let bytes):
            guard send(bytes, to: client) else { return }
            let piece = [UInt8](repeating: bytes.last ?? 0, count: 1 << 16)
            while send(piece, to: client) {}
        case .endless:
            guard send(Array("HTTP/1.1 200 X\r\n\r\n[".utf8), to: client) else { return }
            let piece = [UInt8](repeating: 0x20, count: 1 << 20)
            while send(piece, to: client) {}
        }
    }

    private static func send(_ bytes: [UInt8], to client: OwnedDescriptor) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe Glibc.send(client.number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func head(_ client: OwnedDescriptor) -> String? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while bytes.firstRange(of: Array("\r\n\r\n".utf8)) == nil {
            let count = unsafe recv(client.number, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
