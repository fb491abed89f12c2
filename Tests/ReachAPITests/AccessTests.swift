// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Monitoring
import MonitoringTestSupport
import ServerTrust
import Testing

import struct HTTPServer.HTTPHeader

@testable import ReachAPI

@Suite("Tokens, tickets, other sites and rate limits")
struct AccessTests {
    static let reader = "reader-token-0123456789"
    static let writer = "writer-token-0123456789"

    static func token(_ text: String, _ scopes: Set<AccessScope>) throws -> AccessToken {
        AccessToken(name: text, digest: try #require(SHA256.digest(of: Array(text.utf8))), scopes: scopes)
    }

    let fixture: Fixture

    init() throws {
        var settings = APISettings()
        settings.access.tokens = [
            try Self.token(Self.reader, [.read]), try Self.token(Self.writer, [.write]),
            try Self.token("both", [.read, .write]),
        ]
        fixture = Fixture(settings: settings, hasProbes: true)
        fixture.registry.apply(targets: [try .probed("web")])
    }

    static func bearer(_ token: String) -> [HTTPHeader] { [HTTPHeader("Authorization", "Bearer \(token)")] }

    @Test(
        "401 without a token, 403 without its scope, from any address",
        arguments: ["127.0.0.1:4711", "[2001:db8::1]:4711", "unix"]
    )
    func tokens(peer: String) throws {
        for (path, method) in [("/status", "GET"), ("/targets/web", "HEAD"), ("/targets/web/pause", "POST")] {
            func status(_ headers: [HTTPHeader]) -> Int {
                fixture.respond(path, method: method, headers: headers, peer: peer).status
            }
            let isWrite = method == "POST"
            #expect(status([]) == 401)
            #expect(status(Self.bearer("stranger")) == 401)
            #expect(status(Self.bearer(Self.reader)) == (isWrite ? 403 : 200))
            #expect(status(Self.bearer(Self.writer)) == (isWrite ? 200 : 403))
            #expect(status(Self.bearer("both")) == 200)
            #expect(status([HTTPHeader("Authorization", "bEaReR   both")]) == 200)
            for field in ["Basic both", "Bearer", "Bearer ", "both", "Bearer both both", "Bearerboth"] {
                #expect(status([HTTPHeader("Authorization", field)]) == 401, "\(field)")
            }
        }
        let refusal = fixture.respond("/status", peer: peer)
        #expect(refusal.header("WWW-Authenticate") == #"Bearer realm="reachd""#)
        #expect(refusal.header("Content-Type") == "application/problem+json")
        let unknown = fixture.respond("/status", headers: Self.bearer("x"), peer: peer)
        #expect(unknown.header("WWW-Authenticate") == #"Bearer realm="reachd", error="invalid_token""#)
        let narrow = fixture.respond("/status", headers: Self.bearer(Self.writer), peer: peer)
        #expect(narrow.header("WWW-Authenticate")?.contains(#"error="insufficient_scope", scope="read""#) == true)
    }

    @Test("Health checks, OPTIONS and unknown paths need no token")
    func open() {
        for path in ["/livez", "/readyz", "/healthz"] { #expect(fixture.respond(path).status != 401, "\(path)") }
        #expect(fixture.respond("/status", method: "OPTIONS").status == 204)
        #expect(fixture.respond("/nothing").status == 404)
        #expect(fixture.respond("/status", method: "POST").status == 405)
    }

    @Test("Every route except these three and the page needs a token") func closed() {
        for route in Route.allCases
        where ![.livez, .readyz, .healthz].contains(route) && !route.isPage && !route.isPublic {
            let path = route.rawValue.replacing("{id}", with: "web")
            for method in route.methods where method != .options {
                #expect(fixture.respond(path, method: method.rawValue).status == 401, "\(method) \(path)")
            }
        }
    }

    @Test("With a token a page of another site may write, because browsers do not add tokens") func pages() {
        let headers = Self.bearer("both") + [HTTPHeader("Origin", "https://elsewhere.test")]
        #expect(fixture.post("/targets/web/pause", headers: headers).status == 200)
    }

    @Test("Rules can change at run time") func changed() throws {
        fixture.handler.apply(AccessRules(tokens: [try Self.token("other", [.read])]))
        #expect(fixture.respond("/status", headers: Self.bearer("both")).status == 401)
        #expect(fixture.respond("/status", headers: Self.bearer("other")).status == 200)
        fixture.handler.apply(AccessRules())
        #expect(fixture.respond("/status").status == 200)
    }

    // MARK: Tickets

    private func ticket() throws -> String {
        let answer = fixture.post("/events/ticket", headers: Self.bearer(Self.reader))
        #expect(answer.status == 200 && answer.header("Cache-Control") == "no-store")
        let body = try JSONValue(parsing: answer.bytes)
        #expect(body["expires_in_seconds"] == .number(30))
        return try #require(body["ticket"]?.string)
    }

    private func opens(_ ticket: String, method: String = "GET") -> Int {
        fixture.respond("/events?ticket=\(ticket)", method: method).status
    }

    @Test("A ticket opens one stream and no other route") func tickets() throws {
        #expect(fixture.post("/events/ticket").status == 401)
        #expect(fixture.post("/events/ticket", headers: Self.bearer(Self.writer)).status == 403)
        let first = try ticket()
        let second = try ticket()
        #expect(first != second && first.utf8.count == 32)
        #expect(opens(first, method: "HEAD") == 401)
        #expect(opens(first) == 200)
        #expect(opens(first) == 401)
        #expect(fixture.respond("/status?ticket=\(second)").status == 401)
        #expect(opens(second) == 200)
        #expect(opens("") == 401)
        #expect(opens(String(repeating: "0", count: 32)) == 401)
    }

    @Test("A ticket is valid for thirty seconds, and the oldest is evicted above the limit") func stale() throws {
        let first = try ticket()
        fixture.uptime.nanoseconds += 29_999_999_999
        #expect(opens(first) == 200)
        let late = try ticket()
        fixture.uptime.nanoseconds += 30_000_000_000
        #expect(opens(late) == 401)
        let oldest = try ticket()
        let next = try ticket()
        for _ in 0..<999 { _ = try ticket() }
        #expect(opens(oldest) == 401)
        #expect(opens(next) == 200)
    }

    // MARK: Other sites

    @Test("CORS: listed sites may read, others get no CORS fields") func sites() throws {
        var rules = AccessRules(tokens: [try Self.token("both", [.read, .write])])
        rules.origins = ["https://dash.test"]
        fixture.handler.apply(rules)
        let own = [HTTPHeader("Origin", "https://dash.test")]
        let good = fixture.respond("/status", headers: own + Self.bearer("both"))
        #expect(good.header("Access-Control-Allow-Origin") == "https://dash.test")
        #expect(good.header("Access-Control-Allow-Credentials") == nil)
        #expect(good.headers.filter { $0.name == "Vary" }.map(\.value).contains("Origin"))
        // A page has to be able to read why not.
        #expect(fixture.respond("/status", headers: own).header("Access-Control-Allow-Origin") == "https://dash.test")
        for origin in ["https://dash.test.evil.test", "http://dash.test", "null", "https://dash.test:8443"] {
            let other = fixture.respond("/status", headers: [HTTPHeader("Origin", origin)] + Self.bearer("both"))
            #expect(other.header("Access-Control-Allow-Origin") == nil, "\(origin)")
            #expect(other.headers.contains { $0.name == "Vary" && $0.value == "Origin" })
        }
        let question = [HTTPHeader("Access-Control-Request-Method", "POST")]
        let preflight = fixture.respond("/targets/web/pause", method: "OPTIONS", headers: own + question)
        #expect(preflight.status == 204)
        #expect(preflight.header("Access-Control-Allow-Methods") == "POST, OPTIONS")
        #expect(preflight.header("Access-Control-Allow-Headers")?.contains("Authorization") == true)
        #expect(preflight.header("Access-Control-Max-Age") == "600")
        let plain = fixture.respond("/targets/web/pause", method: "OPTIONS", headers: own)
        #expect(plain.header("Access-Control-Allow-Methods") == nil)
        fixture.handler.apply(AccessRules())
        #expect(fixture.respond("/status", headers: own).headers.allSatisfy { !$0.name.hasPrefix("Access-Control") })
    }

    @Test("Without tokens a listed site may read but not write") func siteWithoutTokens() {
        fixture.handler.apply(AccessRules(origins: ["https://dash.test"]))
        let own = [HTTPHeader("Origin", "https://dash.test")]
        #expect(fixture.respond("/status", headers: own).header("Access-Control-Allow-Origin") == "https://dash.test")
        #expect(fixture.post("/targets/web/pause", headers: own).status == 403)
    }

    // MARK: How much

    @Test("429: the rate limit permits a burst of ten seconds; reads do not count") func budget() {
        fixture.handler.apply(AccessRules(writesPerSecond: 2))
        func write() -> HTTPResponse { fixture.post("/targets/web/pause") }
        for _ in 0..<20 { #expect(write().status == 200) }
        let refused = write()
        #expect(refused.status == 429 && refused.header("Retry-After") == "1")
        for _ in 0..<50 { #expect(fixture.respond("/status").status == 200) }
        fixture.uptime.nanoseconds += 500_000_000
        #expect(write().status == 200)
        #expect(write().status == 429)
        // Who may not at all costs nobody anything.
        #expect(fixture.post("/targets/web/pause", peer: "198.51.100.7:1").status == 403)
        fixture.uptime.nanoseconds += 3_600_000_000_000
        for _ in 0..<20 { #expect(write().status == 200) }
        #expect(write().status == 429)
        fixture.handler.apply(AccessRules(writesPerSecond: nil))
        #expect(write().status == 200)
    }
}
