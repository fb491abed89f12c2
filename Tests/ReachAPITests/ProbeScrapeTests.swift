// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import NetworkPaths
import Synchronization
import Testing

import struct HTTPServer.HTTPHeader

@testable import Probing
@testable import ReachAPI

@Suite("One probe for a scrape") struct ProbeScrapeTests {
    private func fixture() throws -> Fixture {
        let fixture = Fixture(hasProbes: true)
        let placeholder = try HTTPURL("http://target.invalid/")
        fixture.handler.apply([
            Self.module("http_2xx", .http(HTTPProbeSettings(url: placeholder))),
            Self.module("tcp", .tcp(TCPProbeSettings(port: 1))),
            Self.module("ssh", .tcp(TCPProbeSettings(port: 22)), hasPort: true),
            Self.module("icmp", .icmp(ICMPProbeSettings())),
            Self.module("dns", .dns(DNSProbeSettings(name: "example.org"))),
            Self.module("tls", .tls(TLSProbeSettings(port: 1))),
            Self.module("patient", .icmp(ICMPProbeSettings()), hasTimeout: false),
            Self.module("long", .icmp(ICMPProbeSettings()), timeout: .seconds(600)),
        ])
        return fixture
    }

    private static func module(
        _ name: String,
        _ kind: ProbeKind,
        timeout: Duration = .seconds(5),
        hasPort: Bool = false,
        hasTimeout: Bool = true
    ) -> ProbeModule {
        let template = ProbeRequest(host: .name("target.invalid"), kind: kind, timeout: timeout)
        return ProbeModule(name: name, template: template, hasPort: hasPort, hasTimeout: hasTimeout)
    }

    private func asked(_ fixture: Fixture) -> [ProbeRequest] {
        fixture.probes.state.withLock { $0.asked.map(\.request) }
    }

    /// What the client gets in the end, its head included.
    private func text(_ response: HTTPResponse) -> String {
        guard case .deferred = response.body else { return "no late answer: \(response.status)" }
        guard let late = response.late else { return "not over" }
        let fields = late.headers.map { "\($0.name): \($0.value)\r\n" }.joined()
        return "\(late.status)\r\n\(fields)\r\n\(late.text)"
    }

    @Test("a target is probed with the module, and the metrics have blackbox_exporter's names")
    func result() throws {
        let fixture = try fixture()
        let late = fixture.respond("/api/v1/probe?target=https%3A%2F%2Fexample.org%2Fa%3Fb%3Dc")
        #expect(text(late) == "not over")
        let request = try #require(asked(fixture).first)
        guard case .http(let settings) = request.kind else { return #expect(Bool(false)) }
        #expect(settings.url.description == "https://example.org/a?b=c" && request.host == .name("example.org"))
        fixture.probes.answer(.rich)
        let answer = text(late)
        #expect(
            answer.hasPrefix("200\r\n") && answer.contains("\r\nContent-Type: text/plain; version=0.0.4")
        )
        let bytes = Array(answer.utf8)
        let end = try #require(bytes.indices.first { bytes[$0...].starts(with: "\r\n\r\n".utf8) })
        let exposition = Exposition(Array(bytes[(end + 4)...]))
        #expect(exposition.faults == [])
        #expect(exposition.value("probe_success") == "1" && exposition.value("probe_http_status_code") == "503")
        #expect(exposition.samples.allSatisfy { $0.labels["target"] == nil && $0.name.hasPrefix("probe_") })
        #expect(fixture.respond("/metrics").text.contains("reachd_probe_scrapes_total{result=\"success\"} 1\n"))
    }

    @Test("OpenMetrics and plain text")
    func forms() throws {
        let fixture = try fixture()
        let open = fixture.respond(
            "/probe?target=192.0.2.1:80&module=tcp",
            headers: [HTTPHeader("Accept", "application/openmetrics-text")]
        )
        let debug = fixture.respond("/probe?target=192.0.2.1:80&module=tcp&debug=true")
        fixture.probes.answer(.failure(.connectRefused, "nobody there"))
        let answer = text(open)
        #expect(answer.hasSuffix("# EOF\n") && answer.contains("openmetrics-text; version=1.0.0"))
        #expect(answer.contains("\nprobe_success 0\n"))
        let words = text(debug)
        #expect(
            words.contains("reason: connect_refused\ndetail: nobody there\n") && words.contains("\nprobe_success 0\n")
        )
        #expect(words.contains("Content-Type: text/plain; charset=utf-8\r\n"))
    }

    @Test(
        "requests that modules build from a target",
        arguments: [
            ("tcp", "192.0.2.1:80", "192.0.2.1", 80), ("tcp", "[2001:db8::1]:443", "2001:db8::1", 443),
            ("tcp", "host.example.org:1", "host.example.org", 1), ("ssh", "host", "host", 22),
            ("ssh", "host:2222", "host", 2222),
            ("ssh", "2001:db8::1", "2001:db8::1", 22), ("dns", "192.0.2.53", "192.0.2.53", 53),
            ("dns", "192.0.2.53:5353", "192.0.2.53", 5353), ("icmp", "192.0.2.1", "192.0.2.1", nil),
            ("http_2xx", "example.org", "example.org", 80), ("http_2xx", "example.org:8080", "example.org", 8080),
            ("http_2xx", "https://[2001:db8::1]/", "2001:db8::1", 443), ("tls", "example.org:443", "example.org", 443),
        ] as [(String, String, String, UInt16?)]
    )
    func targets(module: String, target: String, host: String, port: UInt16?) throws {
        let fixture = try fixture()
        _ = fixture.respond(
            "/probe?module=\(module)&target=\(target.replacing("[", with: "%5B").replacing("]", with: "%5D"))"
        )
        let request = try #require(asked(fixture).first)
        #expect("\(request.host)" == host)
        #expect(request.kind.port == port)
    }

    @Test(
        "a target without a scheme is http, whatever follows the host",
        arguments: [
            ("127.0.0.1:8601/json", "http://127.0.0.1:8601/json", "127.0.0.1"),
            ("localhost/x", "http://localhost/x", "localhost"), ("example.org/", "http://example.org/", "example.org"),
            ("example.org%3Fx=1", "http://example.org/?x=1", "example.org"),
            ("example.org:81%23top", "http://example.org:81/", "example.org"),
            ("%5B::1%5D:8080/x%3Fy", "http://[::1]:8080/x?y", "::1"),
            ("%5B2001:db8::1%5D/x", "http://[2001:db8::1]/x", "2001:db8::1"),
            // A URL that is handed on makes no scheme of what is before it.
            ("a/go%3Fto=https://b/", "http://a/go?to=https://b/", "a"),
            ("a%3Fto=https://b/", "http://a/?to=https://b/", "a"), ("a/https://b/", "http://a/https://b/", "a"),
            // Whom to ask is the URL's host, as what asks has it: it is this address that the policy judges.
            ("0x7f000001/x", "http://127.0.0.1/x", "127.0.0.1"),
            ("HTTPS://example.org/x", "https://example.org/x", "example.org"),
        ]
    )
    func schemeless(target: String, url: String, host: String) throws {
        let fixture = try fixture()
        #expect(fixture.respond("/probe?target=\(target)").status == 200)
        let request = try #require(asked(fixture).first)
        guard case .http(let settings) = request.kind else { return #expect(Bool(false)) }
        #expect(settings.url.description == url && "\(request.host)" == host)
    }

    @Test("a path is refused for modules other than http", arguments: ["tcp", "tls", "dns", "icmp"])
    func pathless(module: String) throws {
        let fixture = try fixture()
        for target in ["192.0.2.1:80/a", "example.org/a", "example.org%3Fa", "example.org:1%23a"] {
            let response = fixture.respond("/probe?module=\(module)&target=\(target)")
            #expect(response.status == 400, "\(target)")
            #expect(response.text.contains("It has a path, a query or a fragment, which require a scheme"), "\(target)")
        }
        #expect(asked(fixture).isEmpty)
    }

    @Test(
        "an invalid target is refused",
        arguments: [
            "target=", "module=tcp", "target=a:0&module=tcp", "target=a:65536&module=tcp", "target=a:b&module=tcp",
            "target=a&module=tcp", "target=a:1&module=icmp", "target=http://a/&module=tcp", "target=ftp://a/",
            "target=http://user:secret@a/", "target=a..b:1&module=tcp", "target=-%20:1&module=tcp",
            "target=%5B::1&module=ssh",
            "target=%5B::1%5Dx&module=ssh", "target=a&target=b",
            "target=a&x=1",
            "target=a&debug=perhaps", "target=a%2Fb&module=ssh", "target=a@b&module=ssh", "target=a&hostname=a%20b",
            "target=a&hostname=a/b", "target=user:secret@a/b", "target=a:0/b", "target=a:b/c", "target=/a",
            "target=//a/b", "target=%3Fa", "target=%23a",
            "target=a..b/c", "target=%5B::1/a", "target=2001:db8::1/a", "target=a%20b/c", "target=a%5Cb/c",
            "target=://a",
            "target=%5Ba%5D/b", "target=a:1/b&module=tls", "target=a%3Fb&module=dns", "target=a%23b&module=icmp",
            "target=a:1/?u=http://b/&module=tcp",
        ]
    )
    func refused(query: String) throws {
        let fixture = try fixture()
        #expect(fixture.respond("/probe?" + query).status == 400)
        #expect(asked(fixture).isEmpty)
        #expect(fixture.respond("/probe?target=" + String(repeating: "a", count: 3_000)).status == 400)
    }

    @Test("no probe is sent when the configuration declares no modules")
    func closed() throws {
        let fixture = Fixture(hasProbes: true)
        let response = fixture.respond("/probe?target=example.org")
        #expect(response.status == 404 && response.text.contains("probe_modules"))
        try Self.fixtureModules(fixture)
        #expect(fixture.respond("/probe?target=example.org").status == 200)
        for name in ["none", "", "http_2x"] {
            let unknown = fixture.respond("/probe?target=example.org&module=\(name)")
            #expect(unknown.status == 404 && unknown.text.contains("urn:reachd:problem:unknown_module"))
            #expect(unknown.text.contains("http_2xx") == (name == "http_2x"))
        }
        fixture.handler.apply([])
        #expect(fixture.respond("/probe?target=example.org").status == 404)
    }

    private static func fixtureModules(_ fixture: Fixture) throws {
        fixture.handler.apply([module("http_2xx", .http(HTTPProbeSettings(url: try HTTPURL("http://target.invalid/"))))]
        )
    }

    @Test("a target that the policy denies is 403, and so is a request from a page of another site")
    func denied() throws {
        let fixture = try fixture()
        let late = fixture.respond("/probe?target=169.254.169.254")
        fixture.probes.answer(.failure(.targetDenied, "169.254.169.254 is not asked: it is closed"))
        #expect(text(late).hasPrefix("403\r\n") && text(late) == "not over")
        for header in [HTTPHeader("Origin", "https://evil.example"), HTTPHeader("Sec-Fetch-Site", "cross-site")] {
            #expect(fixture.respond("/probe?target=192.0.2.1", headers: [header]).status == 403)
        }
        #expect(asked(fixture).isEmpty)
        // Who is elsewhere may read, and a scraper is.
        #expect(fixture.respond("/probe?target=192.0.2.1", peer: "192.0.2.9:4711").status == 200)
    }

    @Test(
        "the probe ends before the scraper's timeout, and at the module's timeout if it has one",
        arguments: [
            ("http_2xx", nil, 5_000), ("http_2xx", "10", 5_000), ("http_2xx", "3", 2_500), ("http_2xx", "0.8", 400),
            ("http_2xx", "1.000000", 500), ("http_2xx", "1e1", 5_000), ("http_2xx", "0", nil), ("http_2xx", "-1", nil),
            ("http_2xx", "nan", nil), ("http_2xx", "x", nil), ("http_2xx", "1e300", nil), ("patient", nil, 119_500),
            ("patient", "10", 9_500), ("patient", "300", 299_500), ("patient", "0.8", 400),
            ("patient", "86400", 3_600_000), ("patient", "0", nil), ("patient", "x", nil), ("long", nil, 119_500),
            ("long", "10", 9_500), ("long", "1000", 600_000),
        ] as [(String, String?, Int?)]
    )
    func timeout(module: String, header: String?, milliseconds: Int?) throws {
        let fixture = try fixture()
        let fields = header.map { [HTTPHeader("X-Prometheus-Scrape-Timeout-Seconds", $0)] } ?? []
        let response = fixture.respond("/probe?target=a&module=\(module)", headers: fields)
        #expect(response.status == (milliseconds == nil ? 400 : 200))
        #expect(asked(fixture).first?.timeout == milliseconds.map { .milliseconds($0) })
    }

    @Test("hostname sets the Host field and the TLS server name")
    func hostname() throws {
        let fixture = try fixture()
        _ = fixture.respond("/probe?target=192.0.2.1&hostname=shop.example.org")
        _ = fixture.respond("/probe?target=192.0.2.1:443&hostname=shop.example.org&module=tls")
        let requests = asked(fixture)
        guard requests.count == 2, case .http(let http) = requests[0].kind, case .tls(let tls) = requests[1].kind else {
            return #expect(Bool(false))
        }
        #expect(http.headers.map(\.line) == ["Host: shop.example.org"] && http.tls.serverName == "shop.example.org")
        #expect(tls.tls.serverName == "shop.example.org")
    }

    @Test("an empty hostname is ignored")
    func emptyHostname() throws {
        let fixture = try fixture()
        #expect(fixture.respond("/probe?target=a&hostname=").status == 200)
        guard case .http(let http)? = asked(fixture).first?.kind else { return #expect(Bool(false)) }
        #expect(http.headers.isEmpty && http.tls.serverName == nil)
    }

    @Test("concurrent probes are limited, and HEAD sends no probe")
    func bounded() throws {
        let fixture = try fixture()
        #expect(fixture.respond("/probe?target=a", method: "HEAD").status == 200)
        #expect(asked(fixture).isEmpty)
        for _ in 0..<ProbeScrapes.limit { #expect(fixture.respond("/probe?target=a").status == 200) }
        let refused = fixture.respond("/probe?target=a")
        #expect(refused.status == 503 && refused.header("Retry-After") == "1")
        fixture.probes.answer(.success)
        #expect(fixture.respond("/probe?target=a").status == 200)
        let counts = fixture.handler.probeScrapes.counts
        #expect(counts.inFlight == 1 && counts.successes == UInt64(ProbeScrapes.limit) && counts.overloads == 1)
        // The service ends.
        fixture.probes.answer(nil)
        #expect(fixture.handler.probeScrapes.counts.inFlight == 0)
    }

    @Test("the response of the gRPC health service")
    func grpc() {
        let request = ProbeRequest(host: .name("a"), kind: .grpc(GRPCProbeSettings(port: 1)))
        func sample(_ reason: ProbeReason?) -> ProbeSample {
            let result = reason.map { ProbeResult.failure($0) } ?? .success
            return ProbeSample(labels: [], request: request, result: result)
        }
        #expect(sample(nil).grpcStatus == 0 && sample(nil).servingStatus == "SERVING")
        #expect(sample(.grpcNotServing).grpcStatus == 0 && sample(.grpcNotServing).servingStatus == "NOT_SERVING")
        #expect(sample(.grpcServiceUnknown).grpcStatus == 5 && sample(.grpcUnimplemented).grpcStatus == 12)
        #expect(sample(.timeout).grpcStatus == 4 && sample(.connectRefused).grpcStatus == 14)
        #expect(sample(.connectRefused).servingStatus == "UNKNOWN")
    }
}
