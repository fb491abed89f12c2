// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization
import TestSupport
import Testing

@Suite("Streams of the whole fleet", .needsPostgreSQL, .serialized, .timeLimit(.minutes(15)), .fleetServer)
struct FleetStreamTests {
    private static let flips = 30

    @Test("Clients that resume on random nodes receive each event once, in the same bytes, also when a node is killed")
    func roaming() async throws {
        try await TestFleet.with(settings: "{ lease: 1s }") { fleet in
            let port = try TargetPort()
            var nodes = try await fleet.start(["a", "b", "c"])
            try declare(port.port, in: fleet)
            try await fleet.becomesUp(["x"])
            let epoch = try await fleet.rows("SELECT epoch FROM log_head")[0]
            let list = Ports(nodes.map(\.port))
            let clients = try (1...3).map { number in
                try RoamingClient(
                    after: "\(epoch)-0",
                    count: 1 + 2 * Self.flips,
                    ports: { list.all },
                    seed: UInt64(number)
                )
            }
            defer { for client in clients { client.stop() } }
            for flip in 0..<Self.flips {
                port.close()
                try await fleet.change(of: "x", to: "down")
                if flip % 10 == 5 {
                    // The owner: its target is taken over, and streams end in mid-event.
                    let owner = try await fleet.rows(TestFleet.owners)[0].split(separator: " ")[1]
                    let place = try #require(nodes.firstIndex { $0.name == owner })
                    nodes[place].kill()
                    nodes[place] = try await fleet.start(nodes[place].name)
                    list.replace(place, with: nodes[place].port)
                }
                try port.open()
                try await fleet.change(of: "x", to: "up")
            }
            let received = clients.map { $0.end() }
            let stored = try await fleet.rows("SELECT seq, data FROM log WHERE type = 'state' ORDER BY seq")
            #expect(stored.count == 1 + 2 * Self.flips)
            for messages in received {
                #expect(messages.allSatisfy { $0.event == "state" && $0.id?.hasPrefix("\(epoch)-") ?? false })
                #expect(messages == received[0])
                #expect(messages.map { "\($0.id?.split(separator: "-").last ?? "") \($0.data)" } == stored)
            }
        }
    }

    /// Awaits an event.
    private func receives(_ stream: EventCollector, _ matches: (SSEMessage) -> Bool) async throws {
        try await awaitValue("an event", last: { "\(stream.messages.suffix(5))" }) {
            stream.messages.contains(where: matches) ? true : nil
        }
    }

    /// Declares a target that is probed often.
    private func declare(_ port: UInt16, in fleet: TestFleet) throws {
        try fleet.apply(
            """
            targets:
            - { id: x, address: 127.0.0.1,
                probe: { type: tcp, port: \(port), interval: 200ms, timeout: 200ms, fall: 1, rise: 1 } }
            """,
            prints: "1 added"
        )
    }

    /// The ports of nodes that may be started again.
    private final class Ports: Sendable {
        private let list: Mutex<[UInt16]>

        init(_ ports: [UInt16]) { list = Mutex(ports) }

        var all: [UInt16] { list.withLock { $0 } }

        func replace(_ place: Int, with port: UInt16) { list.withLock { $0[place] = port } }
    }

    @Test("A stream begins with the fleet's targets, in pages, and goes on with what follows")
    func snapshot() async throws {
        try await TestFleet.with { fleet in
            let port = try TargetPort()
            let nodes = try await fleet.start(["a", "b"])
            let targets = (100..<250).map { "t\($0)" }
            try fleet.declare(Dictionary(uniqueKeysWithValues: targets.map { ($0, port.port) }))
            try await fleet.becomesUp(targets)
            let streams = try nodes.map {
                try EventCollector("?snapshot=1&key=state&options=initial", after: nil, port: $0.port)
            }
            for stream in streams { try await receives(stream) { $0.id != nil } }
            for stream in streams {
                let messages = stream.messages
                #expect(messages.count { $0.event == "snapshot" && $0.data.contains(#""scope":"fleet""#) } == 2)
                for target in targets { #expect(messages.contains { $0.data.contains("\"id\":\"\(target)\"") }) }
            }
        }
    }

    @Test("Without the database lists are refused, the status says why, and open streams continue without a gap")
    func outage() async throws {
        let server = try PostgreSQLServer()
        try await TestFleet.with(server, settings: "{ lease: 1s }") { fleet in
            let port = try TargetPort()
            let nodes = try await fleet.start(["a", "b", "c"])
            try declare(port.port, in: fleet)
            try await fleet.becomesUp(["x"])
            let epoch = try await fleet.rows("SELECT epoch FROM log_head")[0]
            // The third node has no stream: nothing but requests connects it again.
            let streams = try nodes.prefix(2).map { try EventCollector("?since=\(epoch)-0", after: nil, port: $0.port) }
            for stream in streams { try await receives(stream) { $0.id == "\(epoch)-1" } }
            try server.stop()
            for node in nodes { try await node.line("the fleet's database cannot be used") }
            for node in nodes {
                for path in [
                    "/targets", "/targets/x", "/targets/x/history", "/targets/x/uptime", "/fleet/nodes", "/events",
                ] {
                    let reply = try await awaitValue("503 for \(path)") {
                        let reply = try node.get(path == "/events" ? "/events?follow=0" : path)
                        return reply.status == 503 ? reply : nil
                    }
                    #expect(reply.text.contains("fleet_unavailable") && reply["Retry-After"] != nil, "\(path)")
                }
                #expect(try node.get("/targets?scope=node").status == 200)
                let status = try node.get("/status")
                #expect(status.status == 200 && status.text.contains(#""is_usable":false"#), "\(status.text)")
                #expect(!status.text.contains(#""summary""#) && status.text.contains(#""scope":"fleet""#))
                #expect(try node.get("/status?fail_on=down").status == 503)
                #expect(try node.get("/status?scope=node&fail_on=down").status == 200)
            }
            port.close()
            try server.start()
            try await fleet.reconnect()
            try await fleet.change(of: "x", to: "down")
            // Streams alone are asked for, as by a page that was open.
            try await awaitValue("a stream of the node without one") {
                try nodes[2].get("/events?follow=0&since=\(epoch)-0").status == 200 ? true : nil
            }
            try port.open()
            try await fleet.change(of: "x", to: "up")
            let stored = try await fleet.rows("SELECT seq, data FROM log WHERE type = 'state' ORDER BY seq")
            for stream in streams {
                try await receives(stream) { stored.last?.hasSuffix($0.data) ?? false }
                let events = stream.messages.filter { $0.event == "state" }
                #expect(events.map { "\($0.id?.split(separator: "-").last ?? "") \($0.data)" } == stored)
                #expect(stream.messages.count { $0.event == "hello" } == 1)
            }
        }
    }
}
