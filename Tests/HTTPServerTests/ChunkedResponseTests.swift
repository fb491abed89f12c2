// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import HTTPServer
import Synchronization
import Testing

@Suite("Responses made piece by piece", .timeLimit(.minutes(15)))
struct PiecewiseResponseTests {
    private final class Source: Sendable {
        let made = Atomic<Int>(0)
        let over = Atomic<Int>(0)
        let count: Int

        init(_ count: Int) { self.count = count }

        static let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 16 << 10)

        func response(isCompressed: Bool = false) -> HTTPResponse {
            let body = ChunkedResponse(
                headers: [HTTPHeader("Content-Type", "text/plain")],
                isCompressed: isCompressed,
                whenOver: { self.over.add(1, ordering: .sequentiallyConsistent) },
                {
                    let number = self.made.add(1, ordering: .sequentiallyConsistent).newValue
                    // An empty piece on the way is no end.
                    return number > self.count ? .end([0x2e]) : .bytes(number % 3 == 0 ? [] : Self.piece)
                }
            )
            return HTTPResponse(status: 599, headers: [HTTPHeader("X-No", "1")], body: .stream(body))
        }
    }

    private func server(_ source: Source, isCompressed: Bool = false) throws -> TestServer {
        try TestServer(
            handler: { request in
                request.path == "/plain"
                    ? HTTPResponse(status: 200, body: .bytes([0x2e])) : source.response(isCompressed: isCompressed)
            },
            adjust: { $0.limits.streams = 0 }
        )
    }

    @Test("the client receives all of it, with its header, and does not count as a stream")
    func whole() throws {
        let source = Source(30)
        let server = try server(source)
        let client = try server.client()
        try client.send(RawClient.head("GET", "/"))
        let bytes = try client.readToEnd()
        let text = String(decoding: bytes.prefix(400), as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n") && text.contains("\r\nContent-Type: text/plain\r\n"))
        #expect(
            text.contains("\r\nConnection: close\r\n") && !text.contains("X-No") && !text.contains("Content-Length")
        )
        #expect(bytes.last == 0x2e && bytes.filter { $0 == UInt8(ascii: "x") }.count >= 20 * Source.piece.count)
        while source.over.load(ordering: .sequentiallyConsistent) == 0 { sched_yield() }
        #expect(source.over.load(ordering: .sequentiallyConsistent) == 1)
    }

    @Test("a client that reads slowly but continuously is served within its time limit only")
    func limited() throws {
        let server = try TestServer(
            handler: { _ in
                let body = ChunkedResponse(headers: [], isCompressed: false, timeLimit: .milliseconds(300)) {
                    .bytes(Source.piece)
                }
                return HTTPResponse(status: 200, body: .stream(body))
            }
        )
        let client = try server.client(receiveBuffer: 4_096)
        try client.send(RawClient.head("GET", "/"))
        // Without a limit there would be no end.
        _ = try client.readToEnd()
        while server.server.statistics.stalledStreams == 0 { sched_yield() }
        #expect(server.server.statistics.openStreams == 0)
    }

    @Test("no data is rendered for a client that does not read, others are served, and its disconnection is reported")
    func slow() throws {
        let source = Source(100_000)
        let server = try server(source)
        let client = try server.client(receiveBuffer: 4_096)
        try client.send(RawClient.head("GET", "/"))
        _ = try client.read(count: 1)
        // The socket's buffers are full when it is asked no more.
        var last = -1
        for _ in 0..<200 {
            #expect(try server.client().request("GET", "/plain").status == 200)
            last = source.made.load(ordering: .sequentiallyConsistent)
        }
        #expect(last < 200, "\(last) pieces were made")
        client.reset()
        while source.over.load(ordering: .sequentiallyConsistent) == 0 { sched_yield() }
        #expect(source.made.load(ordering: .sequentiallyConsistent) < 400)
    }

    @Test("compressed pieces are one gzip body")
    func compressed() throws {
        let source = Source(9)
        let server = try server(source, isCompressed: true)
        let client = try server.client()
        try client.send(RawClient.head("GET", "/"))
        let bytes = try client.readToEnd()
        let end = try #require(bytes.indices.first { bytes[$0...].starts(with: "\r\n\r\n".utf8) })
        #expect(String(decoding: bytes[..<end], as: UTF8.self).contains("\r\nContent-Encoding: gzip"))
        let body = Array(bytes[(end + 4)...])
        #expect(body.prefix(10) == GzipStream.head[...])
        // The size of what was compressed stands at the end (RFC 1952).
        let size = body.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        #expect(size == 6 * Source.piece.count + 1 && body.count < 2_000)
    }

    @Test("a server that stops aborts the response visibly")
    func stopped() throws {
        let source = Source(.max)
        let server = try server(source)
        let client = try server.client(receiveBuffer: 4_096)
        try client.send(RawClient.head("GET", "/"))
        _ = try client.read(count: 1)
        server.server.stop(deadline: .zero)
        #expect(source.over.load(ordering: .sequentiallyConsistent) == 1)
    }
}
