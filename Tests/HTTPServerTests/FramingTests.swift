// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Testing

/// Where a request ends, whom it is for and whose it is must be the same for every HTTP parser that it passes.
@Suite("Requests that another parser may read in another way", .timeLimit(.minutes(15)))
struct FramingTests {
    private static let smuggled = "POST /smuggled HTTP/1.1\r\nHost: test\r\n\r\n"

    @Test(
        "a request with Transfer-Encoding is the last of its connection, whatever its chunks look like",
        arguments: ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS"],
        [
            "0\r\n\r\n",
            "3\r\nabc\r\n0\r\n\r\n",
            "0\r\nTrailer: x\r\n\r\n",
            // Chunk lines that end at a bare line feed, of which some parsers make part of an extension.
            "0\n\r\n",
            "0\n\n",
            "0;x\n\r\n",
            "3;\n0\r\n\r\n",
            "3\nabc\n0\n\n",
            "3\r\nabc\n0\r\n\r\n",
            "2;\nxx\r\n4c\r\n0\r\n\r\n",
            "0x0\r\n\r\n",
            "00000000000000000\r\n\r\n",
            "0 \r\n\r\n",
        ]
    )
    func chunks(_ method: String, _ chunks: String) throws {
        let server = try TestServer()
        let client = try server.client()
        let fields = ["Transfer-Encoding: chunked"]
        _ = client.trySend(Array((RawClient.head(method, "/first", fields) + chunks + Self.smuggled).utf8))
        client.finishSending()
        let answer = String(decoding: try client.readToEnd(), as: UTF8.self)
        #expect(answer.components(of: "HTTP/1.1 ") <= 1, "\(answer)")
        #expect(!answer.contains("/smuggled"), "\(answer)")
        if !answer.isEmpty { #expect(answer.lowercased().contains("connection: close"), "\(answer)") }
    }

    @Test("a handler's prepared answer closes after chunks too, and not after other requests")
    func preparedAnswer() throws {
        let body = PreparedBody(Array("shared".utf8))
        let server = try TestServer { _ in HTTPResponse(status: 200, body: .prepared(body)) }
        let client = try server.client()
        #expect(try client.request("GET", "/").header("Connection") != "close")
        try client.send(RawClient.head("PUT", "/", ["Transfer-Encoding: chunked"]) + "0\r\n\r\n")
        #expect(try client.readResponse().header("Connection") == "close")
        #expect(try client.readToEnd().isEmpty)
        #expect(try server.client().request("GET", "/").header("Connection") != "close")
    }

    @Test("a deferred answer closes after chunks too")
    func deferredAnswer() throws {
        let server = try TestServer { _ in
            let answer = DeferredResponse()
            answer.complete(with: HTTPResponse(status: 200, body: .bytes(Array("late".utf8))))
            return HTTPResponse(status: 200, body: .deferred(answer))
        }
        let client = try server.client()
        #expect(try client.request("GET", "/").header("Connection") != "close")
        try client.send(
            RawClient.head("PUT", "/", ["Transfer-Encoding: chunked"]) + "0\r\n\r\n" + Self.smuggled
        )
        let answer = try client.readResponse()
        #expect(answer.header("Connection") == "close" && answer.text == "late")
        #expect(try client.readToEnd().isEmpty)
    }

    @Test(
        "header lines that parsers read differently are refused",
        arguments: [
            "X: y\nContent-Length: 76", "X:  y\nContent-Length: 76", "X: y\n Content-Length: 76",
            "X:y\r\n Content-Length: 76\r\nY:y\r\nZ:y", "X: a\0\r\nContent-Length: 76", "X:a\0\r\nY:b",
            "X: a\0Content-Length: 76", "X: a\r\n\tb", "X:   y\nY: z\nA: b", "X:\u{b}y", "X: y\r",
            "X: a\rContent-Length: 76",
        ]
    )
    func lines(_ fields: String) throws {
        let server = try TestServer()
        let client = try server.client()
        _ = client.trySend(Array((RawClient.head("GET", "/first", [fields]) + Self.smuggled).utf8))
        client.finishSending()
        let answer = String(decoding: try client.readToEnd(), as: UTF8.self)
        #expect(!answer.contains("HTTP/1.1 200"), "\(answer)")
    }

    @Test(
        "a field that only one can be right of is refused when there are two",
        arguments: [
            ["Authorization: Bearer a", "Authorization: Bearer b"],
            ["Authorization: Bearer a", "authorization: Bearer a"],
            ["Host: test"], ["host: other"], ["Authorization:", "X: y", "AUTHORIZATION: Basic x"],
        ]
    )
    func repeated(_ fields: [String]) throws {
        let server = try TestServer()
        let client = try server.client()
        let response = try client.request("GET", "/", fields)
        #expect(response.status == 400)
        #expect(response.text.contains("more than one"))
        #expect(try client.readToEnd().isEmpty)
        #expect(try server.client().request("GET", "/", ["Authorization: Bearer a"]).status == 200)
    }

    static let hosts = [
        "test", "TEST:1", "a.example.", "a_b.example:65535", "127.0.0.1:7532", "[::1]", "[::1]:7532", "[2001:DB8::1]",
        "[::ffff:127.0.0.1]", "[fe80::1%25eth0]:80", "[v1.x:y]", "localhost:", "xn--bcher-kva.example", "a%20b", "",
    ]

    static let malformedHosts = [
        "[::1].evil.example", "[::1]evil", "[::1]:x", "[::1", "::1", "[]", "[127.0.0.1]", "[::1]]", "[[::1]]",
        "[::1%eth0]", "[::1%25]", "[v.x]", "[vg.x]", "test:x", "test:1x", "test:-1", "test:+1", "test: 1", "test:65536",
        "test:99999999999999999999", "test:000080", "test:0", "test:1:2", "test::", ":80", ":", ".", "..", ".test",
        "a..b",
        "test..", "a b", "a\tb", "user@test", "test/path", "test?x", "test#x", "a\\b", "a\"b", "<a>", "a%", "a%2",
        "a%zz",
        "a,b c", "bücher.example", "a^b", "{a}", "a|b", "`a`", String(repeating: "a", count: 256),
    ]

    @Test("a Host field that is a host with an optional port is taken", arguments: hosts)
    func host(_ host: String) throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        #expect(try client.readResponse().status == 200)
    }

    @Test("an invalid host is refused, as a field and in a request target", arguments: malformedHosts)
    func malformedHost(_ host: String) throws {
        let server = try TestServer()
        for target in ["/", "http://\(host)/"] {
            let client = try server.client()
            try client.send("GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            let answer = String(decoding: try client.readToEnd(), as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 400 ") || (answer.isEmpty && target != "/"), "\(target): \(answer)")
        }
    }

    @Test("an authority's parts: the host in lower case without brackets, the port")
    func authority() throws {
        let literal = try #require(HTTPAuthority("[2001:DB8::1]:7532"))
        #expect(literal.host == "2001:db8::1")
        #expect(literal.port == 7532)
        let name = try #require(HTTPAuthority("Example.ORG."))
        #expect(name.host == "example.org.")
        #expect(name.port == nil)
        #expect(HTTPAuthority("a:")?.port == nil)
    }

    @Test("200 query parameters are taken and more refused, before the library runs out of memory for them")
    func parameters() throws {
        let server = try TestServer()
        for _ in 0..<3 {
            #expect(try server.client().request("GET", "/?\(String(repeating: "q&", count: 199))q").status == 200)
            for count in [200, 1000, 3000] {
                let client = try server.client()
                #expect(
                    try client.request("GET", "/?\(String(repeating: "q&", count: count))q").status == 431,
                    "\(count)"
                )
                #expect(try client.readToEnd().isEmpty)
            }
        }
    }

    @Test("A header of the largest size may have 200 query parameters and 40 fields")
    func largestHeader() throws {
        let server = try TestServer()
        let target = "/?" + (0..<200).map { "target=a-long-name-of-one-\($0)" }.joined(separator: "&")
        var head = "GET \(target) HTTP/1.1\r\nHost: localhost\r\n"
        for field in 0..<38 { head += "X-Field-\(field): value\r\n" }
        head += "X-Rest: " + String(repeating: "v", count: 8 * 1024 - head.utf8.count - 12) + "\r\n\r\n"
        #expect(head.utf8.count == 8 * 1024)
        for _ in 0..<3 {
            let client = try server.client()
            for _ in 0..<3 {
                try client.send(head)
                #expect(try client.readResponse().status == 200)
            }
        }
    }
}

extension String {
    /// How often a text is in this one.
    fileprivate func components(of text: String) -> Int {
        var (count, rest) = (0, self[...])
        while let range = rest.firstRange(of: text) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}
