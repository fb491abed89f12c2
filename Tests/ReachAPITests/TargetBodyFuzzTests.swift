// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import MonitoringTestSupport
import TestSupport
import Testing

@testable import Configuration
@testable import Monitoring
@testable import ReachAPI

@Suite("Random request bodies")
struct TargetBodyFuzzTests {
    private static let pieces = [
        "{", "}", "[", "]", ":", ",", "\"", "\\", "\\u", "\\ud83d", "\\udc00", "0", "-", "1e9", ".5", "true", "null",
        " ", "\n", "\u{0}", "é", "\"id\"", "\"host\"", "\"a\"", "\"address\"", "\"192.0.2.1\"", "\"probe\"",
        "{\"type\":\"tcp\",\"port\":1}", "\"tags\"", "{\"a\":\"b\"}", "\"targets\"", "\"depends_on\"", "\"kind\"",
        "\"default\"", "\"maintenance\"", "[{}]", "{\"id\":\"a\",\"host\":\"b\"}", "&a", "*a", "!!str", "#", "---",
    ]

    @Test("5,000 random bodies get a complete response and cause no crash", arguments: 0..<5 as Range<UInt64>)
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed &* 7_919 + 1)
        let fixture = Fixture()
        let seeds = [
            #"{"id":"a","host":"a","probe":{"type":"tcp","port":80}}"#,
            #"{"targets":[{"id":"a","host":"a"},{"id":"b","host":"b","depends_on":["a"]}]}"#,
            #"{"tags":{"x":null},"maintenance":[{"start":"03:00","duration":"1h"}]}"#,
        ]
        var counts: [Int: Int] = [:]
        for _ in 0..<1_000 {
            var body: [UInt8]
            if Bool.random(using: &generator) {
                let count = Int.random(in: 0...24, using: &generator)
                body = Array((0..<count).map { _ in Self.pieces.randomElement(using: &generator) ?? "" }.joined().utf8)
            } else {
                body = Array((seeds.randomElement(using: &generator) ?? "").utf8)
                for _ in 0..<Int.random(in: 0...3, using: &generator) where !body.isEmpty {
                    let place = Int.random(in: 0..<body.count, using: &generator)
                    switch Int.random(in: 0..<3, using: &generator) {
                    case 0: body[place] = UInt8.random(in: 0...255, using: &generator)
                    case 1: body.remove(at: place)
                    default:
                        body.insert(contentsOf: (Self.pieces.randomElement(using: &generator) ?? "").utf8, at: place)
                    }
                }
            }
            let (method, path) =
                [("POST", "/targets"), ("PUT", "/targets/a"), ("PATCH", "/targets/a"), ("DELETE", "/targets/b")]
                .randomElement(using: &generator) ?? ("POST", "/targets")
            let before = fixture.registry.sequence
            let response = fixture.respond(
                path,
                method: method,
                headers: [HTTPHeader("Content-Type", "application/json")],
                body: body
            )
            counts[response.status, default: 0] += 1
            #expect([200, 201, 204, 400, 404, 409, 422].contains(response.status))
            if response.status != 204 { _ = try JSONValue(parsing: response.bytes) }
            if response.status >= 400 { #expect(fixture.registry.sequence == before) }
        }
        #expect(counts[201] != nil && counts[400] != nil && counts[422] != nil, "\(counts)")
    }

    @Test("Depth and size are bounded")
    func bounds() throws {
        let fixture = Fixture()
        for body in [
            String(repeating: "[", count: 100_000), String(repeating: "{\"a\":", count: 100_000),
            #"{"host":"a","tags":"# + String(repeating: "{\"a\":", count: 70) + "1" + String(repeating: "}", count: 71),
        ] {
            #expect(fixture.send("POST", "/targets", body).status == 400)
        }
        let tags = (0..<65).map { "\"t\($0)\":\"\"" }.joined(separator: ",")
        #expect(fixture.send("POST", "/targets", #"{"host":"a","tags":{\#(tags)}}"#).status == 422)
        let many = (0..<20_000).map { _ in "{\"x\":1}" }.joined(separator: ",")
        let response = fixture.send("POST", "/targets", #"{"targets":[\#(many)]}"#)
        #expect(response.status == 422)
        #expect(response.bytes.count < 300_000)
    }
}
