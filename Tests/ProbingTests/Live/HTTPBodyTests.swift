// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import Probing
import TestSupport
import Testing

/// Encodings and charsets of bodies, and cookies.
@Suite("Bodies and cookies of HTTP", .timeLimit(.minutes(15))) struct HTTPBodyTests {
    /// Probes a server that answers each request with a head and the bytes of a body.
    private func run(
        _ headers: [String],
        _ body: [UInt8],
        edit: (inout HTTPProbeSettings) -> Void = { _ in }
    ) async throws -> ProbeResult {
        let head = (["HTTP/1.1 200 OK"] + headers + ["Content-Length: \(body.count)", "", ""]).joined(separator: "\r\n")
        let peer = try TestPeer(SOCK_STREAM, .answers { _ in Array(head.utf8) + body })
        var settings = HTTPProbeSettings(url: try HTTPURL("http://target.test:\(peer.port)/"))
        edit(&settings)
        let host = ProbeHost.address(IPAddress(ipv4: 0x7F00_0001))
        return await (try ProbeBench()).run(ProbeRequest(host: host, kind: .http(settings), timeout: .seconds(60)))
    }

    @Test("gzip of several members and zeros behind them", arguments: [0, 512]) func members(zeros: Int) async throws {
        let body = GzipSamples.hello + GzipSamples.there + [UInt8](repeating: 0, count: zeros)
        let result = try await run(["Content-Encoding: gzip"], body) {
            $0.expectation.body = [.matches(try! ProbePattern("^hello there$"))]
        }
        #expect(result.outcome == .success, "\(result.detail)")
        #expect(result.http?.bodySize == 11)
    }

    @Test("gzip that is cut off, and what is not gzip, are failures with a reason of their own") func broken()
        async throws
    {
        let cut = try await run(["Content-Encoding: gzip"], Array(GzipSamples.hello.dropLast(3)))
        #expect(cut.outcome == .failure && cut.reason == .badContentEncoding)
        #expect(cut.detail == "the body's gzip is cut off")
        let text = try await run(["Content-Encoding: x-gzip"], Array("hello".utf8))
        #expect(text.reason == .badContentEncoding && text.detail == "the body is not the gzip that it is said to be")
        let empty = try await run(["Content-Encoding: gzip"], [])
        #expect(empty.outcome == .success, "\(empty.detail)")
        let limited = try await run(["Content-Encoding: gzip"], Array(GzipSamples.hello.dropLast(3))) {
            $0.bodyLimit = 3
        }
        #expect(limited.outcome == .success && limited.http?.isBodyComplete == false, "\(limited.detail)")
    }

    @Test("An encoding that was not asked for is not compared with", arguments: ["br", "gzip"])
    func foreign(encoding: String) async throws {
        let compresses = encoding == "br"
        let result = try await run(["Content-Encoding: \(encoding)"], [1, 2, 3]) {
            $0.acceptsCompression = compresses
            $0.expectation.body = [.doesNotContain("error")]
        }
        #expect(result.reason == .badContentEncoding)
        #expect(result.detail == "the server compresses with \(encoding), which was not asked for")
        // Without an expectation of the body it does not matter.
        let plain = try await run(["Content-Encoding: \(encoding)"], [1, 2, 3]) { $0.acceptsCompression = compresses }
        #expect(plain.outcome == .success, "\(plain.detail)")
    }

    @Test("Text of another charset is converted, unless bytes are compared") func charset() async throws {
        let body: [UInt8] = [0x67, 0x72, 0xFC, 0xDF, 0x65]
        let type = ["Content-Type: text/plain; charset=iso-8859-1"]
        for (text, compares, outcome) in [
            ("grüße", false, ProbeOutcome.success), ("grüße", true, .failure), ("gr", true, .success),
        ] {
            let result = try await run(type, body) {
                $0.expectation.body = [.contains(text)]
                $0.expectation.comparesBytes = compares
            }
            #expect(result.outcome == outcome, "\(result.detail)")
        }
    }

    @Test("A response that has to come over TLS, or without") func secure() async throws {
        for (wanted, outcome) in [(false, ProbeOutcome.success), (true, .failure)] {
            let result = try await run([], Array("ok".utf8)) { $0.expectation.isSecure = wanted }
            #expect(result.outcome == outcome)
            if wanted {
                #expect(result.reason == .unexpectedResponse && result.detail == "the response came without TLS")
            }
        }
    }

    @Test("A login page that sets a cookie and redirects to itself; a cookie does not outlive its probe")
    func cookies() async throws {
        let exchange = Exchange(
            "HTTP/1.1 302 Found\r\nSet-Cookie: session=abc; Path=/\r\nLocation: /\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 302 Found\r\nSet-Cookie: step=2; Path=/in\r\nLocation: /in/side\r\nContent-Length: 0\r\n\r\n",
            Exchange.response(body: "welcome")
        )
        let peer = try TestPeer(SOCK_STREAM, exchange.behaviour)
        var settings = HTTPProbeSettings(url: try HTTPURL("http://target.test:\(peer.port)/"))
        settings.redirects = 3
        settings.headers = [try #require(HTTPHeader(name: "Cookie", value: "mine=1"))]
        let request = ProbeRequest(
            host: .address(IPAddress(ipv4: 0x7F00_0001)),
            kind: .http(settings),
            timeout: .seconds(60)
        )
        let bench = try ProbeBench()
        let result = await bench.run(request)
        #expect(result.outcome == .success, "\(result.detail)")
        _ = await bench.run(request)
        let cookies = exchange.requests.map { request in
            request.split(separator: "\r\n").filter { $0.hasPrefix("Cookie: ") }.map {
                $0.dropFirst(8).split(separator: "; ").sorted().joined(separator: " ")
            }
        }
        #expect(cookies == [["mine=1"], ["mine=1 session=abc"], ["mine=1 session=abc step=2"], ["mine=1"]])
    }

    @Test("A redirect to another host takes no cookie along") func otherHost() async throws {
        let exchange = Exchange(
            "HTTP/1.1 302 Found\r\nSet-Cookie: a=b\r\nLocation: there\r\nContent-Length: 0\r\n\r\n",
            Exchange.response(body: "ok")
        )
        let peer = try TestPeer(SOCK_STREAM, exchange.behaviour)
        exchange.redirect("there", to: "http://127.0.0.1:\(peer.port)/")
        var settings = HTTPProbeSettings(url: try HTTPURL("http://target.test:\(peer.port)/"))
        settings.redirects = 1
        let host = ProbeHost.address(IPAddress(ipv4: 0x7F00_0001))
        let result = await (try ProbeBench()).run(
            ProbeRequest(host: host, kind: .http(settings), timeout: .seconds(60))
        )
        #expect(result.outcome == .success, "\(result.detail)")
        #expect(exchange.requests.last?.contains("Cookie") == false)
    }
}
