// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Synchronization
import Testing

@Suite("Streams", .timeLimit(.minutes(15)))
struct StreamTests {
    /// Answers any GET with the next source that the test has laid out, `/plain` with a plain response.
    private func server(
        _ sources: [TestSource],
        adjust: (inout HTTPServerSettings) -> Void = { _ in }
    ) throws -> TestServer {
        let left = Mutex(sources)
        return try TestServer(
            handler: { request in
                if request.path == "/plain" { return HTTPResponse(status: 200, body: .bytes([0x2e])) }
                guard let source = left.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
                    return HTTPResponse(status: 404)
                }
                return HTTPResponse(
                    status: 200,
                    headers: [
                        HTTPHeader("Content-Type", "text/event-stream"), HTTPHeader("Cache-Control", "no-store"),
                    ],
                    body: .stream(source)
                )
            },
            adjust: adjust
        )
    }

    private func open(_ server: TestServer, receiveBuffer: Int32? = nil) throws -> RawClient {
        let client = try server.client(receiveBuffer: receiveBuffer)
        try client.send(RawClient.head("GET", "/events"))
        return client
    }

    @Test("the header and the first bytes are sent at once")
    func firstBytes() throws {
        let source = TestSource("retry: 3000\n\n")
        let server = try server([source])
        let client = try open(server)
        let response = try client.readResponse()
        #expect(response.status == 200)
        #expect(response.header("Content-Type") == "text/event-stream")
        #expect(response.header("Cache-Control") == "no-store")
        #expect(response.header("Connection") == "close")
        #expect(response.header("X-Accel-Buffering") == "no")
        #expect(response.header("Date")?.count == 29)
        #expect(response.header("Content-Length") == nil)
        #expect(response.header("Transfer-Encoding") == nil)
        #expect(try client.read(through: "\n\n") == "retry: 3000\n\n")
        #expect(server.server.statistics.openStreams == 1)
    }

    @Test("bytes come whole and in order, one event or a burst at a time")
    func order() throws {
        let source = TestSource()
        let server = try server([source])
        let client = try open(server)
        _ = try client.readResponse()
        var number = 0
        for burst in [1, 1, 15, 16, 17, 100, 5000] {
            let expected = (number..<number + burst).map { "data: \($0)\n\n" }
            for event in expected { source.add(event) }
            source.add(.bytes([]))
            server.server.wakeStreams()
            number += burst
            #expect(try client.read(count: expected.joined().utf8.count) == Array(expected.joined().utf8))
        }
    }

    @Test("every one of many streams gets every event")
    func manyStreams() throws {
        let sources = (0..<200).map { _ in TestSource() }
        let server = try server(sources)
        let clients = try sources.map { _ in try open(server) }
        for client in clients { _ = try client.readResponse() }
        for round in 0..<20 {
            for source in sources { source.add("data: \(round)\n\n") }
            server.server.wakeStreams()
            for client in clients { #expect(try client.read(through: "\n\n") == "data: \(round)\n\n") }
        }
    }

    @Test("a client that does not read is not sent more, not waited for, and delays no other")
    func slowReader() throws {
        let slow = TestSource(endless: [UInt8](repeating: 0x78, count: 1000))
        let quick = TestSource()
        let server = try server([slow, quick], adjust: { $0.streamSendBuffer = 16 * 1024 })
        let sleeper = try open(server, receiveBuffer: 4096)
        _ = try sleeper.readResponse()
        let reader = try open(server)
        _ = try reader.readResponse()
        for number in 0..<200 {
            quick.add("data: \(number)\n\n")
            server.server.wakeStreams()
            #expect(try reader.read(through: "\n\n") == "data: \(number)\n\n")
            #expect(try server.client().request("GET", "/plain").status == 200)
        }
        // What fits into both sockets' buffers and one write, and then no more.
        #expect(slow.asked < 2000)
        #expect(quick.asked >= 200)
        // It goes on where it stopped as soon as it reads.
        let asked = slow.asked
        _ = try sleeper.read(count: 2_000_000)
        #expect(slow.asked > asked)
        #expect(slow.ends == 0)
    }

    @Test("a piece of many megabytes arrives whole, also at a client that reads late")
    func largePiece() async throws {
        let bytes = (0..<8_000_000).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 7) }
        let source = TestSource([.bytes([1]), .bytes(bytes), .bytes([2]), .end([3])])
        let server = try server([source])
        let client = try open(server, receiveBuffer: 4096)
        let other = try server.client()
        for _ in 0..<50 { #expect(try other.request("GET", "/plain").status == 200) }
        _ = try client.readResponse()
        let received = try client.readToEnd()
        #expect(received.count == bytes.count + 3)
        #expect(received.first == 1)
        #expect(received.dropFirst().dropLast(2).elementsEqual(bytes))
        #expect(received.suffix(2) == [2, 3])
        await source.ended()
    }

    @Test("an endless source does not delay other streams")
    func endlessSource() throws {
        let endless = TestSource(endless: Array("data: again\n\n".utf8))
        let other = TestSource()
        let server = try server([endless, other])
        let reader = try open(server)
        _ = try reader.readResponse()
        let client = try open(server)
        _ = try client.readResponse()
        for number in 0..<50 {
            other.add("data: \(number)\n\n")
            server.server.wakeStreams()
            #expect(try client.read(through: "\n\n") == "data: \(number)\n\n")
            _ = try reader.read(count: 10_000)
        }
    }

    @Test("a stream whose client reads nothing for too long ends")
    func stalled() async throws {
        let source = TestSource(endless: [UInt8](repeating: 0x78, count: 10_000))
        let server = try server([source], adjust: { $0.limits.stallTimeout = .milliseconds(200) })
        let client = try open(server, receiveBuffer: 4096)
        await source.ended()
        await eventually("the connection is closed") { server.isEmpty(after: 1) }
        #expect(server.server.statistics.stalledStreams == 1)
        #expect(source.ends == 1)
        _ = try client.readToEnd()
    }

    @Test("a hang-up is noticed at once: an end, a reset, a client that only stops sending")
    func hangUp() async throws {
        let sources = (0..<3).map { _ in TestSource("data: x\n\n") }
        let server = try server(sources)
        for (source, leave) in zip(
            sources,
            [{ $0.close() }, { $0.reset() }, { $0.finishSending() }] as [(RawClient) -> Void]
        ) {
            let client = try open(server)
            _ = try client.read(through: "data: x\n\n")
            leave(client)
            await source.ended()
            #expect(source.ends == 1)
        }
        await eventually("all connections are closed") { server.isEmpty(after: 3) }
        #expect(server.server.statistics.openStreams == 0)
        #expect(server.server.statistics.startedStreams == 3)
    }

    @Test("a reset during a large transfer affects no other client")
    func resetWhileWriting() async throws {
        let sources = (0..<50).map { _ in TestSource(endless: [UInt8](repeating: 0x78, count: 5000)) }
        let server = try server(sources)
        for source in sources {
            let client = try open(server)
            _ = try client.read(count: 20_000)
            client.reset()
            await source.ended()
        }
        #expect(sources.allSatisfy { $0.ends == 1 })
        #expect(try server.client().request("GET", "/plain").status == 200)
        await eventually("all connections are closed") { server.isEmpty(after: 51) }
    }

    @Test("data that a client sends during its stream is ignored, up to a limit")
    func chattyClient() async throws {
        let source = TestSource("data: 1\n\n")
        let server = try server([source])
        let client = try open(server)
        _ = try client.read(through: "data: 1\n\n")
        try client.send(RawClient.head("GET", "/plain"))
        source.add("data: 2\n\n")
        server.server.wakeStreams()
        #expect(try client.read(through: "\n\n") == "data: 2\n\n")
        while client.trySend([UInt8](repeating: 0x78, count: 1000)), source.ends == 0 {}
        await source.ended()
    }

    @Test("streams over the limit get 503 with Retry-After, and their sources are notified")
    func streamLimit() async throws {
        let sources = (0..<4).map { _ in TestSource("data: x\n\n") }
        let server = try server(
            sources,
            adjust: {
                $0.limits.streams = 2
                $0.retryAfter = 7
            }
        )
        let first = try open(server)
        _ = try first.read(through: "data: x\n\n")
        let second = try open(server)
        _ = try second.read(through: "data: x\n\n")
        let third = try open(server)
        let refusal = try third.readResponse()
        #expect(refusal.status == 503)
        #expect(refusal.header("Retry-After") == "7")
        #expect(refusal.header("Content-Type") == "application/problem+json")
        #expect(sources[2].ends == 1)
        #expect(sources[2].asked == 0)
        // The refused connection is still good, and a place that is free can be had.
        #expect(try third.request("GET", "/plain").status == 200)
        first.close()
        await sources[0].ended()
        try third.send(RawClient.head("GET", "/events"))
        _ = try third.read(through: "data: x\n\n")
        #expect(server.server.statistics.openStreams == 2)
    }

    @Test("HEAD of a stream returns only its header")
    func head() async throws {
        let source = TestSource("data: x\n\n")
        let server = try server([source])
        let client = try server.client()
        try client.send(RawClient.head("HEAD", "/events"))
        let response = try client.readResponse()
        #expect(response.status == 200)
        #expect(response.header("Content-Type") == "text/event-stream")
        #expect(try client.readToEnd().isEmpty)
        await source.ended()
        #expect(source.asked == 0)
    }

    @Test("a source without further data ends its stream")
    func sourceEnds() async throws {
        let source = TestSource([.bytes(Array("a".utf8)), .end(Array("b".utf8))])
        let server = try server([source])
        let client = try open(server)
        _ = try client.readResponse()
        #expect(try client.readToEnd() == Array("ab".utf8))
        await source.ended()
        #expect(source.ends == 1)
    }

    @Test("a stream on which nothing happens gets heartbeats, one that is blocked or has none does not")
    func heartbeat() throws {
        let beating = TestSource()
        let silent = TestSource([], heartbeat: "")
        let server = try server([beating, silent], adjust: { $0.limits.heartbeat = .milliseconds(20) })
        let client = try open(server)
        _ = try client.readResponse()
        let other = try open(server)
        _ = try other.readResponse()
        for _ in 0..<5 { #expect(try client.read(through: "\n\n") == ": beat\n\n") }
        silent.add("data: x\n\n")
        server.server.wakeStreams()
        #expect(try other.read(through: "\n\n") == "data: x\n\n")
    }

    @Test("stop polls every source once more and ends every stream, also a blocked one")
    func stop() throws {
        let sources = (0..<20).map { _ in TestSource("data: x\n\n") }
        let blocked = TestSource(endless: [UInt8](repeating: 0x78, count: 10_000))
        let server = try server([blocked] + sources)
        let sleeper = try open(server, receiveBuffer: 4096)
        _ = try sleeper.readResponse()
        let clients = try sources.map { _ in try open(server) }
        for client in clients { _ = try client.read(through: "data: x\n\n") }
        for source in sources { source.setLastWords(": bye\n\n") }
        server.server.stop(deadline: .seconds(5))
        for client in clients { #expect(try client.readToEnd() == Array(": bye\n\n".utf8)) }
        #expect(sources.allSatisfy { $0.ends == 1 })
        #expect(blocked.ends == 1)
        _ = try sleeper.readToEnd()
        #expect(server.server.statistics.openStreams == 0)
    }
}
