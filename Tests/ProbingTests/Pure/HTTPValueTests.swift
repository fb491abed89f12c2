// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import TestSupport
import Testing

@testable import Probing

@Suite struct HTTPValueTests {
    @Test("Statuses") func statuses() throws {
        let ranges = try #require(HTTPStatusRanges("200-299,304"))
        #expect(ranges.contains(200) && ranges.contains(299) && ranges.contains(304))
        #expect(!ranges.contains(199) && !ranges.contains(300) && !ranges.contains(305))
        #expect(ranges.description == "200-299,304")
        #expect(HTTPStatusRanges(" 200 - 204 , 404 ")?.description == "200-204,404")
        #expect(HTTPStatusRanges.successful.description == "200-299")
        for text in ["", ",", "200-", "-200", "200-299-300", "99", "1000", "300-200", "2xx", "200,", "+200", "2 0 0"] {
            #expect(HTTPStatusRanges(text) == nil, "\(text)")
        }
    }

    @Test("URLs") func urls() throws {
        let plain = try HTTPURL("http://Example.test/a/b?c=d#e")
        #expect(plain.host.lowercased() == "example.test" && plain.port == 80 && !plain.isSecure)
        #expect(plain.target == "/a/b?c=d")
        #expect(plain.authority.lowercased() == "example.test")
        let six = try HTTPURL("https://[::1]:8443")
        #expect(six.host == "::1" && six.port == 8443 && six.authority == "[::1]:8443")
        #expect(six.description == "https://[::1]:8443/")
        #expect(try HTTPURL("https://a.test:443/").authority == "a.test")
        #expect(try HTTPURL("http://a.test:443/").authority == "a.test:443")
    }

    @Test(
        "Invalid URLs for a probe",
        arguments: [
            "", "a", "ftp://a.test/", "file:///etc/passwd", "http://", "http://a.test:0/", "http://a.test:65536/",
            "http://user@a.test/", "http://user:secret@a.test/", "http://a.test/\r\nX: y", "http://a b/",
            "http://[::1/",
            "gopher://a/",
            // What libcurl would find a host in, and people did not mean as one.
            "htp:/nonsense", "https://htp:/nonsense", "http:/x", "http//x", "http:///x", "https://", "://x", "//x",
            "http:x",
            "https://a:/", "http://:80/", "http://?q", "http://#f", "http://user@", "http:\\\\a\\b", "http://a b.test/",
            "a.test/x",
            "mailto:me@a.test", "http://a.test:80a/", "http://a.test:-1/",
        ]
    ) func badURLs(text: String) {
        do throws(HTTPURLError) {
            let url = try HTTPURL(text)
            Issue.record("\(url)")
        } catch {
            #expect(!error.message.contains("secret"))
        }
    }

    @Test("Redirects") func redirects() throws {
        let base = try HTTPURL("http://a.test:81/x/y?z")
        func next(_ text: String) throws -> String { try HTTPURL(redirect: Array(text.utf8), from: base).description }
        #expect(try next("/w") == "http://a.test:81/w")
        #expect(try next("v") == "http://a.test:81/x/v")
        #expect(try next("?q=1") == "http://a.test:81/x/y?q=1")
        #expect(try next("//b.test/") == "http://b.test/")
        #expect(try next("https://u:p@b.test/k") == "https://b.test/k")
        for text in ["ftp://b.test/", "file:///etc/passwd", "javascript:1", "http://b.test:99999/", "http://"] {
            #expect(throws: HTTPURLError.self, "\(text)") { try next(text) }
        }
    }

    @Test("Names and paths beyond ASCII, and redirects to them") func international() throws {
        let url = try HTTPURL("http://BÜCHER.example:81/straße?größe=ä#ü")
        #expect(url.host == "xn--bcher-kva.example" && url.writtenHost == "BÜCHER.example")
        #expect(url.authority == "xn--bcher-kva.example:81")
        #expect(url.target == "/stra%C3%9Fe?gr%C3%B6%C3%9Fe=%C3%A4")
        let next = try HTTPURL(redirect: Array("http://müller.example/ü".utf8), from: url)
        #expect(next.description == "http://xn--mller-kva.example/%C3%BC")
        #expect(try HTTPURL(redirect: Array("/é b".utf8) + [0xFC], from: url).target == "/%C3%A9%20b%FC")
        #expect(try HTTPURL("http://[::1]/").writtenHost == "::1")
        #expect(throws: HTTPURLError.self) { try HTTPURL("http://\u{2100}.example/") }
    }

    @Test("The interface of an IPv6 address (RFC 6874)") func zones() throws {
        let address = try #require(IPAddress("fe80::1"))
        for text in ["http://[fe80::1%25eth0]:81/a", "http://[fe80::1%eth0]:81/a"] {
            let url = try HTTPURL(text)
            #expect(url.host == "fe80::1" && url.interface == "eth0" && url.authority == "[fe80::1]:81")
            #expect(url.description == "http://[fe80::1]:81/a")
            let target = try ProbeTarget(text)
            #expect(target.interface == "eth0" && target.host == .address(address))
        }
        #expect(try HTTPURL("http://[fe80::1]/").interface == nil)
    }

    @Test("Scheme, host and port make an origin, each by itself") func origins() throws {
        let home = try HTTPURL("http://a.test:8443/x")
        for same in ["http://a.test:8443/", "http://A.TEST:8443/y?z"] {
            #expect(try HTTPURL(same).hasOrigin(of: home), "\(same)")
        }
        for other in ["https://a.test:8443/x", "http://b.test:8443/x", "http://a.test:8444/x", "http://a.test/x"] {
            #expect(try !HTTPURL(other).hasOrigin(of: home), "\(other)")
        }
        #expect(try HTTPURL("https://a.test:443/").hasOrigin(of: try HTTPURL("https://a.test/")))
    }

    @Test("Headers cannot smuggle in others") func headers() {
        #expect(HTTPHeader(name: "X-A", value: "b c") != nil)
        #expect(HTTPHeader(name: "X-A", value: "")?.line == "X-A;")
        for (name, value) in [("", "a"), ("a b", "c"), ("a:", "b"), ("a", "b\r\nc: d"), ("a\n", "b"), ("a", "b\0")] {
            #expect(HTTPHeader(name: name, value: value) == nil)
        }
    }

    @Test("Another origin receives Accept and the defaults, and no other configured header")
    func headerLines() throws {
        let headers = try [("Authorization", "x"), ("cookie", "y"), ("Host", "z"), ("X-A", "b"), ("Accept", "c")].map {
            try #require(HTTPHeader(name: $0.0, value: $0.1))
        }
        let away = HTTPHeaderLines.lines(headers, isHome: false, hasBody: true)
        #expect(away == ["Accept: c", "User-Agent: reachd", "Content-Type:", "Expect:"])
        let home = HTTPHeaderLines.lines(headers, isHome: true, hasBody: false)
        #expect(home == ["Authorization: x", "cookie: y", "Host: z", "X-A: b", "Accept: c", "User-Agent: reachd"])
    }

    @Test("Conditions on headers") func headerConditions() throws {
        let pattern = try ProbePattern("^a")
        func mismatch(_ condition: HTTPHeaderExpectation.Condition, _ values: String...) -> String? {
            HTTPHeaderExpectation("X", condition).mismatch(about: values.map { Array($0.utf8) })
        }
        #expect(mismatch(.present, "") == nil && mismatch(.present) != nil)
        #expect(mismatch(.absent) == nil && mismatch(.absent, "") != nil)
        #expect(mismatch(.matches(pattern), "b", "a") == nil && mismatch(.matches(pattern), "b") != nil)
        #expect(mismatch(.matches(pattern)) != nil)
        #expect(mismatch(.doesNotMatch(pattern)) == nil && mismatch(.doesNotMatch(pattern), "b", "a") != nil)
    }

    @Test("Conditions on the body") func bodyConditions() throws {
        let pattern = try ProbePattern("b.d")
        let body = Array("abcde\0f".utf8)
        #expect(HTTPBodyExpectation.contains("bcd").mismatch(about: body) == nil)
        #expect(HTTPBodyExpectation.contains("").mismatch(about: []) == nil)
        #expect(HTTPBodyExpectation.contains("f").mismatch(about: body) == nil)
        #expect(HTTPBodyExpectation.contains("g").mismatch(about: body) != nil)
        #expect(HTTPBodyExpectation.doesNotContain("g").mismatch(about: body) == nil)
        #expect(HTTPBodyExpectation.doesNotContain("e\0f").mismatch(about: body) != nil)
        #expect(HTTPBodyExpectation.matches(pattern).mismatch(about: body) == nil)
        #expect(HTTPBodyExpectation.matches(pattern).mismatch(about: []) != nil)
        #expect(HTTPBodyExpectation.doesNotMatch(pattern).mismatch(about: body) != nil)
        #expect(HTTPBodyExpectation.doesNotMatch(pattern).mismatch(about: []) == nil)
    }

    @Test("Health messages") func healthMessages() throws {
        #expect(HealthMessage.request(service: "") == [0, 0, 0, 0, 0])
        #expect(HealthMessage.request(service: "ab") == [0, 0, 0, 0, 4, 0x0A, 2, 0x61, 0x62])
        let long = HealthMessage.request(service: String(repeating: "a", count: 300))
        #expect(long.prefix(8) == [0, 0, 0, 1, 0x2F, 0x0A, 0xAC, 2])
        #expect(try HealthMessage.status(in: [0, 0, 0, 0, 2, 8, 1]) == .serving)
        #expect(try HealthMessage.status(in: [0, 0, 0, 0, 0]) == .unknown)
        #expect(try HealthMessage.status(in: [0, 0, 0, 0, 2, 8, 9]) == .unknown)
        #expect(try HealthMessage.status(in: [0, 0, 0, 0, 6, 0x12, 2, 1, 2, 8, 3]) == .serviceUnknown)
        let bad: [[UInt8]] = [
            [], [0, 0, 0, 0], [1, 0, 0, 0, 2, 8, 1], [0, 0, 0, 0, 3, 8, 1], [0, 0, 0, 0, 1, 8], [0, 0, 0, 0, 1, 11],
            [0, 0, 0, 0, 2, 0x12, 9], [0, 0, 0, 0, 2, 9, 1], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0, 0, 0, 0, 11, 0x12] + [UInt8](repeating: 0xFF, count: 9) + [1],
            [0, 0, 0, 0, 12, 8] + [UInt8](repeating: 0xFF, count: 11),
        ]
        for bytes in bad {
            #expect(throws: HealthMessage.Malformed.self, "\(bytes)") { try HealthMessage.status(in: bytes) }
        }
    }

    @Test("Health messages: random bytes") func healthFuzz() {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<20_000 {
            let payload = (0..<Int.random(in: 0..<20, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            _ = try? HealthMessage.status(in: [0, 0, 0, 0, UInt8(payload.count)] + payload)
        }
    }
}
