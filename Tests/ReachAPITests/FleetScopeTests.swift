// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Monitoring
import MonitoringTestSupport
import PostgreSQL
import Testing

@testable import Configuration
@testable import Fleet
@testable import ReachAPI

extension FleetReader {
    /// A reader whose database cannot be read, and which says so at once.
    static func closed() throws -> FleetReader {
        let reader = try FleetReader(database: try DatabaseSettings(uri: "postgresql:///fleet?host=/none&user=reachd"))
        { _ in nil }
        reader.close()
        return reader
    }
}

@Suite("The fleet's scope without its database")
struct FleetScopeTests {
    let fixture: Fixture

    init() throws {
        var wiring = RequestHandler.ServiceDependencies()
        wiring.fleetReader = try .closed()
        wiring.fleetBodies = FleetBodyReader(policy: { nil })
        fixture = Fixture(wiring: wiring)
        fixture.registry.apply(targets: [.address("web")])
    }

    private func problem(_ response: HTTPResponse) throws -> String? {
        try JSONValue(parsing: response.bytes)["type"]?.string?.split(separator: ":").last.map(String.init)
    }

    @Test(
        "Answers that need it are 503 with the time of the next attempt; those of the node itself are given",
        arguments: [
            "/targets", "/targets/web", "/targets/web/health", "/targets/web/history", "/targets/web/uptime",
            "/targets/web/timeline", "/targets/web/badge.svg", "/targets/none",
        ]
    )
    func unavailable(path: String) throws {
        for query in ["", "?scope=fleet"] {
            let response = fixture.respond(path + query)
            #expect(response.status == 503 && response.header("Retry-After") != nil)
            #expect(try problem(response) == "fleet_unavailable")
        }
        // A target that was not asked yet is not healthy.
        let own = fixture.respond(path + "?scope=node")
        #expect(own.status != 503 || own.text.contains(#""state":"unknown""#), "\(own.text)")
    }

    @Test("So are those about nodes, and writes")
    func nodes() throws {
        for response in [
            fixture.respond("/fleet/nodes"), fixture.respond("/fleet/nodes/a"), fixture.post("/fleet/nodes/a/drain"),
            fixture.post("/fleet/nodes/a/undrain"),
        ] {
            #expect(response.status == 503)
            #expect(try problem(response) == "fleet_unavailable")
        }
    }

    @Test("A pause of a target that is not the node's own is the fleet's, and asks the database")
    func pause() throws {
        #expect(fixture.post("/targets/web/pause").status == 200)
        for path in ["/targets/other/pause", "/targets/other/resume"] {
            let response = fixture.post(path)
            #expect(response.status == 503)
            #expect(try problem(response) == "fleet_unavailable")
        }
        #expect(try problem(fixture.post("/targets/a%2Fb/pause")) == "unknown_target")
    }

    @Test("A probe or a heartbeat of a target that is not the node's own is the fleet's, and asks the database")
    func commands() throws {
        for path in [
            "/targets/other/probe", "/targets/other/heartbeat", "/targets/other/heartbeat?scope=fleet&status=fail",
        ] {
            let response = fixture.post(path)
            #expect(response.status == 503, "\(path)")
            #expect(try problem(response) == "fleet_unavailable")
        }
        for (path, type) in [
            ("/targets/web/probe", "no_probe"), ("/targets/web/heartbeat", "no_probe"),
            ("/targets/other/probe?scope=node", "unknown_target"),
            ("/targets/other/heartbeat?scope=node", "unknown_target"),
            ("/targets/other/heartbeat?status=x", "invalid_parameter"), ("/targets/a%2Fb/probe", "unknown_target"),
            ("/targets/a%2Fb/heartbeat", "unknown_target"), ("/targets/%zz/probe", "bad_encoding"),
        ] {
            #expect(try problem(fixture.post(path)) == type, "\(path)")
        }
    }

    @Test("A change of targets is the fleet's, and asks the database; with scope=node it is the node's own")
    func changes() throws {
        let body = #"{"address":"192.0.2.1"}"#
        for (method, path) in [
            ("POST", "/targets"), ("PUT", "/targets/a"), ("PATCH", "/targets/a"), ("DELETE", "/targets/a"),
        ] {
            for query in ["", "?scope=fleet"] {
                let response = fixture.send(method, path + query, method == "DELETE" ? "" : body)
                #expect(response.status == 503 && response.header("Retry-After") != nil, "\(method)")
                #expect(try problem(response) == "fleet_unavailable")
            }
        }
        #expect(fixture.send("PUT", "/targets/a?scope=node", body).status == 201)
        #expect(fixture.send("PATCH", "/targets/a?scope=node", #"{"group":"g"}"#).status == 200)
        #expect(fixture.send("POST", "/targets?scope=node", body).status == 201)
        #expect(fixture.send("DELETE", "/targets/a?scope=node").status == 204)
    }

    @Test("What is wrong with a change is said before the database is asked")
    func refusedChanges() throws {
        for (method, path, body, type) in [
            ("POST", "/targets", "{", "malformed_body"), ("POST", "/targets", "{}", "invalid_target"),
            ("PUT", "/targets/a", "{", "malformed_body"), ("PATCH", "/targets/a", "{", "malformed_body"),
            ("PATCH", "/targets/a", "[]", "invalid_target"), ("PUT", "/targets/%00", "{}", "bad_encoding"),
            ("PATCH", "/targets/%00", "{}", "bad_encoding"), ("PATCH", "/targets/a%20b", "{}", "unknown_target"),
            ("POST", "/targets", "{\"host\":\"a\",\"group\":\"\\u0000\"}", "invalid_target"),
            ("POST", "/targets?scope=x", "{}", "invalid_parameter"), ("PUT", "/targets/%zz", "{}", "bad_encoding"),
            ("POST", "/targets", #"{"host":"a","watch":{"watchers":2,"quorum":3}}"#, "invalid_target"),
            ("DELETE", "/targets/a%2Fb", "", "unknown_target"), ("DELETE", "/targets/a?x=1", "", "invalid_parameter"),
        ] {
            #expect(try problem(fixture.send(method, path, body)) == type, "\(method) \(path)")
        }
        #expect(fixture.send("POST", "/targets", "{}", type: "text/plain").status == 415)
        #expect(fixture.send("POST", "/targets", #"{"targets":[]}"#).text == #"{"targets":[],"total":0}"#)
        var wiring = RequestHandler.ServiceDependencies()
        wiring.fleetReader = try .closed()
        #expect(Fixture(wiring: wiring).send("POST", "/targets", "{}").status == 501)
    }

    @Test("What makes no sense is refused before the database is asked")
    func refused() throws {
        for (path, type) in [
            ("/targets?status=reachable", "invalid_parameter"), ("/targets?cursor=abcd.1", "invalid_parameter"),
            ("/targets?scope=both", "invalid_parameter"), ("/events?key=status", "invalid_parameter"),
            ("/events?include=result", "invalid_parameter"), ("/events?event=result", "invalid_parameter"),
            ("/events?event=state&event=activity", "invalid_parameter"), ("/metrics?scope=fleet", "invalid_parameter"),
            ("/targets/%zz", "bad_encoding"), ("/targets/a%2Fb", "unknown_target"),
            ("/fleet/nodes/%zz", "bad_encoding"),
            ("/fleet/nodes/%00", "bad_encoding"),
        ] {
            #expect(try problem(fixture.respond(path)) == type, "\(path)")
        }
        #expect(fixture.respond("/metrics?scope=node").status == 200)
        #expect(fixture.respond("/targets?cursor=fleet.1").status == 503)
    }

    @Test("A stream waits for the log, and sends nothing but heartbeats until then")
    func stream() throws {
        let response = fixture.respond("/events?snapshot=1")
        guard case .stream(let stream) = response.body else { throw Fixture.NoStream(status: response.status) }
        for _ in 0..<3 { #expect(try stream.drain().isEmpty) }
        #expect(stream.heartbeat == Array(": heartbeat\n\n".utf8))
        stream.didEnd()
        #expect(fixture.respond("/events", method: "HEAD").status == 200)
    }
}
