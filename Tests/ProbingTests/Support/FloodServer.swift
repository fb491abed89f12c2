// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import Synchronization

/// A hostile server on 127.0.0.1: after a request it says a beginning once and then a piece for ever, each connection on
/// a thread of its own, as fast as the client takes it.
final class FloodServer: Sendable {
    /// What floods.
    struct Flood: Sendable, CustomStringConvertible {
        let description: String
        /// Whether HTTP/2 is spoken from the first byte.
        var isHTTP2 = false
        let beginning: [UInt8]
        let piece: [UInt8]
    }

    let port: UInt16
    /// Posted when a connection has taken the first 256 KiB.
    let isFlooding = LinuxIO.Semaphore()
    private let listener: OwnedDescriptor

    init(_ flood: Flood) throws {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let listener = OwnedDescriptor(owning: try systemCall("socket") { socket(AF_INET, type, 0) })
        self.listener = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        try unsafe withUnsafeMutablePointer(to: &address) { pointer in
            try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                _ = try systemCall("bind") { unsafe bind(listener.number, pointer, size) }
                _ = try systemCall("listen") { listen(listener.number, 64) }
                _ = try systemCall("getsockname") { unsafe getsockname(listener.number, pointer, &size) }
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        try Thread(name: "flood-server") { [isFlooding] in
            while true {
                let number = accept(listener.number, nil, nil)
                guard number >= 0 else { return }
                let client = OwnedDescriptor(owning: number)
                try? Thread(name: "flood") { Self.serve(client, flood, isFlooding) }.detach()
            }
        }.detach()
    }

    deinit {
        shutdown(listener.number, Int32(SHUT_RDWR))
    }

    private static func serve(_ client: OwnedDescriptor, _ flood: Flood, _ isFlooding: LinuxIO.Semaphore) {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        func isRequest() -> Bool {
            guard flood.isHTTP2 else { return received.suffix(4).elementsEqual([13, 10, 13, 10]) }
            return HTTP2Script.frames(in: received).contains { $0.type == 1 }
        }
        while !isRequest() {
            let count = unsafe recv(client.number, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            received += buffer.prefix(count)
        }
        var pieces: [UInt8] = []
        while pieces.count < 64 << 10 { pieces += flood.piece }
        guard say(flood.beginning, to: client) else { return }
        for round in 0... {
            guard say(pieces, to: client) else { return }
            if round == 3 { isFlooding.post() }
        }
    }

    private static func say(_ bytes: [UInt8], to client: OwnedDescriptor) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe send(client.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

extension FloodServer.Flood {
    private static func http1(_ name: String, _ fields: String, _ beginning: [UInt8] = [], _ piece: [UInt8]) -> Self {
        let head = Array("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n".utf8)
        return Self(description: name, beginning: head + beginning, piece: piece)
    }

    private static func http2(_ name: String, _ piece: [UInt8]) -> Self {
        let beginning =
            HTTP2Script.frame(4, flags: 0, stream: 0, []) + HTTP2Script.frame(4, flags: 1, stream: 0, [])
            + HTTP2Script.headers([(":status", "200")], ends: false)
        return Self(description: name, isHTTP2: true, beginning: beginning, piece: piece)
    }

    /// What libcurl, its decoders and nghttp2 pass over in silence. None of it ends a response, or is content of it.
    static let all = [
        http1("chunk extension", "Transfer-Encoding: chunked", Array("5;".utf8), Array("a=b;".utf8)),
        http1("empty deflate blocks", "Content-Encoding: gzip", gzip, [0, 0, 0, 0xFF, 0xFF]),
        http1("gzip header", "Content-Encoding: gzip", [0x1F, 0x8B, 8, 8, 0, 0, 0, 0, 0, 3], [0x61]),
        http2("empty DATA", HTTP2Script.data([])),
        http2("padded DATA", HTTP2Script.frame(0, flags: 8, stream: 1, [255] + [UInt8](repeating: 0, count: 255))),
        http2("WINDOW_UPDATE", HTTP2Script.frame(8, flags: 0, stream: 0, [0, 0, 0, 1])),
        http2("PRIORITY", HTTP2Script.frame(2, flags: 0, stream: 1, [0, 0, 0, 3, 16])),
        http2("unknown frames", HTTP2Script.frame(0xAA, flags: 0, stream: 0, [])),
    ]

    private static let gzip: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
}
