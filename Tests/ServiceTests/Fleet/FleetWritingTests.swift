// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Foundation
import TestSupport
import Testing

@Suite("Changing the whole fleet on any node", .needsPostgreSQL, .serialized, .timeLimit(.minutes(15)), .fleetServer)
struct FleetWritingTests {
    private func send(
        _ method: String,
        _ path: String,
        _ body: String? = nil,
        to node: FleetProcess,
        match: String? = nil
    ) throws -> HTTPReply {
        var headers = ["Content-Type": "application/json"]
        headers["If-Match"] = match
        return try HTTPClient.request(method, path, port: node.port, headers: headers, body: body)
    }

    private func declaration(_ id: String, _ port: UInt16) -> String {
        """
        { "id": "\(id)", "address": "127.0.0.1",
          "probe": { "type": "tcp", "port": \(port), "interval": "1s", "timeout": "1s", "fall": 1, "rise": 1 } }
        """
    }

    @Test("A target that one node adds is probed, changed on another one, and removed on a third")
    func life() async throws {
        try await TestFleet.with { fleet in
            let port = try TargetPort()
            let nodes = try await fleet.start(["a", "b", "c"])
            let added = try send("POST", "/targets", declaration("web", port.port), to: nodes[0])
            #expect(added.status == 201 && added["Location"] == "/targets/web", "\(added.text)")
            #expect(added.text.contains(#""origin":"api""#) && added.text.contains(#""watch":{"watchers":1"#))
            try await fleet.becomesUp(["web"])
            let read = try nodes[1].get("/targets/web")
            let tag = try #require(read["ETag"])
            #expect(read.text.contains(#""state":"up""#), "\(read.text)")

            // Another node: first with what the first answer named, then with an outdated validator.
            let patched = try send("PATCH", "/targets/web", #"{"group":"shop"}"#, to: nodes[1], match: added["ETag"])
            #expect(patched.status == 200 && patched.text.contains(#""group":"shop""#), "\(patched.text)")
            let outdated = try send("DELETE", "/targets/web", to: nodes[2], match: tag)
            #expect(outdated.status == 412 && outdated.text.contains("precondition_failed"))
            #expect(try send("POST", "/targets", declaration("web", port.port), to: nodes[2]).status == 409)

            let closed = try TargetPort()
            closed.close()
            let put = try send("PUT", "/targets/web", declaration("web", closed.port), to: nodes[2])
            #expect(put.status == 200, "\(put.text)")
            try await fleet.change(of: "web", to: "down")

            let newest = try #require(put["ETag"])
            #expect(try send("DELETE", "/targets/web", to: nodes[2], match: newest).status == 204)
            for node in nodes {
                #expect(try node.get("/targets/web").status == 404)
                try await awaitValue("\(node.name) does not watch it") { try node.state(of: "web") == nil ? true : nil }
            }
            #expect(
                try await fleet.rows("SELECT data::json->>'action' FROM log WHERE type = 'target' ORDER BY seq")
                    == ["added", "updated", "updated", "removed"]
            )
            #expect(try await fleet.rows("SELECT count(*) FROM votes") == ["0"])
            withExtendedLifetime(port) {}
        }
    }

    @Test("The fleet's incidents: any node lists them, shows one with its members, and takes people's changes")
    func incidents() async throws {
        try await TestFleet.with { fleet in
            let ports = [try TargetPort(), try TargetPort()]
            let nodes = try await fleet.start(["a", "b"])
            for (name, port) in zip(["web", "mail"], ports) {
                #expect(try send("POST", "/targets", declaration(name, port.port), to: nodes[0]).status == 201)
            }
            try await fleet.becomesUp(["mail", "web"])
            for port in ports { port.close() }
            func list(_ node: FleetProcess, _ query: String = "") throws -> [[String: Any]] {
                let reply = try node.get("/incidents\(query)")
                let object = try JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any]
                return object?["incidents"] as? [[String: Any]] ?? []
            }
            let incident = try await awaitValue("both targets are in one incident") { () -> [String: Any]? in
                let found = try list(nodes[1], "?state=open").first
                return (found?["targets"] as? [String: Any])?["total"] as? Int == 2 ? found : nil
            }
            #expect(incident["title"] as? String == "127.0.0.1 refuses connections: 2 targets down")
            let id = try #require(incident["id"] as? String)
            for node in nodes {
                let shown = try node.get("/incidents/\(id)").text
                #expect(shown.contains(#""target":"mail""#) && shown.contains(#""target":"web""#), "\(shown)")
                #expect(shown.contains(#""code":"connect_refused""#))
            }
            // A node's own view has what that node watches.
            #expect(try list(nodes[0], "?scope=node").allSatisfy { $0["id"] as? String != id })
            let change = #"{"acknowledged_by":"eve","note":{"author":"eve","text":"A cable."}}"#
            let changed = try send("PATCH", "/incidents/\(id)", change, to: nodes[1])
            #expect(changed.status == 200 && changed.text.contains(#""acknowledged":{"by":"eve""#), "\(changed.text)")
            #expect(try nodes[0].get("/incidents/\(id)").text.contains(#""text":"A cable.""#))
            #expect(try send("PATCH", "/incidents/\(id)", change, to: nodes[1], match: "\"x-1\"").status == 412)
            #expect(try send("PATCH", "/incidents/0-1", change, to: nodes[1]).status == 404)
            #expect(try send("PATCH", "/incidents/%27", change, to: nodes[1]).status == 404)
            for port in ports { try port.open() }
            try await awaitValue("the incident is over") { try list(nodes[0], "?state=open").isEmpty ? true : nil }
            #expect(
                try await fleet.rows("SELECT data::json->>'action' FROM log WHERE type = 'incident' ORDER BY seq").last
                    == "closed"
            )
        }
    }

    @Test("Targets of a file, unknown parents and cycles are refused on every node, and nothing of a list is added")
    func refusals() async throws {
        try await TestFleet.with { fleet in
            try fleet.apply("source: one\ntargets: [ { id: f, address: 127.0.0.1 } ]", prints: "applied: 1 added")
            let nodes = try await fleet.start(["a", "b"])
            func problem(_ reply: HTTPReply) throws -> String {
                let object = try JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any]
                return "\(reply.status) \(object?["type"] ?? "") \(object?["detail"] ?? "")"
            }
            let readOnly = try problem(send("DELETE", "/targets/f", to: nodes[0]))
            #expect(readOnly.hasPrefix("409 urn:reachd:problem:read_only_target The source one declares the target"))
            let list =
                #"{"targets":[{"id":"x","address":"127.0.0.1"},{"id":"y","address":"127.0.0.1","depends_on":"z"}]}"#
            let orphan = try send("POST", "/targets", list, to: nodes[1])
            #expect(orphan.status == 422 && orphan.text.contains(#""/targets/1/depends_on""#), "\(orphan.text)")
            #expect(try send("GET", "/targets/x", to: nodes[0]).status == 404)
            let pair = list.replacing(#""z""#, with: #"["x","f"]"#)
            #expect(try send("POST", "/targets", pair, to: nodes[1]).status == 201)
            let cycle = try send("PATCH", "/targets/x", #"{"depends_on":"y"}"#, to: nodes[0])
            #expect(cycle.status == 422 && cycle.text.contains("depend on each other"), "\(cycle.text)")
            #expect(
                try problem(send("DELETE", "/targets/x", to: nodes[0])).contains(
                    "target_in_use Other targets depend on it: y."
                )
            )
            let folder = try TemporaryFolder()
            let file = try folder.write("targets: [ { id: x, address: 127.0.0.1 } ]", to: "fleet.yaml")
            let refused = try fleet.command("apply", file)
            #expect(refused.status == 1 && refused.output.contains("x was added over HTTP"), "\(refused.output)")
        }
    }

    @Test("Addresses that access.targets forbids are neither declared nor, on the node that owns the target, probed")
    func policy() async throws {
        try await TestFleet.with { fleet in
            let port = try TargetPort()
            let owner = try await fleet.start(
                "a",
                location: "berlin",
                configuration: "access: { targets: { deny: [ 127.0.0.0/8 ] } }"
            )
            let other = try await fleet.start("b", location: "paris")
            for node in [owner, other] { try await node.line("registered in the fleet") }
            let body = declaration("web", port.port).dropLast(2) + #", "watch": { "locations": "berlin" } }"#
            let denied = try send("POST", "/targets", String(body), to: owner)
            #expect(denied.status == 422 && denied.text.contains("target_denied"), "\(denied.text)")
            let added = try send("POST", "/targets", String(body), to: other)
            #expect(added.status == 201, "\(added.text)")
            try await awaitValue(
                "the owner does not probe it",
                last: { (try? owner.get("/targets/web?scope=node").text) ?? "" }
            ) {
                try owner.get("/targets/web?scope=node").text.contains("target_denied") ? true : nil
            }
            withExtendedLifetime(port) {}
        }
    }

    @Test("A probe on request and a heartbeat are taken by a node that does not watch the target, and by one that does")
    func commands() async throws {
        try await TestFleet.with { fleet in
            let port = try TargetPort()
            let nodes = [
                try await fleet.start("a", location: "berlin"), try await fleet.start("b", location: "paris"),
            ]
            for node in nodes { try await node.line("registered in the fleet") }
            port.close()
            try fleet.apply(
                """
                watch: { locations: berlin }
                targets:
                  - { id: web, address: 127.0.0.1, probe: { type: tcp, port: \(port.port), interval: 1h, fall: 1, rise: 1 } }
                  - { id: job, address: 127.0.0.1, probe: { type: push, interval: 1h } }
                """,
                prints: "2 added"
            )
            try await fleet.change(of: "web", to: "down")
            try port.open()
            let probe = try send("POST", "/targets/web/probe", to: nodes[1])
            #expect(probe.status == 202 && probe.text.contains(#""id":"web""#), "\(probe.text)")
            try await fleet.change(of: "web", to: "up")

            #expect(try send("POST", "/targets/job/heartbeat?status=fail&detail=no%20tape", to: nodes[1]).status == 204)
            try await fleet.change(of: "job", to: "down")
            #expect(try nodes[1].get("/targets/job").text.contains("no tape"))
            #expect(try send("POST", "/targets/job/heartbeat", to: nodes[0]).status == 204)
            try await fleet.change(of: "job", to: "up")

            for (path, status) in [
                ("/targets/job/probe", 409), ("/targets/web/heartbeat", 409), ("/targets/none/probe", 404),
                ("/targets/none/heartbeat", 404),
            ] {
                #expect(try send("POST", path, to: nodes[1]).status == status, "\(path)")
            }
            // A paused target is nobody's.
            #expect(try send("POST", "/targets/web/pause", to: nodes[1]).status == 200)
            #expect(try send("POST", "/targets/web/probe", to: nodes[1]).status == 409)
            try await fleet.rows("UPDATE commands SET at = at - 120000000")
            try await fleet.expect("SELECT count(*) FROM commands", "0")
        }
    }
}
