// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import Synchronization
import TestSupport
import Testing

@Suite("Receivers of a fleet's notifications", .needsPostgreSQL, .serialized, .timeLimit(.minutes(15)), .fleetServer)
struct FleetReceiverTests {
    private static func configuration(_ hook: HookServer, more: String = "") -> String {
        """
        notify:
          - name: ops
            group_wait: 0s
            max_per_target: 100
            max_backoff: 1s
            webhook: { url: "http://127.0.0.1:\(hook.port)/", timeout: 60s }
        \(more)
        """
    }

    /// The name of the node that serves the receiver.
    private static func server(of fleet: TestFleet) async throws -> String {
        try await fleet.rows("SELECT node FROM receivers WHERE node IS NOT NULL") { !$0.isEmpty }[0]
    }

    /// The statuses of messages, without those that were sent again.
    private static func statuses(_ messages: [HookServer.Request]) -> [String] {
        var seen: Set<String> = []
        return messages.filter { seen.insert($0.id).inserted }.map { message in
            message.body.contains("\"status\":\"firing\"") ? "firing" : "resolved"
        }
    }

    @Test(
        "Two locations watch a target: one message for its incident and one for the end, and one node reports a target of its own"
    )
    func once() async throws {
        try await TestFleet.with(settings: "{ lease: 2s, settle: 60s }") { fleet in
            let hook = try HookServer()
            let (port, own) = (try TargetPort(), try TargetPort())
            let a = try await fleet.start("a", location: "berlin", configuration: Self.configuration(hook))
            let probe = "{ type: tcp, port: \(own.port), interval: 1s, fall: 1 }"
            let more = "targets: [ { id: own, address: 127.0.0.1, probe: \(probe) } ]"
            let b = try await fleet.start("b", location: "paris", configuration: Self.configuration(hook, more: more))
            _ = try await Self.server(of: fleet)
            try fleet.declare(["web": port.port], watch: "{ watchers: 2, quorum: 2 }")
            try await fleet.change(of: "web", to: "up")
            try await awaitValue("own is up") { try b.state(of: "own") == "up" ? true : nil }
            port.close()
            try await hook.requests.next { $0.body.contains("\"target\":\"web\"") && $0.body.contains("\"firing\"") }
            own.close()
            try await hook.requests.next { $0.body.contains("\"target\":\"own\"") }
            try port.open()
            try await hook.requests.next { $0.body.contains("\"target\":\"web\"") && $0.body.contains("\"resolved\"") }
            // Both nodes have sent all that they will: their places are behind the newest events.
            try await fleet.expect("SELECT consumed = (SELECT seq FROM log_head) FROM receivers", "t")
            let sent = hook.requests.events
            let ofWeb = sent.filter { $0.body.contains("\"target\":\"web\"") }
            #expect(Self.statuses(ofWeb) == ["firing", "resolved"])
            let incident = try await fleet.rows("SELECT id FROM incidents")[0]
            #expect(ofWeb.allSatisfy { $0.body.contains("\"key\":\"\(incident)\"") }, "\(incident)")
            #expect(Set(sent.map(\.id)).count == sent.count && sent.count == 3, "\(sent.map(\.body))")
            // Who does not serve the receiver says so, and has no error.
            let statuses = [a, b].map { try? $0.get("/status?scope=node").text }
            #expect(statuses.filter { $0?.contains(#""fleet":{"is_served":true"#) == true }.count == 1)
            #expect(statuses.filter { $0?.contains(#""fleet":{"is_served":false}"#) == true }.count == 1)
            let overview = try a.get("/fleet/nodes").text
            #expect(overview.contains(#""receivers":[{"name":"ops","node":""#), "\(overview)")
            #expect(overview.contains(#""is_ambiguous":false"#))
        }
    }

    @Test("The node that serves a receiver is killed during a delivery: another one repeats it and continues")
    func killed() async throws {
        try await TestFleet.with { fleet in
            let hook = try HookServer { _, count in count == 0 ? .hang : .status(204) }
            let port = try TargetPort()
            var nodes: [FleetProcess] = []
            for name in ["a", "b", "c"] {
                nodes.append(try await fleet.start(name, configuration: Self.configuration(hook)))
            }
            let owner = try await Self.server(of: fleet)
            try fleet.declare(["web": port.port])
            try await fleet.becomesUp(["web"])
            port.close()
            let first = try await hook.requests.next()
            let victim = try #require(nodes.first { $0.name == owner })
            victim.kill()
            nodes.removeAll { $0 === victim }
            let second = try await hook.requests.next(after: 1)
            #expect(second.id == first.id && second.body == first.body)
            #expect(try await Self.server(of: fleet) != owner)
            // The next one to end does so in order; nothing is in flight, so nothing is repeated.
            try await fleet.expect("SELECT consumed = (SELECT seq FROM log_head) FROM receivers", "t")
            let next = try await Self.server(of: fleet)
            let leaving = try #require(nodes.first { $0.name == next })
            #expect(try await leaving.terminate() == 0)
            nodes.removeAll { $0 === leaving }
            try port.open()
            _ = try await hook.requests.next { $0.body.contains("\"resolved\"") }
            port.close()
            _ = try await hook.requests.next(after: 3)
            let sent = hook.requests.events
            #expect(sent.count == 4 && Self.statuses(sent) == ["firing", "resolved", "firing"])
        }
    }

    @Test("The node that serves a receiver is killed again and again while a target goes down and comes back")
    func killedRepeatedly() async throws {
        let kills = 4
        try await TestFleet.with(settings: "{ lease: 1s }") { fleet in
            // Some deliveries fail, and are tried again by whoever serves the receiver then.
            let hook = try HookServer { _, count in count % 5 == 1 ? .status(503) : .status(204) }
            let (target, nodes) = (try TargetPort(), Nodes())
            for name in ["a", "b", "c"] {
                nodes.add(try await fleet.start(name, configuration: Self.configuration(hook)))
            }
            _ = try await Self.server(of: fleet)
            try fleet.declare(["web": target.port])
            try await fleet.becomesUp(["web"])
            for number in 0..<kills {
                let before = hook.requests.count
                target.close()
                try await fleet.change(of: "web", to: "down")
                let owner = try await Self.server(of: fleet)
                if number % 2 == 0 { try await hook.requests.next(after: before) { $0.body.contains("\"firing\"") } }
                nodes.kill(owner)
                nodes.add(try await fleet.start(owner, configuration: Self.configuration(hook)))
                // Meanwhile a connection of a node may have the port.
                try await awaitValue("the port") { try? target.open() }
                try await fleet.change(of: "web", to: "up")
            }
            try await awaitValue("the end") { Self.statuses(hook.requests.events).last == "resolved" ? true : nil }
            try await fleet.expect("SELECT consumed = (SELECT seq FROM log_head) FROM receivers", "t")
            // A turn that no node could report in time is part of the one before.
            let statuses = Self.statuses(hook.requests.events)
            #expect(statuses.first == "firing" && statuses.last == "resolved", "\(statuses)")
            #expect(statuses.count >= 2)
        }
    }

    /// The nodes of a test by name.
    private final class Nodes: Sendable {
        private let nodes = Mutex<[String: FleetProcess]>([:])

        func add(_ node: FleetProcess) { nodes.withLock { $0[node.name] = node } }

        func kill(_ name: String) { nodes.withLock { $0.removeValue(forKey: name) }?.kill() }
    }
}
