// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Foundation
import TestSupport
import Testing

@Suite("Reading the whole fleet on any node", .needsPostgreSQL, .serialized, .timeLimit(.minutes(15)), .fleetServer)
struct FleetReadingTests {
    private static let locations = ["a": "berlin", "b": "berlin", "c": "paris"]

    /// Three nodes in two locations, two targets that answer and one that does not, which each location has probed.
    private func withNodes(_ body: (TestFleet, [FleetProcess]) async throws -> Void) async throws {
        try await TestFleet.with { fleet in
            let (good, bad) = (try TargetPort(), try TargetPort())
            bad.close()
            var nodes: [FleetProcess] = []
            for (name, location) in Self.locations.sorted(by: { $0.key < $1.key }) {
                nodes.append(
                    try await fleet.start(name, location: location, more: ", url: \"https://\(name).example\"")
                )
            }
            for node in nodes { try await node.line("registered in the fleet") }
            try fleet.declare(
                ["t1": good.port, "t2": good.port, "x": bad.port],
                watch: "{ watchers: 2, quorum: 2 }"
            )
            try await fleet.expect("SELECT target, state FROM verdicts ORDER BY target", "t1 up", "t2 up", "x down")
            try await fleet.expect(
                """
                SELECT count(*) FROM targets t JOIN assignments a USING (placement, shard)
                JOIN votes v ON v.target = t.id AND v.location = a.location AND v.token = a.token WHERE a.confirmed = a.token
                """,
                "6"
            )
            try await fleet.expect("SELECT count(*) FROM inbox", "0")
            try await body(fleet, nodes)
            withExtendedLifetime(good) {}
        }
    }

    /// The bodies of all nodes, without what is allowed to differ, as soon as these are equal: votes are still being stored.
    private func same(_ path: String, _ nodes: [FleetProcess], without members: [String] = []) async throws -> String {
        var last: [String] = []
        return try await awaitValue("equal answers to \(path)", last: { "\(last)" }) {
            last = try nodes.map { node in
                let reply = try node.get(path)
                var text = "\(reply.status) \(reply.text)"
                let time = try Regex(#""generated_at":"[^"]*""#)
                text.replace(time, with: "")
                guard !members.isEmpty, reply.status == 200 else { return text }
                var object = try #require(
                    try JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any]
                )
                for member in members { object[member] = nil }
                return String(
                    decoding: try JSONSerialization.data(withJSONObject: object, options: .sortedKeys),
                    as: UTF8.self
                )
            }
            return Set(last).count == 1 ? last[0] : nil
        }
    }

    /// The status codes of all nodes.
    private func statuses(_ path: String, _ nodes: [FleetProcess], known: String? = nil) throws -> [Int] {
        let headers = known.map { ["If-None-Match": $0] } ?? [:]
        return try nodes.map { try HTTPClient.get(path, port: $0.port, headers: headers).status }
    }

    @Test("All nodes answer the same: lists, one target with its votes, history and status")
    func answers() async throws {
        try await withNodes { fleet, nodes in
            let list = try await same("/targets", nodes)
            #expect(list.contains(#""scope":"fleet""#) && list.contains(#""total":3"#))
            let target = try await same("/targets/x", nodes)
            for part in [
                #""id":"x""#, #""state":"down""#,
                #""quorum":{"watchers":2,"needed":2,"well":0,"ill":0,"against":2,"void":0}"#,
                #""location":"berlin""#, #""location":"paris","node":"c","url":"https://c.example""#,
                #""origin":"fleet""#,
            ] { #expect(target.contains(part), "\(target)") }
            #expect(try await same("/targets/x/health", nodes).hasPrefix("503 "))
            #expect(try await same("/targets?state=down&fields=state", nodes).contains(#"[{"id":"x","state":"down"}]"#))
            #expect(try await same("/targets/x/history", nodes).contains(#""to":"down""#))
            #expect(try await same("/targets/t1/badge.svg", nodes).contains("up"))
            #expect(try await same("/targets/none", nodes).hasPrefix("404 "))
            #expect(try await same("/targets/%00", nodes).hasPrefix("400 "))
            let status = try await same(
                "/status",
                nodes,
                without: ["service", "generated_at", "fleet", "probing", "activity", "network", "history"]
            )
            #expect(status.contains(#""scope":"fleet""#) && status.contains(#""down":1"#), "\(status)")
            #expect(try statuses("/status?fail_on=down", nodes) == [503, 503, 503])
            #expect(try statuses("/status?fail_on=degraded", nodes) == [200, 200, 200])
            let overview = try await same("/fleet/nodes/b", nodes)
            #expect(overview.contains(#""name":"b","location":"berlin","state":"live""#))
            #expect(try await same("/fleet/nodes/none", nodes).contains("unknown_node"))
        }
    }

    @Test("Pages of a list are read on different nodes; what only a node knows is refused with 400")
    func queries() async throws {
        try await withNodes { fleet, nodes in
            var found = ""
            var cursor = ""
            for node in nodes {
                let reply = try node.get("/targets?fields=id&limit=1\(cursor)")
                found += reply.text.firstMatch(of: /\{"id":"[^"]*"\}/).map { String($0.output) } ?? ""
                cursor = reply.text.firstMatch(of: /"next":"([^"]*)"/).map { "&cursor=\($0.output.1)" } ?? ""
            }
            #expect(found == #"{"id":"t1"}{"id":"t2"}{"id":"x"}"# && cursor.isEmpty)
            // The fleet's cursor is none of a node's list, and the other way round.
            let fleets = try nodes[0].get("/targets?limit=1").text.firstMatch(of: /"next":"([^"]*)"/)
            let fleetCursor = try #require(fleets).output.1
            let several = try nodes.first { try $0.get("/targets?scope=node&limit=1").text.contains(#""next""#) }
            let owner = try #require(several)
            let own = try owner.get("/targets?scope=node&limit=1").text.firstMatch(of: /"next":"([^"]*)"/)
            let nodeCursor = try #require(own).output.1
            #expect(try owner.get("/targets?scope=node&cursor=\(nodeCursor)").status == 200)
            for query in [
                "/targets?cursor=\(nodeCursor)", "/targets?scope=node&cursor=\(fleetCursor)",
                "/targets?status=reachable",
                "/events?key=status", "/events?key=state&key=status", "/events?include=result", "/metrics?scope=fleet",
                "/targets/x?scope=all", "/fleet/nodes?scope=node", "/targets/x/history?cursor=fleet.1",
            ] {
                let reply = try owner.get(query)
                #expect(reply.status == 400 && reply.text.contains("invalid_parameter"), "\(query): \(reply.text)")
            }
        }
    }

    @Test("A client that has the list gets 304 from every node, until a verdict or only a vote changes")
    func validators() async throws {
        try await withNodes { fleet, nodes in
            for query in ["/targets", "/targets?fields=state", "/targets/x"] {
                _ = try await same(query, nodes)
                let tag = try #require(try nodes[0].get(query)["ETag"])
                for node in nodes {
                    let reply = try HTTPClient.get(query, port: node.port, headers: ["If-None-Match": tag])
                    #expect(reply.status == 304 && reply.body.isEmpty && reply["ETag"] == tag, "\(query)")
                }
            }
            let list = try #require(try nodes[0].get("/targets")["ETag"])
            let states = try #require(try nodes[0].get("/targets?fields=state")["ETag"])
            try await fleet.rows("UPDATE votes SET state = 'degraded' WHERE target = 'x' AND location = 'paris'")
            #expect(try statuses("/targets", nodes, known: list) == [200, 200, 200])
            #expect(try statuses("/targets?fields=state", nodes, known: states) == [304, 304, 304])
            try fleet.apply("targets: []", prints: "3 removed")
            #expect(try statuses("/targets?fields=state", nodes, known: states) == [200, 200, 200])
        }
    }

    private func post(_ port: UInt16, _ path: String, _ headers: [String: String] = [:]) throws -> HTTPReply {
        try HTTPClient.request("POST", path, port: port, headers: headers)
    }

    @Test("A node is drained and taken back on another one; a page of another site may not")
    func draining() async throws {
        try await withNodes { fleet, nodes in
            let port = nodes[0].port
            let live = try await same("/fleet/nodes/b", nodes)
            #expect(live.contains(#""state":"live""#))
            for headers in [["Origin": "http://evil.example"], ["Sec-Fetch-Site": "cross-site"]] {
                #expect(try post(port, "/fleet/nodes/b/drain", headers).status == 403)
            }
            #expect(try nodes[0].get("/fleet/nodes/b/drain").status == 405)
            #expect(try await fleet.rows("SELECT name FROM nodes WHERE draining").isEmpty)
            #expect(try post(port, "/fleet/nodes/b/drain").text == #"{"name":"b","is_draining":true}"#)
            #expect(try await fleet.rows("SELECT name FROM nodes WHERE draining") == ["b"])
            for node in nodes { #expect(try node.get("/fleet/nodes/b").text.contains(#""state":"draining""#)) }
            #expect(try post(port, "/api/v1/fleet/nodes/%62/undrain").text == #"{"name":"b","is_draining":false}"#)
            #expect(try await fleet.rows("SELECT name FROM nodes WHERE draining").isEmpty)
            #expect(try post(port, "/fleet/nodes/none/drain").status == 404)
            #expect(try post(port, "/fleet/nodes/%00/drain").status == 400)
            #expect(try post(port, "/fleet/nodes/b/drain?scope=fleet").status == 400)
        }
    }
}
