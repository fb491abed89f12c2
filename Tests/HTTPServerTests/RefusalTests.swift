// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import HTTPServer
import TestSupport
import Testing

@Suite("Requests that the server refuses before routing", .timeLimit(.minutes(15)))
struct RefusalTests {
    @Test("fields over the limit: 431 in the API's form; over the pool: 431 and 414 by the library")
    func oversizedHeader() throws {
        let server = try TestServer(adjust: { $0.limits.headerSize = 4096 })
        let over = try server.client().request("GET", "/", ["X: \(String(repeating: "x", count: 4096))"])
        #expect(over.status == 431)
        #expect(over.header("Content-Type") == "application/problem+json")
        #expect(over.header("Connection") == "close")
        #expect(over.text.contains("4096 bytes"))

        let target = try server.client().request("GET", "/\(String(repeating: "x", count: 4096))")
        #expect(target.status == 431)

        let many = try server.client().request("GET", "/", (0..<200).map { "X-\($0): some value of this field" })
        #expect(many.status == 431)

        let far = try server.client()
        _ = far.trySend(Array(RawClient.head("GET", "/", ["X: \(String(repeating: "x", count: 100_000))"]).utf8))
        #expect(try far.readResponse().status == 431)

        let long = try server.client()
        _ = long.trySend(Array(RawClient.head("GET", "/\(String(repeating: "x", count: 100_000))").utf8))
        #expect(try long.readResponse().status == 414)

        #expect(try server.client().request("GET", "/").status == 200)
    }

    @Test("fields just within the limit pass")
    func headerWithinLimit() throws {
        let server = try TestServer(adjust: { $0.limits.headerSize = 4096 })
        let client = try server.client()
        let base = RawClient.head("GET", "/", ["X: "]).utf8.count
        let fields = ["X: \(String(repeating: "x", count: 4096 - base))"]
        for _ in 0..<3 { #expect(try client.request("GET", "/", fields).status == 200) }
        #expect(try client.request("GET", "/", [fields[0] + "x"]).status == 431)
    }

    @Test("a body over the limit: 413, before it was sent or in the middle of its chunks")
    func oversizedBody() throws {
        let server = try TestServer(adjust: { $0.limits.bodySize = 1000 })
        let early = try server.client()
        try early.send(RawClient.head("PUT", "/", ["Content-Length: 1001", "Expect: 100-continue"]))
        let response = try early.readResponse()
        #expect(response.status == 413)
        #expect(response.header("Content-Type") == "application/problem+json")
        #expect(try early.readToEnd().isEmpty)

        for length in ["99999999999999999999999999", "18446744073709551617", "1001"] {
            #expect(try server.client().request("PUT", "/", ["Content-Length: \(length)"]).status == 413, "\(length)")
        }

        let exact = try server.client()
        let body = String(repeating: "x", count: 1000)
        try exact.send(RawClient.head("PUT", "/", ["Content-Length: 1000"]) + body)
        #expect(try exact.readResponse().text == "PUT\n/\n-\n" + body)
        try exact.send(RawClient.head("PUT", "/", ["Transfer-Encoding: chunked"]) + "3e8\r\n\(body)\r\n0\r\n\r\n")
        #expect(try exact.readResponse().text == "PUT\n/\n-\n" + body)

        let chunked = try server.client()
        try chunked.send(RawClient.head("PUT", "/", ["Transfer-Encoding: chunked"]))
        for _ in 0..<5 { try chunked.send("3e8\r\n\(body)\r\n") }
        try chunked.send("0\r\n\r\n")
        #expect(try chunked.readResponse().status == 413)

        // One that does not stop is cut off.
        let endless = try server.client()
        try endless.send(RawClient.head("PUT", "/", ["Transfer-Encoding: chunked"]))
        while endless.trySend(Array("3e8\r\n\(body)\r\n".utf8)) {}
        #expect(try server.client().request("GET", "/").status == 200)
    }

    /// Sends a text over and over, seldom enough that the server's memory is not full first, until the server hangs up.
    private func trickle(_ text: String, from client: RawClient) {
        var last = ContinuousClock.now
        while true {
            sched_yield()
            guard ContinuousClock.now - last > .milliseconds(10) else { continue }
            last = ContinuousClock.now
            guard !client.hasInput, client.trySend(Array(text.utf8)) else { return }
        }
    }

    @Test("a client that trickles its fields gets 408 when its time is over, however busy it is")
    func slowHeader() async throws {
        let server = try TestServer(adjust: {
            $0.limits.headerTimeout = .milliseconds(1500)
            $0.limits.idleTimeout = .seconds(1)
        })
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\nHost: test\r\n")
        trickle("X: y\r\n", from: client)
        let response = try client.readResponse()
        #expect(response.status == 408)
        #expect(response.header("Content-Type") == "application/problem+json")
        #expect(try client.readToEnd().isEmpty)
        await eventually("it was counted") { server.server.statistics.slowConnections == 1 }
    }

    @Test("a client that sends its request line slowly is disconnected without a response")
    func slowLine() async throws {
        let server = try TestServer(adjust: { $0.limits.headerTimeout = .milliseconds(300) })
        let client = try server.client()
        try client.send("GET /")
        trickle("x", from: client)
        #expect(try client.readToEnd().isEmpty)
        await eventually("it was counted") { server.server.statistics.slowConnections == 1 }
    }

    @Test("a later request on a connection has a deadline too")
    func slowSecondRequest() throws {
        let server = try TestServer(adjust: { $0.limits.headerTimeout = .milliseconds(300) })
        let client = try server.client()
        #expect(try client.request("GET", "/").status == 200)
        try client.send("GET / HTTP/1.1\r\nHost: te")
        #expect(try client.readResponse().status == 408)
        #expect(try client.readToEnd().isEmpty)
    }

    @Test("a body that comes too slowly ends with 408")
    func slowBody() throws {
        let server = try TestServer(adjust: { $0.limits.bodyTimeout = .milliseconds(300) })
        let client = try server.client()
        try client.send(RawClient.head("PUT", "/", ["Content-Length: 1000"]) + "abc")
        #expect(try client.readResponse().status == 408)
        #expect(try client.readToEnd().isEmpty)
        let chunked = try server.client()
        try chunked.send(RawClient.head("PUT", "/", ["Transfer-Encoding: chunked"]) + "3\r\nabc\r\n")
        #expect(try chunked.readResponse().status == 408)
    }

    @Test("a client that connects and sends nothing is disconnected by the idle timeout")
    func silentClient() async throws {
        let server = try TestServer(adjust: {
            $0.limits.idleTimeout = .milliseconds(1)
            $0.limits.headerTimeout = .seconds(3600)
        })
        let silent = try server.client()
        let used = try server.client()
        #expect(try used.request("GET", "/").status == 200)
        #expect(try silent.readToEnd().isEmpty)
        #expect(try used.readToEnd().isEmpty)
        await eventually("no connection is open") { server.isEmpty(after: 2) }
    }

    @Test(
        "a request whose body another parser may delimit differently is refused and its connection closed",
        arguments: [
            "Content-Length: 4\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: chunked\r\nContent-Length: 4",
            "Content-Length: 4\r\nContent-Length: 4",
            "Content-Length: 4\r\nContent-Length: 5",
            "Content-Length: 4, 4",
            "Content-Length: +4",
            "Content-Length: -4",
            "Content-Length: 0x4",
            "Content-Length: 4 4",
            "Content-Length:",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: gzip, chunked",
            "Transfer-Encoding: identity",
            "Transfer-Encoding: xchunked",
            "Transfer-Encoding: chunked, identity",
            "Transfer-Encoding: \u{b}chunked",
            "Transfer-Encoding : chunked",
            "Content-Length : 4",
            "X: y\n Content-Length: 4",
            "X: y\r\n Content-Length: 4",
            "X: y\r\n\tfolded",
            "X: y\nContent-Length: 4",
            "X: a\0b",
            "X: a\0\0Content-Length\0 4",
            "X\0: a",
            "X: a\rb",
            "X: \u{7f}",
            "X Y: a",
            ": a",
            "X",
            "Host: other",
            "Host: test",
        ]
    )
    func ambiguous(_ fields: String) throws {
        let server = try TestServer()
        let client = try server.client()
        let smuggled = "GET /smuggled HTTP/1.1\r\nHost: test\r\n\r\n"
        _ = client.trySend(Array("PUT / HTTP/1.1\r\nHost: test\r\n\(fields)\r\n\r\n0\r\n\r\n\(smuggled)".utf8))
        let answer = String(decoding: try client.readToEnd(), as: UTF8.self)
        #expect(answer.hasPrefix("HTTP/1.1 400 ") || answer.hasPrefix("HTTP/1.1 501 "), "\(answer)")
        #expect(!answer.contains("smuggled"))
        #expect(!answer.contains("200 OK"))
    }

    @Test(
        "a request line that is not one is refused",
        arguments: [
            "GET /a\0b HTTP/1.1", "GET /a?b\0c HTTP/1.1", "GET\0/ HTTP/1.1", "G\u{1}T / HTTP/1.1", "GET / HTTP/1.1\0",
            "GET /a b HTTP/1.1", "GET /\u{1}", "GET /\u{7f} HTTP/1.1", "GET /\t HTTP/1.1", "GET  HTTP/1.1", "GET",
            "GET / HTTP/2.0", "GET / HTTP/1.10", "GET / HTTX/1.1", "/ GET HTTP/1.1", "GET / http/1.1",
            "GET /a\r HTTP/1.1",
        ]
    )
    func malformedLine(_ line: String) throws {
        let server = try TestServer()
        let client = try server.client()
        _ = client.trySend(Array("\(line)\r\nHost: test\r\n\r\n".utf8))
        client.finishSending()
        let answer = String(decoding: try client.readToEnd(), as: UTF8.self)
        #expect(!answer.contains("HTTP/1.1 200"), "\(answer)")
        #expect(try server.client().request("GET", "/").status == 200)
    }

    @Test("bare line feeds and a missing Host are refused")
    func sloppy() throws {
        let server = try TestServer()
        for text in ["GET / HTTP/1.1\nHost: test\n\n", "GET / HTTP/1.1\r\nX: y\r\n\r\n"] {
            let client = try server.client()
            try client.send(text)
            #expect(String(decoding: try client.readToEnd(), as: UTF8.self).hasPrefix("HTTP/1.1 400 "))
        }
    }

    @Test("errors of clients do not fill the log")
    func logIsLimited() throws {
        let server = try TestServer()
        for _ in 0..<200 {
            let client = try server.client()
            try client.send("GET / HTTP/3.0\r\n\r\n")
            _ = try client.readToEnd()
        }
        #expect(server.lines.all.count < 50)
        #expect(!server.lines.all.isEmpty)
    }

    @Test("thousands of mangled requests: no crash, and the next good request is answered")
    func mangled() throws {
        let server = try TestServer(adjust: {
            $0.limits.bodySize = 5000
            $0.logger = { _ in }
        })
        var random = SeededGenerator(seed: 0x5eed)
        let seeds = [
            RawClient.head("GET", "/targets/a%2Fb?x=1&y=2", ["Accept: */*", "If-None-Match: \"x\""]),
            RawClient.head("PUT", "/a", ["Content-Length: 10"]) + "0123456789",
            RawClient.head("PUT", "/a", ["Transfer-Encoding: chunked"]) + "5\r\nabcde\r\n0\r\nT: x\r\n\r\n",
            RawClient.head("HEAD", "http://test/x", ["Cookie: a=b; c=d", "Expect: 100-continue"]),
        ].map { Array($0.utf8) }
        let tokens = [
            "\r\n", "\n", "\0", ":", " ", "\t", "?", "%", "&", "=", "HTTP/1.1", "Content-Length: 3\r\n", "\r\n\r\n",
        ]
        .map { Array($0.utf8) }
        for number in 0..<3000 {
            var bytes = seeds[Int(random.next() % UInt64(seeds.count))]
            for _ in 0..<(1 + random.next() % 4) {
                let at = Int(random.next() % UInt64(bytes.count))
                switch random.next() % 6 {
                case 0: bytes[at] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.remove(at: at)
                case 2: bytes.insert(contentsOf: tokens[Int(random.next() % UInt64(tokens.count))], at: at)
                case 3: bytes.insert(contentsOf: bytes[at...].prefix(40), at: at)
                case 4: bytes.removeSubrange(at..<min(bytes.count, at + 5))
                default: bytes.insert(contentsOf: repeatElement(bytes[at], count: Int(random.next() % 3000)), at: at)
                }
                if bytes.isEmpty { bytes = [0] }
            }
            let client = try server.client()
            _ = client.trySend(bytes)
            client.finishSending()
            if number % 3 == 0 { client.reset() } else { _ = try client.readToEnd() }
        }
        let response = try server.client().request("GET", "/good")
        #expect(response.text == "GET\n/good\n-\n")
    }
}

/// The same "random" requests in every run.
