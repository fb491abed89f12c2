// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Foundation
import HTTPServer
import MonitoringTestSupport
import NetworkPaths
import Testing

import struct HTTPServer.HTTPHeader

@testable import Monitoring
@testable import ReachAPI

@Suite("The page and its routes")
struct PageTests {
    /// The files that are loaded when the form or a chart is first opened.
    private static let later: Set<PageFile> = [
        .choices, .declaring, .fields, .form, .incident, .latencies, .log, .wall,
    ]

    /// The files of `/docs` alone.
    private static let elsewhere: Set<PageFile> = [.docs, .docsScript, .docsStyle, .yaml]

    static let paths =
        ["/", "/api/v1/", "/docs"] + PageFile.allCases.filter { !$0.isDocument }.map { "/page/\($0.rawValue)" }
    private static let files = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/ReachAPI/Page/Files")

    @Test("The embedded files equal those of the folder")
    func embedded() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.files.path(percentEncoded: false))
        #expect(Set(names) == Set(PageFile.allCases.map(\.rawValue)))
        for file in PageFile.allCases {
            #expect(try Data(contentsOf: Self.files.appending(path: file.rawValue)) == Data(file.bytes), "\(file)")
        }
    }

    @Test("Every file with its head, also as HEAD, compressed and unchanged", arguments: paths)
    func files(path: String) throws {
        let fixture = Fixture()
        let response = fixture.respond(path)
        #expect(response.status == 200)
        let policy = try #require(response.header("Content-Security-Policy"))
        for part in [
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
        ] {
            #expect(policy.split(separator: "; ").contains(part[...]), "\(part)")
        }
        #expect(!policy.contains("unsafe") && !policy.contains("http") && !policy.contains("*"))
        #expect(response.header("X-Content-Type-Options") == "nosniff")
        #expect(response.header("Referrer-Policy") == "no-referrer")
        #expect(response.header("Cache-Control") == "no-cache")
        #expect(response.header("Vary") == "Accept-Encoding")
        let type = try #require(response.header("Content-Type"))
        let expected = path.hasSuffix("/") ? "text/html" : path.hasSuffix("js") ? "text/javascript" : nil
        if let expected { #expect(type == "\(expected); charset=utf-8") }
        #expect(fixture.respond(path, method: "HEAD").headers == response.headers)
        let tag = HTTPHeader("If-None-Match", try #require(response.header("ETag")))
        #expect(fixture.respond(path, headers: [tag]).status == 304)
        let short = fixture.respond(path, headers: [HTTPHeader("Accept-Encoding", "gzip")])
        if response.bytes.count >= 1_024 {
            #expect(short.header("Content-Encoding") == "gzip")
            #expect(try unzipped(short.bytes) == response.bytes)
        }
        let refused = fixture.respond(path, method: "POST")
        #expect(refused.status == 405)
        #expect(refused.header("Allow") == "GET, HEAD, OPTIONS")
    }

    @Test("The document loads every file by a relative path, except those for later, and nothing inline or external")
    func document() {
        let text = Fixture().respond("/").text
        let here = Set(PageFile.allCases).subtracting(Self.later).subtracting(Self.elsewhere).subtracting([.document])
        for file in here {
            #expect(text.contains(#""page/\#(file.rawValue)""#), "\(file)")
        }
        for file in Self.later {
            #expect(!text.contains(file.rawValue), "\(file) is loaded at once")
            let importing = PageFile.allCases.filter { other in
                String(decoding: other.bytes, as: UTF8.self).contains(#""./\#(file.rawValue)""#)
            }
            #expect(!importing.isEmpty, "\(file) is never loaded")
            // Otherwise the browser loads it with the module that imports it.
            for other in importing where !Self.later.contains(other) {
                #expect(String(decoding: other.bytes, as: UTF8.self).contains(#"import("./\#(file.rawValue)")"#))
            }
        }
        for text in [text, Fixture().respond("/docs").text] {
            for wrong in [
                "<style", " style=", "onclick", "onload", "href=\"/", "src=\"/", "http:", "https:", "<script>",
            ] {
                #expect(!text.contains(wrong), "\(wrong)")
            }
        }
    }

    @Test("Modules import only files of the page and never turn text into markup", arguments: PageFile.allCases)
    func modules(file: PageFile) throws {
        guard file.rawValue.hasSuffix(".js") else { return }
        let text = String(decoding: file.bytes, as: UTF8.self)
        for wrong in [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "DOMParser",
            "srcdoc",
        ] {
            #expect(!text.contains(wrong), "\(wrong)")
        }
        for match in text.matches(of: /(?:from |import\()"([^"]+)"/) {
            #expect(PageFile(rawValue: String(match.output.1.dropFirst(2))) != nil, "\(match.output.1)")
        }
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count < 400)
    }

    @Test("The page accepts any query, its files accept none, and unknown files are 404")
    func queries() {
        let fixture = Fixture()
        let queries = [
            "state=down&state=up&group=a&tag=a:b&q=x", "utm_source=chat&fbclid=1", "q=a&q=b", "q=%00&%ff", "&=&",
        ]
        for query in queries { #expect(fixture.respond("/?" + query).status == 200, "\(query)") }
        #expect(fixture.respond("/page/main.js?v=2").status == 400)
        for path in [
            "/page/index.html", "/page/docs.html", "/page/main.jsx", "/page/%6dain.js", "/page/..", "/page/../status",
        ] {
            #expect(fixture.respond(path).status == 404, "\(path)")
        }
    }

    @Test("Below a base path, a path without the slash redirects and keeps the filters")
    func basePath() {
        var settings = APISettings()
        settings.basePath = "/a/b"
        let fixture = Fixture(settings: settings)
        #expect(fixture.respond("/a/b/").status == 200)
        #expect(fixture.respond("/a/b/api/v1/").status == 200)
        #expect(fixture.respond("/a/b/page/main.js").status == 200)
        #expect(fixture.respond("/").status == 404)
        let moved = fixture.respond("/a/b?state=down")
        #expect(moved.status == 308)
        #expect(moved.header("Location") == "/a/b/?state=down")
        #expect(fixture.respond("/a/b", method: "POST").status == 405)
    }

    @Test("With tokens the page needs no token, but its data does")
    func tokens() throws {
        var settings = APISettings()
        settings.access.tokens = [
            try AccessTests.token("reader", [.read]), try AccessTests.token("both", [.read, .write]),
            try AccessTests.token("writer", [.write]),
        ]
        let fixture = Fixture(settings: settings)
        for path in Self.paths { #expect(fixture.respond(path, peer: "192.0.2.1:1").status == 200, "\(path)") }
        #expect(fixture.respond("/access").status == 401)
        #expect(fixture.respond("/access", headers: AccessTests.bearer("writer")).status == 403)
        let checker = SchemaChecker(document: try OpenAPIDocument.load())
        let schema = try #require(checker.document[["components", "schemas", "Access"]])
        for (token, scopes) in [("reader", ["read"]), ("both", ["read", "write"])] {
            let answer = try fixture.json("/access", headers: AccessTests.bearer(token))
            #expect(checker.faults(answer, against: schema).isEmpty)
            #expect(answer["is_token_wanted"] == .boolean(true))
            #expect(answer["scopes"] == .array(scopes.map { .string($0) }))
            #expect((answer["refusal"] == nil) == scopes.contains("write"))
        }
    }

    @Test("Without tokens local clients may write, but not a page under an unlisted name")
    func places() throws {
        let fixture = Fixture()
        func scopes(_ headers: [HTTPHeader], peer: String = "127.0.0.1:1") throws -> Int? {
            let response = fixture.respond("/access", headers: headers, peer: peer)
            #expect(response.header("Cache-Control") == "no-store")
            return try JSONValue(parsing: response.bytes)["scopes"]?.array?.count
        }
        let page = HTTPHeader("Sec-Fetch-Site", "same-origin")
        #expect(try scopes([]) == 2)
        #expect(try scopes([page, HTTPHeader("Host", "localhost:7532")]) == 2)
        #expect(try scopes([page, HTTPHeader("Host", "192.0.2.7:7532")]) == 2)
        #expect(try scopes([page, HTTPHeader("Host", "rebound.example")]) == 1)
        #expect(try scopes([HTTPHeader("Sec-Fetch-Site", "cross-site")]) == 1)
        #expect(try scopes([], peer: "192.0.2.1:1") == 1)
    }

    @Test("The network in /status has its resolvers and since; a new list changes the validator")
    func network() throws {
        let fixture = Fixture()
        fixture.tellNetwork(.up())
        let first = try #require(fixture.respond("/status").header("ETag"))
        fixture.registry.environmentDidChange(NetworkEnvironment(resolvers: [ScopedAddress(IPAddress(ipv4: 9))]))
        let response = fixture.respond("/status")
        let status = try JSONValue(parsing: response.bytes)
        #expect(status[["network", "resolvers"]] == .array([.string("0.0.0.9")]))
        #expect(status[["network", "since"]]?.string != nil)
        #expect(response.header("ETag") != first)
    }
}
