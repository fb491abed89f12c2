// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import HTTPServer
import Synchronization
import Testing

@Suite("Requests and answers", .timeLimit(.minutes(15)))
struct RequestTests {
    @Test("one connection carries many requests")
    func keepAlive() async throws {
        let server = try TestServer()
        let client = try server.client()
        for number in 0..<20 {
            let response = try client.request("GET", "/\(number)")
            #expect(response.status == 200)
            #expect(response.text == "GET\n/\(number)\n-\n")
            #expect(response.header("Connection") != "close")
            #expect(response.header("Date")?.hasSuffix(" GMT") == true)
        }
        await eventually("one connection was counted") { server.server.statistics.acceptedConnections == 1 }
    }

    @Test("requests sent at once are answered in their order")
    func pipelining() throws {
        let server = try TestServer()
        let client = try server.client()
        let count = 500
        try client.send((0..<count).map { RawClient.head("GET", "/\($0)") }.joined())
        for number in 0..<count {
            #expect(try client.readResponse().text == "GET\n/\(number)\n-\n")
        }
    }

    @Test("a request that comes byte by byte is one request")
    func byteByByte() throws {
        let server = try TestServer()
        let client = try server.client()
        for _ in 0..<2 {
            for byte in RawClient.head(
                "PUT",
                "/a?b",
                ["Content-Length: 3", "X-Long: \(String(repeating: "x", count: 500))"]
            ).utf8 {
                try client.send([byte])
            }
            for byte in "xyz".utf8 { try client.send([byte]) }
            #expect(try client.readResponse().text == "PUT\n/a\nb\nxyz")
        }
    }

    @Test("HEAD is answered like GET without its body")
    func head() throws {
        let server = try TestServer()
        let client = try server.client()
        let get = try client.request("GET", "/x")
        let head = try client.request("HEAD", "/y")
        #expect(head.status == 200)
        #expect(head.header("Content-Length") == "\(get.body.count + 1)")
        #expect(try client.request("GET", "/x").body == get.body)
    }

    @Test("a path and a query come as they were sent: %2F is not /, %00 is not NUL, + is not a blank")
    func rawTarget() throws {
        let server = try TestServer()
        let client = try server.client()
        for (target, expected) in [
            ("/targets/a%2Fb%00c%20d+e", "/targets/a%2Fb%00c%20d+e\n-"),
            ("/targets/../x//y/./", "/targets/../x//y/./\n-"),
            ("/x?a=%20+b&c&&d=", "/x\na=%20+b&c&&d="),
            ("/x?", "/x\n"),
            ("/x?a?b", "/x\na?b"),
            ("/ümläut", "/ümläut\n-"),
            ("//double", "//double\n-"),
            ("/\(String(repeating: "p", count: 3000))", "/\(String(repeating: "p", count: 3000))\n-"),
            ("/x?\(String(repeating: "q=1&", count: 200))", "/x\n\(String(repeating: "q=1&", count: 200))"),
        ] {
            #expect(try client.request("GET", target).text == "GET\n\(expected)\n")
        }
    }

    @Test("a whole URL as target is its path; another host than the Host field's is refused")
    func absoluteTarget() throws {
        let server = try TestServer()
        for (target, expected) in [
            ("http://test/a?b", "/a\nb"), ("http://TEST", "/\n-"), ("https://test/x%2F", "/x%2F\n-"),
            ("http://test?q", "/\nq"),
        ] {
            let client = try server.client()
            #expect(try client.request("GET", target).text == "GET\n\(expected)\n")
        }
        for target in ["http://other/a", "http:///a", "ftp://test/a", "x", "test:80", "*"] {
            let client = try server.client()
            #expect(try client.request("GET", target).status == 400, "\(target)")
        }
        let client = try server.client()
        #expect(try client.request("OPTIONS", "*").text == "OPTIONS\n*\n-\n")
    }

    @Test("header fields: any case, in order, without blanks around, empty ones too")
    func headerFields() throws {
        let seen = Mutex<HTTPRequest?>(nil)
        let server = try TestServer { request in
            seen.withLock { $0 = request }
            return HTTPResponse(status: 204)
        }
        let client = try server.client()
        let fields = ["If-None-Match: \"a\", \"b\"", "x-Two:  one\t ", "X-Two:two", "X-Empty:", "Cookie: a=b; c=d"]
        #expect(try client.request("GET", "/", fields).status == 204)
        let request = try #require(seen.withLock { $0 })
        #expect(request.header("if-none-match") == "\"a\", \"b\"")
        #expect(request.header("X-TWO") == "one")
        #expect(request.header("X-Empty") == "")
        #expect(request.header("X-Tw") == nil)
        #expect(request.header("X-None") == nil)
        #expect(
            request.headers == [
                HTTPHeader("Host", "test"), HTTPHeader("If-None-Match", "\"a\", \"b\""), HTTPHeader("x-Two", "one"),
                HTTPHeader("X-Two", "two"), HTTPHeader("X-Empty", ""), HTTPHeader("Cookie", "a=b; c=d"),
            ]
        )
        #expect(request.peer.hasPrefix("127.0.0.1:"))
    }

    @Test("bodies come whole: with a length, in chunks, after 100-continue")
    func bodies() throws {
        let server = try TestServer()
        let client = try server.client()
        let body = String(repeating: "0123456789", count: 20_000)
        try client.send(RawClient.head("PUT", "/a", ["Content-Length: \(body.utf8.count)"]) + body)
        #expect(try client.readResponse().text == "PUT\n/a\n-\n" + body)

        try client.send(RawClient.head("PUT", "/b", ["Transfer-Encoding: chunked"]))
        for part in ["3\r\nabc\r\n", "A\r\n0123456789\r\n", "0\r\nX-Trailer: z\r\n\r\n"] { try client.send(part) }
        let chunked = try client.readResponse()
        #expect(chunked.text == "PUT\n/b\n-\nabc0123456789")
        #expect(chunked.header("Connection") == "close")
        #expect(try client.readToEnd().isEmpty)
    }

    @Test(
        "an extension of a chunk is passed over, or refused as libmicrohttpd 1.0.1 does, and never becomes a part of the body"
    )
    func chunkExtension() throws {
        let server = try TestServer()
        for chunk in ["A;x=y\r\n0123456789\r\n", "A;\r\n0123456789\r\n"] {
            let client = try server.client()
            try client.send(RawClient.head("PUT", "/b", ["Transfer-Encoding: chunked"]) + chunk + "0\r\n\r\n")
            let response = try client.readResponse()
            #expect(response.status == 400 || response.text == "PUT\n/b\n-\n0123456789")
            #expect(try client.readToEnd().isEmpty)
        }
    }

    @Test("a body may wait for 100-continue")
    func expectation() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send(RawClient.head("PUT", "/c", ["Content-Length: 2", "Expect: 100-continue"]))
        #expect(try client.read(through: "\r\n\r\n").hasPrefix("HTTP/1.1 100 "))
        try client.send("ok")
        #expect(try client.readResponse().text == "PUT\n/c\n-\nok")
        #expect(try client.request("GET", "/d").text == "GET\n/d\n-\n")
    }

    @Test("HTTP/1.0 without Host is answered and closed")
    func http10() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("GET /old HTTP/1.0\r\n\r\n")
        #expect(try client.readResponse().text == "GET\n/old\n-\n")
        #expect(try client.readToEnd().isEmpty)
    }

    @Test("a client that stops sending receives the responses to its requests, and the end at once")
    func halfClosed() throws {
        let server = try TestServer(adjust: { $0.limits.idleTimeout = .seconds(3600) })
        let request = RawClient.head("GET", "/half")
        for text in [request, request + request, request + "GET / HTTP/1.1\r\nHo", "GET", "\r\n"] {
            let client = try server.client()
            try client.send(text)
            client.finishSending()
            let answers = String(decoding: try client.readToEnd(), as: UTF8.self)
            #expect(
                answers.split(separator: "/half", omittingEmptySubsequences: false).count
                    == text.split(separator: "/half", omittingEmptySubsequences: false).count,
                "\(text)"
            )
        }
    }

    @Test("a client that stops sending while it gets a long answer gets all of it, and of the next")
    func halfClosedLongAnswer() throws {
        let body = PreparedBody([UInt8](repeating: 0x78, count: 5_000_000))
        let server = try TestServer(
            handler: { _ in HTTPResponse(status: 200, body: .prepared(body)) },
            adjust: { $0.limits.idleTimeout = .seconds(3600) }
        )
        let client = try server.client(receiveBuffer: 4096)
        try client.send(RawClient.head("GET", "/1") + RawClient.head("GET", "/2"))
        client.finishSending()
        for _ in 0..<2 { #expect(try client.readResponse().body.count == 5_000_000) }
        #expect(try client.readToEnd().isEmpty)
    }

    @Test("a prepared body serves 200, HEAD and 304, to many clients, and may be released while it is sent")
    func preparedBody() async throws {
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let current = Mutex<PreparedBody?>(PreparedBody(bytes))
        let headers = [HTTPHeader("Content-Type", "application/octet-stream"), HTTPHeader("ETag", "\"1\"")]
        let server = try TestServer { request in
            guard let body = current.withLock({ $0 }) else { return HTTPResponse(status: 410) }
            let status = request.header("If-None-Match") == "\"1\"" ? 304 : 200
            return HTTPResponse(status: status, headers: headers, body: .prepared(body))
        }
        let clients = try (0..<20).map { _ in try server.client() }
        for client in clients { try client.send(RawClient.head("GET", "/big")) }
        let small = try server.client()
        let notModified = try {
            try small.send(RawClient.head("GET", "/big", ["If-None-Match: \"1\""]))
            return try small.readResponse(hasBody: false)
        }()
        #expect(notModified.status == 304)
        #expect(notModified.header("ETag") == "\"1\"")
        #expect(try small.request("HEAD", "/big").header("Content-Length") == "3000000")
        // All requests were seen, no client has read: the object goes, its bytes must not.
        await eventually("all requests were seen") { server.server.statistics.requests == 22 }
        current.withLock { $0 = nil }
        for client in clients {
            let response = try client.readResponse()
            #expect(response.status == 200)
            #expect(response.body == bytes)
        }
        #expect(try small.request("GET", "/big").status == 410)
    }

    @Test("a prepared body may go out with different header fields")
    func preparedVariants() throws {
        let body = PreparedBody { "shared" }
        let server = try TestServer { request in
            HTTPResponse(status: 200, headers: [HTTPHeader("X-Path", request.path)], body: .prepared(body))
        }
        let client = try server.client()
        for round in 0..<2 {
            for number in 0..<10 {
                let response = try client.request("GET", "/\(number)")
                #expect(response.header("X-Path") == "/\(number)", "round \(round)")
                #expect(response.text == "shared")
            }
        }
    }

    @Test("a header field that would break the response is left out and logged")
    func unsendableHeader() throws {
        let server = try TestServer { _ in
            HTTPResponse(
                status: 200,
                headers: [
                    HTTPHeader("X-Bad", "a\r\nX-Injected: b"), HTTPHeader("X Bad", "a"), HTTPHeader("X-Nul", "a\0b"),
                    HTTPHeader("X-Good", "ü\tz"),
                ],
                body: .bytes(Array("ok".utf8))
            )
        }
        let client = try server.client()
        let response = try client.request("GET", "/")
        #expect(response.headers.map(\.name).filter { $0.hasPrefix("X") } == ["X-Good"])
        #expect(server.lines.all.count == 3)
    }

    @Test("a status that no response may have becomes 500", arguments: [0, 99, 101, 600, -1, Int.max])
    func impossibleStatus(_ status: Int) throws {
        let server = try TestServer { _ in HTTPResponse(status: status) }
        #expect(try server.client().request("GET", "/").status == 500)
    }

    @Test("exactly 128 and 256 connections that are ready at once get their answers", arguments: [127, 128, 129, 256])
    func manyConnections(_ count: Int) async throws {
        let server = try TestServer()
        let clients = try (0..<count).map { _ in try server.client() }
        let request = RawClient.head("GET", "/x")
        for _ in 0..<40 {
            for client in clients { try client.send(request) }
            for client in clients { #expect(try client.readResponse().status == 200) }
        }
        await eventually("all were counted") {
            let statistics = server.server.statistics
            return statistics.requests == count * 40 && statistics.responsesByClass[1] == count * 40
        }
    }
}

extension PreparedBody {
    convenience init(_ text: () -> String) {
        self.init(Array(text().utf8))
    }
}
