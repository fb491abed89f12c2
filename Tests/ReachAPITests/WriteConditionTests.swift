// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import MonitoringTestSupport
import Testing

import struct HTTPServer.HTTPHeader

@testable import Monitoring
@testable import ReachAPI

@Suite("If-Match and If-None-Match of changes")
struct WriteConditionTests {
    let fixture = Fixture()

    init() {
        fixture.send("PUT", "/targets/web", #"{"address":"192.0.2.1"}"#)
    }

    private func tag(_ path: String = "/targets/web") throws -> String {
        try #require(fixture.respond(path).header("ETag"))
    }

    private func put(_ field: String, _ value: String, _ id: String = "web") -> Int {
        let headers = [HTTPHeader(field, value)]
        return fixture.send("PUT", "/targets/\(id)", #"{"address":"192.0.2.2"}"#, headers: headers).status
    }

    @Test("The validator of a target holds until its declaration changes")
    func current() throws {
        let old = try tag()
        // What becomes of its state is no change of what is declared.
        fixture.emit("web", .up())
        #expect(try tag() != old)
        #expect(put("If-Match", old) == 200)
        #expect(put("If-Match", old) == 412)
        #expect(put("If-Match", try tag()) == 200)
        let delete = fixture.send("DELETE", "/targets/web", headers: [HTTPHeader("If-Match", old)])
        #expect(delete.status == 412)
        #expect(try fixture.problem(delete) == "precondition_failed")
        let patch = fixture.send("PATCH", "/targets/web", "{}", headers: [HTTPHeader("If-Match", try tag())])
        #expect(patch.status == 200)
        #expect(put("If-Match", try #require(patch.header("ETag"))) == 200)
    }

    @Test("Errors in the request precede the condition: RFC 9110, section 13.2.1")
    func invalid() {
        #expect(put("If-Match", "\"x\"", "a%C2%84") == 422)
        #expect(put("If-Match", "*", "a%20b") == 422)
        #expect(put("If-Match", "\"x\"", String(repeating: "a", count: 129)) == 422)
        let headers = [HTTPHeader("If-Match", "\"x\"")]
        for (method, body, status) in [
            ("PUT", "{", 400), ("PUT", "[]", 422), ("PUT", #"{"address":1}"#, 422), ("PUT", #"{"host":"a"}"#, 412),
            ("PATCH", "{", 400), ("PATCH", "[]", 422), ("PATCH", #"{"address":1}"#, 412), ("DELETE", "", 412),
        ] {
            #expect(fixture.send(method, "/targets/web", body, headers: headers).status == status, "\(method) \(body)")
        }
    }

    @Test("The validator of a list that includes the target, or one of several, also matches")
    func list() throws {
        let list = try tag("/targets")
        fixture.send("PUT", "/targets/other", #"{"host":"b"}"#)
        #expect(put("If-Match", "\"x\", \(list)") == 200)
        #expect(put("If-Match", list) == 412)
    }

    @Test(
        "A validator of another run, or an invalid one, never matches",
        arguments: [
            "", "x", "\"\"", "W/\"abcd\"", "W/\"abcd-\"", "W/\"dcba-1\"", "W/\"abcd-99999\"", "W/\"abcd-0\"",
            "W/\"abcd--1\"", "W/\"abcd-+1\"", "W/\"abcd-99999999999999999999999\"", "\"", "W/\"", "abcd-1",
        ]
    )
    func strange(value: String) {
        #expect(put("If-Match", value) == 412)
        #expect(put("If-None-Match", value) == 200)
    }

    @Test("* matches any existing target")
    func anything() throws {
        #expect(put("If-Match", "*") == 200)
        #expect(put("If-Match", "*", "new") == 412)
        #expect(put("If-None-Match", "*") == 412)
        #expect(put("If-None-Match", "*", "new") == 201)
        #expect(put("If-None-Match", try tag()) == 412)
    }

    @Test("A request that is refused without a condition gets the same status with one")
    func order() throws {
        #expect(fixture.send("DELETE", "/targets/no", headers: [HTTPHeader("If-Match", "*")]).status == 404)
        try fixture.configure("targets: [{id: config, host: a}]")
        let headers = [HTTPHeader("If-Match", "\"x\"")]
        #expect(fixture.send("DELETE", "/targets/config", headers: headers).status == 409)
        #expect(fixture.send("PUT", "/targets/web", "{}", type: nil, headers: headers).status == 415)
        #expect(fixture.send("PUT", "/targets/web", "{}", headers: headers).status == 422)
        #expect(fixture.send("PUT", "/targets/web", #"{"host":"a"}"#, headers: headers).status == 412)
    }
}
