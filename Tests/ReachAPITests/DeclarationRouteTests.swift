// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Monitoring
import MonitoringTestSupport
import Probing
import Synchronization
import Testing

import struct HTTPServer.HTTPHeader

@testable import ReachAPI

@Suite("Declarations for forms")
struct DeclarationRouteTests {
    let fixture = Fixture(hasProbes: true)

    // MARK: The declaration of a target

    @Test("A declaration is returned as it was written, with the validator of a change")
    func declaration() throws {
        let probe = #"{"type":"http","url":"http://192.0.2.1/?key=a","headers":{"X":"secret"}}"#
        let text = #"{"id":"web","address":"192.0.2.1","probe":\#(probe)}"#
        fixture.send("POST", "/targets", text)
        let response = fixture.respond("/targets/web/declaration")
        #expect(response.status == 200)
        #expect(response.header("Cache-Control") == "no-store")
        #expect(try JSONValue(parsing: response.bytes) == JSONValue(parsing: text))
        let tag = try #require(response.header("ETag"))
        // The state is no part of the declaration.
        fixture.emit("web", .down())
        func patch(_ body: String) -> Int {
            fixture.send(
                "PATCH",
                "/targets/web",
                body,
                type: "application/merge-patch+json",
                headers: [HTTPHeader("If-Match", tag)]
            ).status
        }
        #expect(patch(#"{"group":"a"}"#) == 200)
        #expect(patch(#"{"group":"b"}"#) == 412)
        #expect(try fixture.json("/targets/web/declaration")["group"] == .string("a"))
    }

    @Test("Other targets have no declaration")
    func others() throws {
        try fixture.configure("targets: [{id: config, address: 127.0.0.1}]\nauto_targets: true")
        fixture.send("POST", "/targets", #"{"id":"over","address":"192.0.2.1"}"#)
        #expect(fixture.respond("/targets/over/declaration").status == 200)
        try fixture.configure("targets: [{id: config, address: 127.0.0.1}, {id: over, address: 127.0.0.2}]")
        for id in ["config", "over"] {
            let response = fixture.respond("/targets/\(id)/declaration")
            #expect(response.status == 409)
            #expect(try fixture.problem(response) == "read_only_target")
        }
        #expect(fixture.respond("/targets/none/declaration").status == 404)
        #expect(fixture.respond("/targets/%zz/declaration").status == 400)
    }

    @Test("A declaration may have secrets: reading it needs the permission to change it")
    func permission() throws {
        fixture.send("POST", "/targets", #"{"id":"web","address":"192.0.2.1"}"#)
        #expect(fixture.respond("/targets/web/declaration", peer: "192.0.2.7:1").status == 403)
        #expect(fixture.respond("/targets/web", peer: "192.0.2.7:1").status == 200)
        let foreign = [HTTPHeader("Sec-Fetch-Site", "cross-site")]
        #expect(fixture.respond("/targets/web/declaration", headers: foreign).status == 403)
        #expect(Route.declaration.scope(.get) == .write && Route.declaration.scope(.head) == .write)
    }

    // MARK: A trial

    private func trial(_ body: String) throws -> HTTPResponse { fixture.send("POST", "/check", body) }

    @Test("A trial probes what is declared, and stores nothing")
    func check() throws {
        let response = try trial(#"{"id":"web","address":"192.0.2.1","probe":{"type":"tcp","port":80,"timeout":"2s"}}"#)
        guard case .deferred = response.body else { throw Fixture.NoStream(status: response.status) }
        let asked = fixture.probes.state.withLock { $0.asked.map(\.request) }
        #expect(asked.map(\.kind.name) == ["tcp"] && asked.first?.timeout == .seconds(2))
        fixture.probes.answer(
            ProbeResult(outcome: .failure, reason: .connectRefused, detail: "no", duration: .milliseconds(3))
        )
        let late = try #require(response.late)
        #expect(late.status == 200)
        let body = try JSONValue(parsing: late.bytes)
        let checker = SchemaChecker(document: try OpenAPIDocument.load())
        let schema = try #require(checker.document[["components", "schemas", "Trial"]])
        #expect(checker.faults(body, against: schema).isEmpty)
        #expect(body["code"] == .string("connect_refused"))
        #expect(body[["result", "outcome"]] == .string("failure") && body[["result", "detail"]] == .string("no"))
        #expect(fixture.registry.target("web") == nil && fixture.declarations.isEmpty)
    }

    @Test("The id of another target is no error; a denied address of a name is")
    func existing() throws {
        fixture.send("POST", "/targets", #"{"id":"web","address":"192.0.2.1"}"#)
        let response = try trial(#"{"id":"web","host":"a.example","probe":{"type":"tcp","port":80}}"#)
        fixture.probes.answer(ProbeResult(outcome: .failure, reason: .targetDenied, detail: "no", duration: .zero))
        #expect(response.late?.status == 403)
    }

    @Test(
        "What cannot be tried",
        arguments: [
            ("{", 400), (#"{"address":"192.0.2.1","probe":{"type":"htp"}}"#, 422), (#"{"address":"192.0.2.1"}"#, 409),
            (#"{"address":"192.0.2.1","probe":{"type":"push","interval":"1h"}}"#, 409),
            (#"{"address":"192.0.2.1","probe":{"type":"traffic","port":80}}"#, 409),
        ]
    )
    func refused(body: String, status: Int) throws {
        #expect(try trial(body).status == status)
        #expect(fixture.probes.state.withLock { $0.asked.isEmpty })
    }

    @Test("A trial needs the type JSON, and a client waits for at most 32 probes")
    func limits() throws {
        #expect(fixture.send("POST", "/check", "{}", type: "text/plain").status == 415)
        let body = #"{"address":"192.0.2.1","probe":{"type":"icmp"}}"#
        var waiting: [HTTPResponse] = []
        for _ in 0..<RequestHandler.probesPerClient { waiting.append(try trial(body)) }
        #expect(try trial(body).status == 429)
        fixture.probes.answer(nil)
        #expect(waiting.allSatisfy { $0.late?.status == 503 })
    }

    @Test("Both wait for their turn among the changes, and not on the thread of HTTP")
    func turns() throws {
        let jobs = JobList()
        let wiring = RequestHandler.ServiceDependencies(write: { jobs.append($0) })
        let fixture = Fixture(hasProbes: true, wiring: wiring)
        let added = fixture.send("POST", "/targets", #"{"id":"web","address":"192.0.2.1"}"#)
        jobs.run()
        #expect(added.late?.status == 201)
        let declaration = fixture.respond("/targets/web/declaration")
        let removed = fixture.respond("/targets/web", method: "DELETE")
        let gone = fixture.respond("/targets/web/declaration")
        let body = #"{"address":"192.0.2.1","probe":{"type":"icmp"}}"#
        let trial = fixture.send("POST", "/check", body)
        let malformed = fixture.send("POST", "/check", "{")
        #expect([declaration, removed, gone, trial, malformed].allSatisfy { $0.late == nil })
        #expect(fixture.probes.state.withLock { $0.asked.isEmpty } && jobs.count == 5)
        jobs.run()
        #expect(declaration.late?.status == 200 && removed.late?.status == 204 && gone.late?.status == 404)
        #expect(malformed.late?.status == 400 && trial.late == nil)
        // A trial does not keep its turn while it probes.
        #expect(fixture.handler.pendingWrites.load(ordering: .relaxed) == 0)
        fixture.probes.answer(.success)
        #expect(trial.late?.status == 200)
        for _ in 0..<RequestHandler.maximumPendingWrites { _ = fixture.send("POST", "/check", body) }
        #expect(fixture.send("POST", "/check", body).status == 503)
    }

    @Test("access.targets applies to trials as to targets")
    func policy() throws {
        try fixture.configure("access: { targets: { deny: [192.0.2.0/24] } }")
        let response = try trial(#"{"address":"192.0.2.1","probe":{"type":"icmp"}}"#)
        #expect(response.status == 422)
        let errors = try JSONValue(parsing: response.bytes)["errors"]?.array ?? []
        #expect(errors.contains { $0["code"] == .string("target_denied") })
    }
}
