// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import MonitoringTestSupport
import NetworkPaths
import Probing
import Testing

import struct HTTPServer.HTTPHeader

@testable import Monitoring
@testable import ReachAPI

@Suite("/incidents")
struct IncidentRouteTests {
    private let fixture: Fixture

    /// Three targets that one host refuses, and one that is slow.
    init() throws {
        fixture = Fixture(hasProbes: true)
        fixture.registry.beginIncidents()
        fixture.tellNetwork(.up())
        fixture.registry.apply(targets: try ["a", "b", "c", "slow"].map { try .probed($0) })
        for id in ["a", "b", "c", "slow"] {
            fixture.emit(id, .up())
            fixture.record(id, .success)
        }
        let refusal = ProbeResult(
            outcome: .failure,
            reason: .connectRefused,
            detail: "connect: Connection refused",
            duration: .zero,
            address: IPAddress("198.51.100.10")
        )
        for id in ["a", "b", "c"] { fixture.record(id, refusal) }
        fixture.clock.advance(milliseconds: 1_000)
        fixture.record("slow", .slow)
    }

    private var ids: [String] {
        get throws { try #require(fixture.json("/incidents")["incidents"]?.array).compactMap { $0["id"]?.string } }
    }

    private func patch(_ id: String, _ body: String, _ headers: [HTTPHeader] = []) -> HTTPResponse {
        fixture.send("PATCH", "/incidents/\(id)", body, type: "application/merge-patch+json", headers: headers)
    }

    @Test("The list has the newest first, in pages, by filters, with a validator")
    func list() throws {
        let checker = try OpenAPITests()
        let list = try fixture.json("/incidents")
        try checker.expectValid(list, "IncidentList")
        let titles = list["incidents"]?.array?.compactMap { $0["title"]?.string }
        #expect(titles == ["slow is degraded: too slow", "198.51.100.10 refuses connections: 3 targets down"])
        #expect(list["open"] == .number(2))
        let first = try fixture.json("/incidents?limit=1")
        let next = try #require(first["next"]?.string)
        #expect(
            try fixture.json("/incidents?limit=1&cursor=\(next)")["incidents"]?.array?.first?["id"]?.string == ids.last
        )
        #expect(try fixture.json("/incidents?target=b")["incidents"]?.array?.count == 1)
        #expect(try fixture.json("/incidents?state=closed")["incidents"]?.array?.isEmpty == true)
        #expect(try fixture.json("/incidents?until=2020-01-01")["incidents"]?.array?.isEmpty == true)
        #expect(try fixture.json("/api/v1/incidents?since=2020-01-01&scope=node")["incidents"]?.array?.count == 2)
        let tag = try #require(fixture.respond("/incidents").header("ETag"))
        #expect(fixture.respond("/incidents", headers: [HTTPHeader("If-None-Match", tag)]).status == 304)
        for query in ["state=none", "cursor=x", "cursor=open.zz", "limit=0", "since=soon", "scope=fleet", "x=1"] {
            #expect(fixture.respond("/incidents?\(query)").status == 400, "\(query)")
        }
    }

    @Test("An incident has evidence, timeline, notes and its members in pages")
    func details() throws {
        let id = try #require(ids.last)
        let details = try fixture.json("/incidents/\(id)")
        try OpenAPITests().expectValid(details, "IncidentDetails")
        #expect(details[["evidence", "code"]] == .string("connect_refused"))
        #expect(details["members"]?.array?.compactMap { $0["target"]?.string } == ["a", "b", "c"])
        #expect(details["kind"] == .string("refusal") && details["subject"] == .string("198.51.100.10"))
        let part = try fixture.json("/incidents/\(id)?limit=2")
        #expect(part["next"] == .string("2"))
        let rest = try fixture.json("/incidents/\(id)?limit=2&cursor=2")
        #expect(rest["members"]?.array?.compactMap { $0["target"]?.string } == ["c"] && rest["next"] == nil)
        for (path, status) in [("abcd-99999", 404), ("%FF", 400), ("\(id)?cursor=-1", 400), ("\(id)?scope=fleet", 400)]
        {
            #expect(fixture.respond("/incidents/\(path)").status == status, "\(path)")
        }
        #expect(try fixture.problem(fixture.respond("/incidents/none")) == "unknown_incident")
    }

    @Test("A person acknowledges, mutes and writes; the same again changes nothing; null ends it")
    func edits() throws {
        let id = try #require(ids.last)
        let body =
            #"{"acknowledged_by":"anna","muted_until":"2026-11-22T12:00:00Z","note":{"author":"anna","text":"full\ndisk"}}"#
        let answer = patch(id, body)
        #expect(answer.status == 200, "\(answer.text)")
        let incident = try JSONValue(parsing: answer.bytes)
        try OpenAPITests().expectValid(incident, "IncidentDetails")
        #expect(incident[["acknowledged", "by"]] == .string("anna"))
        #expect(incident["muted_until"] == .string("2026-11-22T12:00:00.000Z"))
        #expect(incident["notes"]?.array?.first?["text"] == .string("full\ndisk"))
        let sequence = fixture.registry.sequence
        #expect(patch(id, body).header("ETag") == answer.header("ETag"))
        #expect(fixture.registry.sequence == sequence)
        let ended = try JSONValue(parsing: patch(id, #"{"acknowledged_by":null,"muted_until":null}"#).bytes)
        #expect(ended["acknowledged"] == nil && ended["muted_until"] == nil)
        #expect(
            ended["timeline"]?.array?.compactMap { $0["event"]?.string }.suffix(2) == ["unacknowledged", "unmuted"]
        )
        #expect(patch(id, "{}").status == 200)
    }

    @Test("If-Match holds until a person changes the incident")
    func conditions() throws {
        let id = try #require(ids.last)
        let tag = HTTPHeader("If-Match", try #require(fixture.respond("/incidents/\(id)").header("ETag")))
        fixture.record("a", .success)
        #expect(patch(id, #"{"acknowledged_by":"anna"}"#, [tag]).status == 200, "what becomes of targets is no edit")
        let refused = patch(id, #"{"acknowledged_by":"bob"}"#, [tag])
        #expect(try refused.status == 412 && fixture.problem(refused) == "precondition_failed")
        #expect(patch(id, #"{"acknowledged_by":"bob"}"#, [HTTPHeader("If-Match", "*")]).status == 200)
    }

    @Test(
        "Bodies that are refused, with a pointer to what is wrong",
        arguments: [
            (#"{"x":1}"#, "/x"), ("[]", ""), (#"{"acknowledged_by":7}"#, "/acknowledged_by"),
            (#"{"acknowledged_by":""}"#, "/acknowledged_by"), (#"{"acknowledged_by":"a\nb"}"#, "/acknowledged_by"),
            (#"{"muted_until":"2h"}"#, "/muted_until"), (#"{"note":"x"}"#, "/note"),
            (#"{"note":{"author":"a"}}"#, "/note/text"), (#"{"note":{"text":"t"}}"#, "/note/author"),
            (#"{"note":{"author":"a","text":"\#(String(repeating: "x", count: 2_001))"}}"#, "/note/text"),
            (#"{"note":{"author":"a","text":"\u001b[2J"}}"#, "/note/text"),
            (#"{"note":{"author":"a","text":"t","z":1}}"#, "/note/z"),
        ]
    )
    func refusals(body: String, pointer: String) throws {
        let id = try #require(ids.last)
        let sequence = fixture.registry.sequence
        let response = patch(id, body)
        #expect(response.status == 422)
        #expect(try fixture.problem(response) == "invalid_incident_change")
        #expect(try fixture.pointers(response) == [pointer])
        #expect(fixture.registry.sequence == sequence)
    }

    @Test("Other refusals: no JSON, another type, an unknown incident, too many notes")
    func otherRefusals() throws {
        let id = try #require(ids.last)
        #expect(patch(id, "{").status == 400)
        #expect(fixture.send("PATCH", "/incidents/\(id)", "{}", type: "text/plain").status == 415)
        #expect(patch("abcd-99999", "{}").status == 404)
        for number in 0..<IncidentLimits.notes {
            #expect(patch(id, #"{"note":{"author":"a","text":"\#(number)"}}"#).status == 200)
        }
        let refused = patch(id, #"{"note":{"author":"a","text":"one more"}}"#)
        #expect(try refused.status == 422 && fixture.problem(refused) == "invalid_incident_change")
        #expect(fixture.respond("/incidents/\(id)", method: "DELETE").status == 405)
    }

    @Test("Reading and changing need their scopes")
    func scopes() throws {
        var settings = APISettings()
        settings.access.tokens = [
            try AccessTests.token("reader", [.read]), try AccessTests.token("writer", [.write]),
        ]
        let guarded = Fixture(settings: settings)
        func status(_ method: String, _ token: String) -> Int {
            guarded.send(method, "/incidents/abcd-1", "{}", headers: AccessTests.bearer(token)).status
        }
        #expect(status("PATCH", "reader") == 403 && status("PATCH", "writer") == 404 && status("PATCH", "none") == 401)
        let list = { guarded.respond("/incidents", headers: AccessTests.bearer($0)).status }
        #expect(list("reader") == 200 && list("writer") == 403)
    }

    @Test("Events follow the state events, alone by their type, and with a filter those of matching incidents")
    func events() throws {
        let checker = try OpenAPITests()
        let all = try fixture.stream("?since=abcd-0&follow=false").drain()
        let incidents = all.filter { $0.type == "incident" }
        #expect(incidents.count == 4)
        for event in incidents { try checker.expectValid(event.data, "IncidentEvent") }
        let ids = all.compactMap(\.id)
        #expect(ids == ids.sorted { Int($0.dropFirst(5)) ?? 0 < Int($1.dropFirst(5)) ?? 0 })
        let only = try fixture.stream("?since=abcd-0&follow=false&event=incident&target=a").drain().filter {
            $0.type != "hello"
        }
        // The fourth is of an incident without the target.
        #expect(only.map(\.type) == ["incident", "incident", "incident"])
        let filtered = try fixture.stream("?since=abcd-0&follow=false&target=a").drain()
        #expect(filtered.filter { $0.type == "incident" }.map(\.id) == only.map(\.id))
        let opened = try #require(incidents.first?.data)
        #expect(opened["action"] == .string("opened") && opened["joined_count"] == .number(1))
        #expect(opened[["incident", "id"]]?.string == incidents.first?.id)
    }

    @Test("Metrics have each cause and severity")
    func metrics() {
        let exposition = Exposition(fixture.respond("/metrics").bytes)
        #expect(exposition.value("reachd_incidents", ["cause": "target", "severity": "down"]) == "1")
        #expect(exposition.value("reachd_incidents", ["cause": "target", "severity": "degraded"]) == "1")
        #expect(exposition.value("reachd_incidents", ["cause": "local_network", "severity": "unreachable"]) == "0")
        #expect(exposition.value("reachd_incidents_opened_total") == "2")
    }
}
