// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Monitoring
import MonitoringTestSupport
import TestSupport
import Testing

import struct HTTPServer.HTTPHeader

@testable import ReachAPI

@Suite("gzip and cached chunks of lists")
struct CompressionTests {
    let fixture = Fixture()
    let gzip = [HTTPHeader("Accept-Encoding", "br, gzip;q=0.9")]

    private func declare(_ numbers: some Sequence<Int>) {
        fixture.registry.apply(targets: numbers.map { .address("t\($0)", group: "g") })
    }

    @Test("Every prepared response has a gzip form with the same content, created once")
    func prepared() throws {
        declare(0..<40)
        fixture.emit("t0", .up())
        for path in ["/status", "/targets/t0", "/targets?limit=40", "/openapi.yaml"] {
            let plain = fixture.respond(path)
            #expect(plain.header("Vary") == "Accept-Encoding")
            #expect(plain.header("Content-Encoding") == nil)
            let short = fixture.respond(path, headers: gzip)
            guard plain.bytes.count >= 1_024 else {
                #expect(short.bytes == plain.bytes, "\(path) fits one packet")
                continue
            }
            #expect(short.header("Content-Encoding") == "gzip")
            #expect(short.header("ETag") == plain.header("ETag"))
            #expect(short.bytes.count < plain.bytes.count / 2)
            #expect(try unzipped(short.bytes) == plain.bytes, "\(path)")
            guard case .prepared(let first) = short.body,
                case .prepared(let second) = fixture.respond(path, headers: gzip).body
            else {
                Issue.record("\(path) is not prepared")
                continue
            }
            #expect(first === second, "\(path) is compressed for each request")
            let etag = [HTTPHeader("If-None-Match", plain.header("ETag") ?? "")]
            let known = fixture.respond(path, headers: gzip + etag)
            #expect(known.status == 304 && known.header("Vary") == "Accept-Encoding")
        }
    }

    @Test(
        "Accept-Encoding",
        arguments: [
            ("gzip", true), ("GZIP", true), ("x-gzip", true), ("deflate, gzip", true), ("*", true),
            ("gzip;q=1.0", true),
            ("gzip ; q=0.5", true), ("gzip;q=0", false), ("gzip;q=0.000", false), ("*;q=0", false),
            ("*, gzip;q=0", false), ("deflate,* ; Q=0.1", true), ("gzip;q=0.001", true), ("identity", false),
            ("", false), (",,;", false), ("gzipped", false),
        ] as [(String, Bool)]
    )
    func acceptance(field: String, isWanted: Bool) {
        let request = HTTPRequest(method: "GET", path: "/", headers: [HTTPHeader("Accept-Encoding", field)])
        #expect(request.acceptsGzip == isWanted)
    }

    @Test("Without Accept-Encoding nothing is compressed") func unasked() {
        #expect(!HTTPRequest(method: "GET", path: "/").acceptsGzip)
    }

    /// The list as it is made without a memory.
    private func fresh(_ query: String) -> String {
        let handler = RequestHandler(
            registry: fixture.registry,
            service: ServiceInformation(version: "", startedAt: Fixture.started),
            clock: fixture.clock
        )
        return handler.respond(to: HTTPRequest(method: "GET", path: "/targets", query: query)).text
    }

    @Test("A list from cached chunks equals a fresh list, whatever changes between requests") func pieces() throws {
        var random = SeededGenerator(seed: 5)
        var present = Set(0..<300)
        declare(present.sorted())
        for _ in 0..<60 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                present = present.filter { _ in Int.random(in: 0..<40, using: &random) > 0 }
                declare(present.sorted())
            case 1:
                present.formUnion((0..<3).map { _ in Int.random(in: 0..<1_000, using: &random) })
                declare(present.sorted())
            default:
                for number in present.shuffled(using: &random).prefix(5) {
                    fixture.emit("t\(number)", Bool.random(using: &random) ? .up() : .down())
                }
            }
            for query in ["limit=10000", "limit=7", "state=up&limit=1000", "fields=state&limit=100"] {
                let plain = fixture.respond("/targets?" + query)
                #expect(plain.text == fresh(query), "\(query)")
                let short = fixture.respond("/targets?" + query, headers: gzip)
                if short.header("Content-Encoding") == "gzip" { #expect(try unzipped(short.bytes) == plain.bytes) }
            }
        }
    }

    @Test("Chunks in any order form one body") func order() throws {
        let texts = ["", "a", String(repeating: "abc", count: 10_000), "\u{1}\u{2}"].map { Array($0.utf8) }
        let pieces = texts.compactMap { GzipChunk($0) }
        #expect(pieces.count == texts.count)
        for order in [[0], [1, 2, 3, 0, 2, 2], [3, 1]] {
            let body = GzipChunk.body(of: order.map { pieces[$0] })
            #expect(try unzipped(body) == Array(order.map { texts[$0] }.joined()))
        }
    }
}
