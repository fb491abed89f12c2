// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import Probing
import TestSupport
import Testing

/// Where an http probe goes: redirects, proxies, and what it shows whom.
@Suite(.timeLimit(.minutes(15))) struct HTTPRouteTests {
    static let loopback = IPAddress(ipv4: 0x7F00_0001)
    static let ok = Exchange.response(body: "hello there")

    func request(_ url: String, edit: (inout HTTPProbeSettings) -> Void = { _ in }) throws -> ProbeRequest {
        var settings = HTTPProbeSettings(url: try HTTPURL(url))
        edit(&settings)
        return ProbeRequest(host: .address(Self.loopback), kind: .http(settings), timeout: .seconds(60))
    }

    func redirect(_ status: String, to location: String) -> String {
        Exchange.response(status, ["Location: \(location)"])
    }

    // MARK: Redirects

    @Test("Redirects are followed, and those that are not are the answer") func redirects() async throws {
        let exchange = Exchange(redirect("302 Found", to: "/b"), redirect("301 Moved", to: "c?d"), Self.ok)
        let peer = try TestPeer(SOCK_STREAM, exchange.behaviour)
        let bench = try ProbeBench()
        let result = await bench.run(try request("http://a.test:\(peer.port)/") { $0.redirects = 2 })
        #expect(result.outcome == .success, "\(result.detail)")
        #expect(result.http?.redirects == 2 && result.http?.url == "http://a.test:\(peer.port)/c?d")
        #expect(
            exchange.requests.map { $0.prefix { $0 != "\r\n" } } == [
                "GET / HTTP/1.1", "GET /b HTTP/1.1", "GET /c?d HTTP/1.1",
            ]
        )
        let one = Exchange(redirect("302 Found", to: "/b"))
        let still = try TestPeer(SOCK_STREAM, one.behaviour)
        let answer = await bench.run(try request("http://a.test:\(still.port)/"))
        #expect(answer.reason == .unexpectedStatus && answer.http?.status == 302)
        let found = try #require(HTTPStatusRanges("302"))
        let wanted = await bench.run(try request("http://a.test:\(still.port)/") { $0.expectation.statuses = found })
        #expect(wanted.outcome == .success)
    }

    @Test("too_many_redirects") func loop() async throws {
        let exchange = Exchange(redirect("307 Temporary Redirect", to: "/"))
        let peer = try TestPeer(SOCK_STREAM, exchange.behaviour)
        let bench = try ProbeBench()
        let result = await bench.run(try request("http://a.test:\(peer.port)/") { $0.redirects = 3 })
        #expect(result.reason == .tooManyRedirects)
        #expect(exchange.requests.count == 4)
    }

    @Test("bad_redirect", arguments: ["ftp://a.test/", "file:///etc/passwd", "http://a.test:70000/", "gopher://a/"])
    func otherProtocol(location: String) async throws {
        let peer = try TestPeer(SOCK_STREAM, Exchange(redirect("302 Found", to: location)).behaviour)
        let bench = try ProbeBench()
        let result = await bench.run(try request("http://a.test:\(peer.port)/") { $0.redirects = 3 })
        #expect(result.reason == .badRedirect)
    }

    @Test("A POST becomes a GET after 302 and 303, and stays one after 307") func methods() async throws {
        for (status, method) in [("302 Found", "GET"), ("303 See Other", "GET"), ("307 Temporary Redirect", "POST")] {
            let exchange = Exchange(redirect(status, to: "/b"), Self.ok)
            let peer = try TestPeer(SOCK_STREAM, exchange.behaviour)
            let bench = try ProbeBench()
            let result = await bench.run(
                try request("http://a.test:\(peer.port)/") {
                    $0.redirects = 1
                    $0.method = "POST"
                    $0.body = [0x61]
                }
            )
            #expect(result.outcome == .success)
            #expect(exchange.requests.last?.hasPrefix("\(method) /b ") == true)
            #expect(exchange.requests.last?.hasSuffix("\r\n\r\na") == (method == "POST"))
        }
    }

    @Test("A redirect to another host uses reachd's resolver and sends no credentials")
    func otherHost() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("secret\n", to: "password")
        let second = Exchange(Self.ok)
        let other = try TestPeer(SOCK_STREAM, host: 41, second.behaviour)
        let first = Exchange(redirect("302 Found", to: "http://user:pass@other.test:\(other.port)/x"))
        let peer = try TestPeer(SOCK_STREAM, first.behaviour)
        let bench = try ProbeBench(hosts: "127.0.0.41 other.test\n")
        let cookie = try #require(HTTPHeader(name: "Cookie", value: "secret"))
        let request = try request("http://a.test:\(peer.port)/") {
            $0.redirects = 1
            $0.credentials = .basic(user: "me", passwordFile: file)
            $0.headers = [cookie]
        }
        let result = await bench.run(request)
        #expect(result.outcome == .success, "\(result.detail)")
        #expect(result.http?.url == "http://other.test:\(other.port)/x")
        #expect(result.phases[.resolve] != nil)
        #expect(first.requests.first?.contains("Authorization: Basic bWU6c2VjcmV0\r\n") == true)
        let seen = try #require(second.requests.first)
        #expect(seen.contains("Host: other.test:\(other.port)\r\n"))
        #expect(!seen.contains("Authorization") && !seen.contains("Cookie"))
        let nowhere = try TestPeer(SOCK_STREAM, Exchange(redirect("302 Found", to: "http://nowhere.test/")).behaviour)
        let server = try TestPeer(SOCK_DGRAM, .answers { DNSBytes.answer($0, [], code: 3) })
        let asking = try ProbeBench(dnsPort: server.port)
        let lost = await asking.run(try self.request("http://a.test:\(nowhere.port)/") { $0.redirects = 1 })
        #expect(lost.reason == .nameNotFound)
        let literal = try TestPeer(
            SOCK_STREAM,
            Exchange(redirect("302 Found", to: "http://127.0.0.41:\(other.port)/y")).behaviour
        )
        let direct = await bench.run(try self.request("http://a.test:\(literal.port)/") { $0.redirects = 1 })
        #expect(direct.outcome == .success)
        #expect(second.requests.last?.hasPrefix("GET /y ") == true)
    }

    @Test(
        "Headers of one's own do not follow a redirect to another origin: host, port or scheme, nor from there home",
        arguments: ["host", "port"]
    )
    func otherOrigin(what: String) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("secret\n", to: "token")
        let home = Exchange(redirect("302 Found", to: "/second"), redirect("302 Found", to: "away"), Self.ok)
        let away = Exchange(redirect("302 Found", to: "home"))
        let other = try TestPeer(SOCK_STREAM, host: what == "host" ? 41 : 1, away.behaviour)
        let peer = try TestPeer(SOCK_STREAM, home.behaviour)
        let bench = try ProbeBench(hosts: "127.0.0.41 other.test\n127.0.0.1 a.test\n")
        let host = what == "host" ? "other.test" : "a.test"
        home.redirect("away", to: "http://\(host):\(other.port)/x")
        away.redirect("home", to: "http://a.test:\(peer.port)/back")
        let custom = [
            ("X-Api-Key", "s1"), ("PRIVATE-TOKEN", "s2"), ("Authorization", "s3"), ("Cookie", "s4"),
            ("Accept-Language", "de"), ("User-Agent", "me"),
        ]
        let request = try request("http://a.test:\(peer.port)/") {
            $0.redirects = 3
            $0.headers = custom.compactMap { HTTPHeader(name: $0.0, value: $0.1) }
        }
        let result = await bench.run(request)
        #expect(result.outcome == .success, "\(result.detail)")
        #expect(home.requests.count == 3 && away.requests.count == 1)
        for request in home.requests.prefix(2) {
            for (name, value) in custom { #expect(request.contains("\(name): \(value)\r\n"), "\(request)") }
        }
        for request in away.requests + home.requests.suffix(1) {
            for (name, _) in custom.prefix(4) { #expect(!request.contains(name), "\(request)") }
            #expect(request.contains("Accept-Language: de\r\n") && request.contains("User-Agent: me\r\n"))
        }
        // Credentials as such, too.
        let again = Exchange(redirect("302 Found", to: "away"))
        let start = try TestPeer(SOCK_STREAM, again.behaviour)
        again.redirect("away", to: "http://\(host):\(other.port)/x")
        away.redirect("home", to: "http://a.test:\(peer.port)/back")
        let shown = await bench.run(
            try self.request("http://a.test:\(start.port)/") {
                $0.redirects = 2
                $0.credentials = .bearer(tokenFile: file)
            }
        )
        #expect(shown.outcome == .success, "\(shown.detail)")
        #expect(again.requests.first?.contains("Authorization: Bearer secret\r\n") == true)
        for request in away.requests + home.requests.suffix(1) { #expect(!request.contains("secret")) }
    }

    @Test("The deadline ends a redirect's look-up") func slowLookUp() async throws {
        let clock = ManualClock()
        let server = try TestPeer(SOCK_DGRAM, .silent)
        let peer = try TestPeer(
            SOCK_STREAM,
            .answers { _ in Array("HTTP/1.1 302 Found\r\nLocation: http://b.test/\r\nContent-Length: 0\r\n\r\n".utf8) }
        )
        let bench = try ProbeBench(clock: clock, dnsPort: server.port)
        let results = bench.begin(try request("http://a.test:\(peer.port)/") { $0.redirects = 1 })
        bench.onLoop { _ in clock.advance(by: 60_000_000_000) }
        let result = try await results.next()
        #expect([.nameTimeout, .timeout].contains(result.reason))
        #expect(bench.runsInFlight == 0)
    }

    // MARK: Credentials

    @Test("Passwords and tokens come from files, anew when they change; credentials_unavailable")
    func credentials() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("first\n", to: "token")
        let exchange = Exchange(Self.ok)
        let peer = try TestPeer(SOCK_STREAM, exchange.behaviour)
        let bench = try ProbeBench()
        let bearer = try request("http://a.test:\(peer.port)/") { $0.credentials = .bearer(tokenFile: file) }
        #expect(await bench.run(bearer).outcome == .success)
        try folder.replace("second", at: "token")
        #expect(await bench.run(bearer).outcome == .success)
        let tokens = exchange.requests.compactMap { head in
            head.split(separator: "\r\n").first { $0.hasPrefix("Authorization: ") }.map(String.init)
        }
        #expect(tokens == ["Authorization: Bearer first", "Authorization: Bearer second"])
        for bad in ["a\nb\n", "", "\u{1}"] {
            try folder.replace(bad, at: "token")
            let result = await bench.run(bearer)
            #expect(result.reason == .credentialsUnavailable && !result.detail.contains("second"))
        }
        for path in [folder.path, folder.path(of: "none"), "/dev/zero"] {
            let request = try request("http://a.test:\(peer.port)/") {
                $0.credentials = .basic(user: "a", passwordFile: path)
            }
            #expect(await bench.run(request).reason == .credentialsUnavailable)
        }
    }

    // MARK: Proxies

    @Test("A proxy gets the whole URL, and its name is the one that is resolved") func proxy() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("secret\n", to: "password")
        let exchange = Exchange(Self.ok)
        let peer = try TestPeer(SOCK_STREAM, host: 51, exchange.behaviour)
        let bench = try ProbeBench(hosts: "127.0.0.51 proxy.test\n")
        var request = try request("http://nowhere.test/a") {
            $0.proxy = HTTPProxy(host: .name("proxy.test"), port: peer.port, user: "me", passwordFile: file)
        }
        request.host = .name("nowhere.test")
        let result = await bench.run(request)
        #expect(result.outcome == .success, "\(result.detail)")
        #expect(result.address == IPAddress("127.0.0.51") && result.http?.url == "http://nowhere.test/a")
        let head = try #require(exchange.requests.first)
        #expect(head.hasPrefix("GET http://nowhere.test/a HTTP/1.1\r\nHost: nowhere.test\r\n"))
        #expect(head.contains("Proxy-Authorization: Basic bWU6c2VjcmV0\r\n"))
    }

    @Test("proxy_failed") func proxyFails() async throws {
        let bench = try ProbeBench()
        let bound = try TestPeer(SOCK_DGRAM, host: 78, .silent)
        let refusing = try request("http://a.test/") {
            $0.proxy = HTTPProxy(host: .address(IPAddress(ipv4: 0x7F00_004E)), port: bound.port)
        }
        #expect(await bench.run(refusing).reason == .proxyFailed)
        let exchange = Exchange(Exchange.response("403 Forbidden"))
        let peer = try TestPeer(SOCK_STREAM, exchange.behaviour)
        let forbidding = try request("https://a.test/") {
            $0.proxy = HTTPProxy(host: .address(Self.loopback), port: peer.port)
        }
        let result = await bench.run(forbidding)
        #expect(result.reason == .proxyFailed, "\(result.detail)")
        #expect(exchange.requests.first?.hasPrefix("CONNECT a.test:443 HTTP/1.1\r\n") == true)
        // A proxy that answers is no sign of the target.
        var negative = forbidding
        negative.expectsFailure = true
        #expect(await bench.run(negative).reason == .proxyFailed)
    }

    @Test("The proxy of the environment is not used") func environment() async {
        await #expect(processExitsWith: .success) {
            _ = unsafe setenv("http_proxy", "http://127.0.0.1:1/", 1)
            let peer = try TestPeer(SOCK_STREAM, Exchange(Exchange.response()).behaviour)
            let bench = try ProbeBench()
            let url = try HTTPURL("http://127.0.0.1:\(peer.port)/")
            let request = ProbeRequest(
                host: .address(IPAddress(ipv4: 0x7F00_0001)),
                kind: .http(HTTPProbeSettings(url: url))
            )
            guard await bench.run(request).outcome == .success else { exit(1) }
        }
    }
}
