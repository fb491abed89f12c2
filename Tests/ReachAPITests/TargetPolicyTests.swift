// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import LinuxIO
import TestSupport
import Testing

@testable import Configuration
@testable import Monitoring
@testable import ReachAPI
@testable import Targets

@Suite("Targets that the policy denies to clients")
struct TargetPolicyTests {
    private func codes(_ response: HTTPResponse) throws -> [String] {
        try JSONValue(parsing: response.bytes)["errors"]?.array?.compactMap { $0["code"]?.string } ?? []
    }

    @Test(
        "422 names the position and value of every denied setting",
        arguments: [
            (#"{"address":"169.254.169.254"}"#, ["/address"]),
            (#"{"host":"169.254.169.254"}"#, ["/host"]),
            (#"{"address":"::ffff:169.254.169.254"}"#, ["/address"]),
            (#"{"address":"fe80::1%eth0"}"#, ["/address"]),
            (#"{"local_address":"192.0.2.9","address":"198.51.100.1"}"#, ["/address"]),
            (#"{"id":"a","probe":{"type":"http","url":"http://169.254.169.254:81/"}}"#, ["/probe/url"]),
            (#"{"id":"a","probe":{"type":"http","url":"https://a.test:444/"}}"#, ["/probe/url"]),
            (#"{"host":"a","probe":{"type":"tcp","port":22}}"#, ["/probe/port"]),
            (#"{"host":"a","port":22,"probe":{"type":"tcp"}}"#, ["/port"]),
            (#"{"host":"a","probe":{"type":"dns","dns":{"name":"a"}}}"#, ["/probe"]),
            (#"{"host":"a","probe":{"type":"icmp"}}"#, ["/probe/type"]),
            (#"{"host":"a","probe":{"type":"push"}}"#, ["/probe/type"]),
            (
                #"{"host":"a","probe":{"type":"http","port":80,"proxy":{"host":"p","port":80}}}"#,
                ["/probe/type", "/probe/proxy"]
            ),
            (#"{"address":"127.0.0.1","probe":{"type":"tcp","port":81}}"#, ["/address", "/probe/port"]),
            (#"{"targets":[{"host":"a"},{"id":"b","address":"10.0.0.1"}]}"#, ["/targets/1/address"]),
        ]
    )
    func refused(body: String, pointers: [String]) throws {
        let fixture = Fixture()
        try fixture.configure(
            "auto_targets: false\naccess: {targets: {allow: [192.0.2.0/24], loopback: false, kinds: [tcp, https, dns], "
                + "ports: [80, 443]}}"
        )
        let response = fixture.send("POST", "/targets", body)
        #expect(response.status == 422, "\(body)")
        #expect(try fixture.problem(response) == "invalid_target")
        #expect(try Set(fixture.pointers(response)) == Set(pointers))
        #expect(try Set(codes(response)) == ["target_denied"])
        #expect(try fixture.json("/targets")["total"] == .number(0))
    }

    @Test("POST, PUT and PATCH accept permitted targets and refuse changes to denied ones")
    func methods() throws {
        let fixture = Fixture()
        try fixture.configure("access: {targets: {allow: [192.0.2.0/24], kinds: [tcp]}}")
        #expect(fixture.send("POST", "/targets", #"{"id":"a","address":"192.0.2.1"}"#).status == 201)
        #expect(fixture.send("PUT", "/targets/b", #"{"host":"b.test"}"#).status == 201)
        #expect(fixture.send("PUT", "/targets/a", #"{"address":"192.0.3.1"}"#).status == 422)
        #expect(fixture.send("PATCH", "/targets/a", #"{"address":"192.0.3.1"}"#).status == 422)
        #expect(
            fixture.send("PATCH", "/targets/a", #"{"probe":{"type":"udp","port":1,"expect":{"silence":true}}}"#).status
                == 422
        )
        #expect(fixture.send("PATCH", "/targets/a", #"{"probe":{"type":"tcp","port":1}}"#).status == 200)
        #expect(try fixture.json("/targets/a")["address"] == .string("192.0.2.1"))
    }

    @Test("a stricter policy keeps existing targets, logs that once, and accepts only changes that comply")
    func tightened() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "state.json")
        let fixture = Fixture(stateFile: StateFile(path))
        try fixture.configure("auto_targets: false")
        fixture.send("POST", "/targets", #"{"id":"a","address":"10.0.0.1","probe":{"type":"tcp","port":1}}"#)
        fixture.send("POST", "/targets", #"{"id":"b","address":"192.0.2.1"}"#)
        let tight = "access: {targets: {allow: [192.0.2.0/24]}}\nauto_targets: false"
        func warnings(_ fixture: Fixture) -> [String] {
            fixture.notes.all.filter { $0.level == .warning }.map(\.text)
        }
        try fixture.configure(tight)
        #expect(warnings(fixture).count == 2)
        #expect(warnings(fixture).last?.hasPrefix("API target a is not probed: 10.0.0.1 ") == true)
        try fixture.configure(tight)
        #expect(warnings(fixture).count == 2)
        #expect(fixture.send("PATCH", "/targets/a", #"{"group":"g"}"#).status == 422)
        let again = Fixture(stateFile: StateFile(path))
        try again.configure(tight)
        #expect(warnings(again).count == 2)
        #expect(try again.json("/targets")["total"] == .number(2))
        #expect(again.send("PATCH", "/targets/a", #"{"address":"192.0.2.7"}"#).status == 200)
        #expect(again.send("DELETE", "/targets/a").status == 204)
    }
}
