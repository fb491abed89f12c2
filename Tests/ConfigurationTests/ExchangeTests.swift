// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import NetworkPaths
import Probing
import Schema
import ServerTrust
import Testing

@testable import Configuration

@Suite("Probes by TLS, HTTP and gRPC in the configuration") struct ExchangeTests {
    private struct Other: Error {}

    private func kind(_ probe: String, target: String = "host: a, port: 443") throws -> ProbeKind {
        let settings = try #require(try load("targets: [{\(target), probe: {\(probe)}}]").targets.first)
        guard case .ask(let request)? = settings.probe?.method else { throw Other() }
        return request.kind
    }

    private func http(_ probe: String, target: String = "host: a") throws -> HTTPProbeSettings {
        guard case .http(let settings) = try kind("type: http, " + probe, target: target) else { throw Other() }
        return settings
    }

    @Test("TLS from the start, after STARTTLS, and with all its settings")
    func tls() throws {
        #expect(try kind("type: tls", target: "host: a") == .tls(TLSProbeSettings(port: 443)))
        #expect(
            try kind("type: tls, port: 143, starttls: imap")
                == .tls(TLSProbeSettings(port: 143, startTLS: .imap))
        )
        var settings = TLSSettings()
        settings.serverName = "b.example"
        settings.authorityFile = "/ca"
        settings.certificateFile = "/cert"
        settings.keyFile = "/key"
        settings.policy = .permissive
        settings.policy.allowsWeakCertificates = true
        settings.minimumVersion = .tls10
        settings.maximumVersion = .tls12
        settings.applicationProtocols = ["h2", "http/1.1"]
        let text =
            "tls: {server_name: b.example, ca_file: /ca, cert_file: /cert, key_file: /key, insecure_skip_verify: true, "
            + "min_version: 1.0, max_version: '1.2', alpn: [h2, http/1.1]}"
        #expect(
            try kind("type: tls, \(text), dialogue: [{send: a}]")
                == .tls(TLSProbeSettings(port: 443, tls: settings, dialogue: [.send("a")]))
        )
        #expect(
            try kind("type: tcp, port: 25, starttls: smtp, \(text)")
                == .tcp(TCPProbeSettings(port: 25, startTLS: StartTLS(.smtp, tls: settings)))
        )
    }

    @Test("gRPC")
    func grpc() throws {
        #expect(try kind("type: grpc") == .grpc(GRPCProbeSettings(port: 443)))
        let header = try #require(HTTPHeader(name: "x-a", value: "b"))
        #expect(
            try kind("type: grpc, port: 1, service: a.B, authority: c, headers: {x-a: b}, tls: {}")
                == .grpc(
                    GRPCProbeSettings(port: 1, tls: TLSSettings(), service: "a.B", metadata: [header], authority: "c")
                )
        )
    }

    @Test(
        "sources of a URL",
        arguments: [
            ("", "host: a", "http://a/"), ("", "host: a, port: 8080", "http://a:8080/"),
            ("tls: {}", "host: a", "https://a/"), ("port: 81", "host: a, port: 80", "http://a:81/"),
            ("", "address: '2001:db8::1', port: 8080", "http://[2001:db8::1]:8080/"),
            ("url: 'https://b:8443/c?d=e'", "host: a, port: 1", "https://b:8443/c?d=e"),
        ] as [(String, String, String)]
    )
    func urls(probe: String, target: String, url: String) throws {
        #expect(try http(probe, target: target).url == (try HTTPURL(url)))
    }

    @Test("a URL can declare the target")
    func urlHost() throws {
        let configuration = try load(
            """
            targets:
              - probe: {type: http, url: "https://Shop.example.org/health"}
              - probe: {type: http, url: "http://192.0.2.7:8080/"}
            """
        )
        #expect(configuration.targets.map { $0.id.lowercased() } == ["shop.example.org", "192.0.2.7"])
        #expect(
            configuration.targets.last?.request.target
                == .address(try #require(IPAddress("192.0.2.7")), interface: nil)
        )
        #expect(try http("url: 'http://a/\(String(repeating: "x", count: 2000))'").url.description.utf8.count > 2000)
    }

    @Test("settings of the HTTP request")
    func request() throws {
        #expect(try http("") == HTTPProbeSettings(url: HTTPURL("http://a/")))
        let settings = try http(
            "method: POST, headers: {B: c, A: d}, body: hello, http_version: '2', redirects: 3, compression: false, "
                + "body_limit: 2KiB, auth: {user: u, password_file: /p}, "
                + "proxy: {host: 192.0.2.8, port: 3128, user: v, password_file: /q}"
        )
        #expect(settings.method == "POST")
        #expect(settings.headers.map(\.name) == ["A", "B"])
        #expect(settings.body == Array("hello".utf8))
        #expect(settings.version == HTTPVersion(rawValue: "2"))
        #expect(settings.redirects == 3)
        #expect(!settings.acceptsCompression)
        #expect(settings.bodyLimit == 2048)
        #expect(settings.credentials == .basic(user: "u", passwordFile: "/p"))
        let proxy = HTTPProxy(
            host: .address(try #require(IPAddress("192.0.2.8"))),
            port: 3128,
            user: "v",
            passwordFile: "/q"
        )
        #expect(settings.proxy == proxy)
        #expect(try http("auth: {token_file: /t}").credentials == .bearer(tokenFile: "/t"))
        #expect(try http("proxy: {host: b}").proxy == HTTPProxy(host: .name("b"), port: 8080))
    }

    @Test("expectations of HTTP")
    func expectation() throws {
        let settings = try http(
            """
            expect: {status: "200-299,304", whole_body: true, certificate_days: 14,
              headers: [{name: A}, {name: B, present: false}, {name: C, matches: x}, {name: D, not_matches: y}],
              body_contains: a, body_not_contains: [b, c], body_matches: d, body_not_matches: e,
              json: [{path: $$.a}, {path: $$.b, present: false}, {path: $$.c, is: <, value: 5}, {path: $$.d, value: "5"},
                {path: $$.e, value: '"5"'}, {path: $$.f, value: true}, {path: $$.g, matches: z}, {path: $$.h, value: 'null'}]}
            """
        )
        let expected = settings.expectation
        #expect(expected.statuses == HTTPStatusRanges("200-299,304"))
        #expect(expected.refusesLargerBody)
        #expect(
            expected.headers == [
                HTTPHeaderExpectation("A", .present), HTTPHeaderExpectation("B", .absent),
                HTTPHeaderExpectation("C", .matches(try ProbePattern("x"))),
                HTTPHeaderExpectation("D", .doesNotMatch(try ProbePattern("y"))),
            ]
        )
        #expect(
            expected.body == [
                .contains("a"), .doesNotContain("b"), .doesNotContain("c"), .matches(try ProbePattern("d")),
                .doesNotMatch(try ProbePattern("e")),
            ]
        )
        let conditions: [JSONExpectation.Condition] = [
            .exists, .absent, .compares(.less, .number(5)), .compares(.equal, .number(5)),
            .compares(.equal, .string("5")), .compares(.equal, .boolean(true)), .matches(try ProbePattern("z")),
            .compares(.equal, .null),
        ]
        #expect(
            try expected.json
                == zip("abcdefgh", conditions).map { JSONExpectation(try JSONPath("$.\($0)"), $1) }
        )
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let text: String
        let code: ConfigurationDiagnostic.Code
        let pointer: String
        var testDescription: String { text }

        init(_ text: String, _ code: ConfigurationDiagnostic.Code, _ pointer: String) {
            self.text = text
            self.code = code
            self.pointer = pointer
        }
    }

    static let cases: [Case] = [
        .init("{type: https}", .invalidValue, "/type"),
        .init("{type: http, url: ftp://a/}", .invalidValue, "/url"),
        .init("{type: http, url: 'http://a/', port: 80}", .conflict, "/port"),
        .init("{type: http, method: 'GE T'}", .invalidValue, "/method"),
        .init("{type: http, method: get}", .invalidValue, "/method"),
        .init("{type: http, headers: {'a b': c}}", .invalidValue, "/headers"),
        .init("{type: http, http_version: 3}", .invalidValue, "/http_version"),
        .init("{type: http, redirects: 51}", .outOfRange, "/redirects"),
        .init("{type: http, body_limit: 1GiB}", .outOfRange, "/body_limit"),
        .init("{type: http, auth: {}}", .conflict, "/auth"),
        .init("{type: http, auth: {user: a}}", .conflict, "/auth"),
        .init("{type: http, auth: {user: a, password_file: /b, token_file: /c}}", .conflict, "/auth"),
        .init("{type: http, auth: {token_file: secret}}", .invalidValue, "/auth/token_file"),
        .init("{type: http, auth: {password: secret}}", .unknownKey, "/auth/password"),
        .init("{type: http, proxy: {}}", .missingKey, "/proxy"),
        .init("{type: http, proxy: {host: b, user: c}}", .missingKey, "/proxy"),
        .init("{type: http, service: a}", .conflict, "/service"),
        .init("{type: http, starttls: smtp}", .conflict, "/starttls"),
        .init("{type: http, expect: {status: 2xx}}", .invalidValue, "/expect/status"),
        .init("{type: http, expect: {headers: [{}]}}", .missingKey, "/expect/headers/0"),
        .init("{type: http, expect: {headers: [{name: A, present: true, matches: b}]}}", .conflict, "/expect/headers"),
        .init("{type: http, expect: {headers: [{name: A, matches: '('}]}}", .invalidValue, "/expect/headers/0/matches"),
        .init("{type: http, expect: {body_matches: '('}}", .invalidValue, "/expect/body_matches"),
        .init("{type: http, expect: {json: [{path: '$$['}]}}", .invalidValue, "/expect/json"),
        .init("{type: http, expect: {json: [{path: $$.a, value: 1, matches: b}]}}", .conflict, "/expect/json"),
        .init("{type: http, expect: {json: [{path: $$.a, is: '=', value: 1}]}}", .invalidValue, "/expect/json/0/is"),
        .init("{type: http, expect: {rcode: NOERROR}}", .conflict, "/expect/rcode"),
        .init("{type: tls, tls: {key_file: /a}}", .missingKey, "/tls/key_file"),
        .init("{type: tls, tls: {min_version: '1.3', max_version: '1.2'}}", .conflict, "/tls/min_version"),
        .init("{type: tls, tls: {min_version: '1.4'}}", .invalidValue, "/tls/min_version"),
        .init("{type: tls, tls: {ca_file: ca.pem}}", .invalidValue, "/tls/ca_file"),
        .init("{type: tls, starttls: xmpp}", .invalidValue, "/starttls"),
        .init("{type: tls, url: 'https://a/'}", .conflict, "/url"),
        .init("{type: tls, expect: {certificate_days: -1}}", .outOfRange, "/expect/certificate_days"),
        .init("{type: tcp, tls: {}}", .conflict, "/tls"),
        .init("{type: icmp, expect: {certificate_days: 1}}", .conflict, "/expect/certificate_days"),
        .init("{type: udp, headers: {a: b}, expect: {reply: a}}", .conflict, "/headers"),
        .init("{type: push, tls: {}}", .conflict, "/tls"),
        .init("{type: grpc, method: GET}", .conflict, "/method"),
        .init("{type: grpc, expect: {status: 200}}", .conflict, "/expect/status"),
    ]

    @Test("a single fault has its code and its pointer", arguments: cases)
    func diagnostics(_ example: Case) throws {
        let all = faultValues("targets: [{host: a, port: 9, probe: \(example.text)}]")
        #expect(all.map(\.code) == [example.code], "\(all)")
        #expect(all.first?.pointer == "/targets/0/probe" + example.pointer)
    }

    @Test("a URL that is none is one fault, with or without a host beside it")
    func badURL() {
        let text = "targets: [{probe: {type: http, url: 'x://a'}}, {probe: {type: http, url: 'y://b'}}]"
        #expect(faultValues(text).map(\.pointer) == ["/targets/0/probe/url", "/targets/1/probe/url"])
    }
}
