// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import Probing
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct HTTPProbeTests {
    static let loopback = IPAddress(ipv4: 0x7F00_0001)

    func request(_ url: String, edit: (inout HTTPProbeSettings) -> Void = { _ in }) throws -> ProbeRequest {
        var settings = HTTPProbeSettings(url: try HTTPURL(url))
        edit(&settings)
        return ProbeRequest(host: .address(Self.loopback), kind: .http(settings), timeout: .seconds(60))
    }

    func run(
        _ exchange: Exchange,
        _ path: String = "/",
        hosts: String = "",
        edit: @escaping (inout HTTPProbeSettings) -> Void = { _ in }
    ) async throws -> ProbeResult {
        let peer = try TestPeer(SOCK_STREAM, exchange.behaviour)
        let bench = try ProbeBench(hosts: hosts)
        return await bench.run(try request("http://target.test:\(peer.port)\(path)", edit: edit))
    }

    static let ok = Exchange.response(body: "hello there")

    @Test("A GET and its answer") func get() async throws {
        let exchange = Exchange(Exchange.response("200 OK", ["Content-Type: text/plain"], body: "hello there"))
        let result = try await run(exchange, "/a?b=c")
        #expect(result.outcome == .success, "\(result.detail)")
        let answer = try #require(result.http)
        #expect(answer.status == 200 && answer.version == "1.1" && answer.bodySize == 11 && answer.isBodyComplete)
        #expect(answer.contentType == "text/plain" && answer.redirects == 0)
        #expect(answer.url.hasPrefix("http://target.test:") && answer.url.hasSuffix("/a?b=c"))
        #expect(result.addresses.first?.answers.first(HTTPAnswer.self) == answer)
        #expect(Set(result.phases.keys) == [.connect, .request, .transfer])
        let head = try #require(exchange.requests.first)
        #expect(head.hasPrefix("GET /a?b=c HTTP/1.1\r\nHost: target.test:"))
        #expect(head.contains("\r\nUser-Agent: reachd\r\n") && head.contains("\r\nAccept-Encoding: "))
    }

    @Test("Method, headers and body as they are given") func post() async throws {
        let exchange = Exchange(Self.ok)
        let header = try #require(HTTPHeader(name: "X-Test", value: "a b"))
        let agent = try #require(HTTPHeader(name: "User-Agent", value: "me"))
        let result = try await run(exchange) {
            $0.method = "REPORT"
            $0.headers = [header, agent]
            $0.body = Array("{}\0".utf8)
            $0.acceptsCompression = false
            $0.version = .http1
        }
        #expect(result.outcome == .success, "\(result.detail)")
        let head = try #require(exchange.requests.first)
        #expect(head.hasPrefix("REPORT / HTTP/1.1\r\n") && head.hasSuffix("\r\n\r\n{}\0"))
        #expect(head.contains("X-Test: a b\r\n") && head.contains("User-Agent: me\r\n"))
        for absent in ["reachd", "Accept-Encoding", "Expect", "Content-Type"] { #expect(!head.contains(absent)) }
    }

    @Test("HEAD; PUT without a body; an unknown method") func methods() async throws {
        let exchange = Exchange("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n")
        let result = try await run(exchange) { $0.method = "HEAD" }
        #expect(result.outcome == .success && result.http?.bodySize == 0)
        #expect(exchange.requests.first?.hasPrefix("HEAD / ") == true)
        let put = Exchange(Self.ok)
        #expect(try await run(put) { $0.method = "PUT" }.outcome == .success)
        #expect(put.requests.first?.contains("Content-Length: 0\r\n") == true)
        #expect(try await run(put) { $0.method = "GET /x HTTP/1.1\r\nA:" }.reason == .invalidRequest)
    }

    @Test("unexpected_status") func status() async throws {
        let exchange = Exchange(Exchange.response("503 Service Unavailable"))
        let result = try await run(exchange)
        #expect(result.outcome == .failure && result.reason == .unexpectedStatus && result.http?.status == 503)
        let wanted = try #require(HTTPStatusRanges("503"))
        #expect(try await run(exchange) { $0.expectation.statuses = wanted }.outcome == .success)
    }

    @Test("unexpected_header") func headers() async throws {
        let exchange = Exchange(Exchange.response("200 OK", ["X-State: fine", "x-state: Better"]))
        let pattern = try ProbePattern("^better$")
        let insensitive = try ProbePattern("(?i)^better$")
        #expect(
            try await run(exchange) { $0.expectation.headers = [.init("X-STATE", .matches(insensitive))] }.outcome
                == .success
        )
        let conditions: [HTTPHeaderExpectation.Condition] = [.absent, .matches(pattern), .doesNotMatch(insensitive)]
        for condition in conditions {
            let result = try await run(exchange) { $0.expectation.headers = [.init("x-state", condition)] }
            #expect(result.reason == .unexpectedHeader, "\(condition)")
        }
    }

    @Test("unexpected_body") func body() async throws {
        let exchange = Exchange(Self.ok)
        let there = try ProbePattern("there$")
        let good: [HTTPBodyExpectation] = [.contains("hello"), .matches(there), .doesNotContain("error")]
        #expect(try await run(exchange) { $0.expectation.body = good }.outcome == .success)
        for bad in [HTTPBodyExpectation.contains("error"), .doesNotContain("hello"), .doesNotMatch(there)] {
            #expect(try await run(exchange) { $0.expectation.body = [bad] }.reason == .unexpectedBody)
        }
    }

    @Test("unexpected_json") func json() async throws {
        let exchange = Exchange(Exchange.response(body: #"{"status":"up","nodes":[{"load":0.5}]}"#))
        let load = try JSONPath("$.nodes[0].load")
        let good = JSONExpectation(load, .compares(.less, .number(1)))
        #expect(try await run(exchange) { $0.expectation.json = [good] }.outcome == .success)
        let bad = JSONExpectation(load, .compares(.greaterOrEqual, .number(1)))
        let result = try await run(exchange) { $0.expectation.json = [good, bad] }
        #expect(result.reason == .unexpectedJSON && result.detail == "$.nodes[0].load is 0.5, not >= 1")
        let text = Exchange(Self.ok)
        #expect(try await run(text) { $0.expectation.json = [good] }.reason == .unexpectedJSON)
    }

    @Test("A body is read up to the limit; body_too_large if that is to be a failure") func bodyLimit() async throws {
        let piece = "HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "a", count: 16 << 10)
        let peer = try TestPeer(SOCK_STREAM, .floods(Array(piece.utf8)))
        let bench = try ProbeBench()
        let url = "http://target.test:\(peer.port)/"
        let result = await bench.run(try request(url) { $0.bodyLimit = 100_000 })
        #expect(result.outcome == .success, "\(result.detail)")
        #expect(result.http?.bodySize == 100_000 && result.http?.isBodyComplete == false)
        let text = await bench.run(try request(url) { $0.expectation.body = [.contains("aaa")] })
        #expect(text.outcome == .success && text.http?.bodySize == 1 << 20)
        let strict = await bench.run(try request(url) { $0.expectation.refusesLargerBody = true })
        #expect(strict.reason == .bodyTooLarge)
        let exact = Exchange(Self.ok)
        #expect(
            try await run(exact) {
                $0.bodyLimit = 11
                $0.expectation.refusesLargerBody = true
            }.outcome == .success
        )
    }

    @Test(
        "headers_too_large",
        arguments: [
            "HTTP/1.1 100 Continue\r\n\r\n",
            "HTTP/1.1 200 OK\r\n" + String(repeating: "a: b\r\n", count: 20_000),
            "HTTP/1.1 200 OK\r\nX: " + String(repeating: "a", count: 300_000),
        ]
    ) func headerLimit(text: String) async throws {
        let peer = try TestPeer(SOCK_STREAM, .floods(Array(text.utf8)))
        let bench = try ProbeBench()
        let result = await bench.run(try request("http://target.test:\(peer.port)/"))
        #expect(result.reason == .headersTooLarge, "\(result.detail)")
    }

    @Test(
        "http_protocol_error",
        arguments: [
            "220 mail.test ESMTP\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/9.9 200 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        ]
    ) func protocolError(text: String) async throws {
        let result = try await run(Exchange(text))
        #expect(result.reason == .httpProtocolError, "\(String(describing: result.reason)) \(result.detail)")
    }

    @Test("HTTP/2 from the first byte, and a server that does not speak it") func priorKnowledge() async throws {
        let script = HTTP2Script(
            HTTP2Script.headers([(":status", "200"), ("content-type", "text/plain")], ends: false)
                + HTTP2Script.data(Array("hello".utf8), ends: true)
        )
        let peer = try TestPeer(SOCK_STREAM, script.behaviour)
        let bench = try ProbeBench()
        let result = await bench.run(try request("http://target.test:\(peer.port)/") { $0.version = .http2 })
        #expect(result.outcome == .success, "\(result.detail)")
        #expect(result.http?.version == "2" && result.http?.bodySize == 5)
        let old = try await run(Exchange(Self.ok)) { $0.version = .http2 }
        #expect(old.reason == .httpProtocolError, "\(String(describing: old.reason)) \(old.detail)")
    }

    @Test("connect_refused, connection_reset, connection_closed") func connections() async throws {
        let bench = try ProbeBench()
        let bound = try TestPeer(SOCK_DGRAM, host: 77, .silent)
        var refused = try request("http://127.0.0.77:\(bound.port)/")
        refused.host = .address(IPAddress(ipv4: 0x7F00_004D))
        #expect(await bench.run(refused).reason == .connectRefused)
        for (behaviour, reason) in [
            (TestPeer.Behaviour.resets, ProbeReason.connectionReset), (.saysAndCloses([]), .connectionClosed),
            (.halfCloses, .connectionClosed),
            (.saysAndCloses(Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello".utf8)), .connectionClosed),
        ] {
            let peer = try TestPeer(SOCK_STREAM, behaviour)
            let result = await bench.run(try request("http://target.test:\(peer.port)/"))
            // A connection that is closed with our request unread is reset.
            let isReset = reason == .connectionClosed && result.reason == .connectionReset
            #expect(result.reason == reason || isReset, "\(behaviour): \(result.detail)")
        }
    }

    @Test("connection_reset in a body that its connection ends, which libcurl takes for its end")
    func resetBody() async throws {
        let bench = try ProbeBench()
        let peer = try TestPeer(SOCK_STREAM, .answersAndResets(Array("HTTP/1.1 200 OK\r\n\r\nhello".utf8)))
        let result = await bench.run(try request("http://target.test:\(peer.port)/"))
        #expect(result.outcome == .failure && result.reason == .connectionReset, "\(result.detail)")
    }

    @Test("source_unavailable, interface_not_found; IPv6; the requested source") func origin() async throws {
        let exchange = Exchange(Self.ok)
        let peer = try TestPeer(SOCK_STREAM, isIPv6: true, exchange.behaviour)
        let bench = try ProbeBench()
        var request = try request("http://[::1]:\(peer.port)/")
        request.host = .address(IPAddress(ipv6High: 0, low: 1))
        #expect(await bench.run(request).outcome == .success)
        #expect(exchange.requests.first?.contains("Host: [::1]:\(peer.port)") == true)
        request.interface = "none0"
        #expect(await bench.run(request).reason == .interfaceNotFound)
        request.interface = "lo"
        #expect(await bench.run(request).outcome == .success)
        request.interface = nil
        request.source = IPAddress("2001:db8::1")
        #expect(await bench.run(request).reason == .sourceUnavailable)
    }

    @Test("Time limits", arguments: ["http", "https"]) func timeouts(scheme: String) async throws {
        let clock = ManualClock()
        let silent = try TestPeer(SOCK_STREAM, .silent)
        let bench = try ProbeBench(clock: clock)
        for expectsFailure in [false, true] {
            var request = try request("\(scheme)://target.test:\(silent.port)/")
            request.expectsFailure = expectsFailure
            let results = bench.begin(request)
            // The connection is made within a few turns; the clock stands still until then.
            for _ in 0..<100 {
                bench.onLoop { _ in }
                silent.settle()
            }
            bench.onLoop { _ in clock.advance(by: 60_000_000_000) }
            let result = try await results.next()
            let words = scheme == "http" ? "connected, but no response" : "connected, but the TLS handshake"
            #expect(result.detail.contains(words), "\(result.detail)")
            #expect(result.reason == (expectsFailure ? .unexpectedlyReachable : .timeout))
            #expect(result.phases[.connect] != nil)
        }
    }

    @Test("With reachable: false, an accepted connection is a failure") func negative() async throws {
        let peer = try TestPeer(SOCK_STREAM, .saysAndCloses([]))
        let bench = try ProbeBench()
        var request = try request("http://target.test:\(peer.port)/")
        request.expectsFailure = true
        #expect(await bench.run(request).reason == .unexpectedlyReachable)
    }
}
