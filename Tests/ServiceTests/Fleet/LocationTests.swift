// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import TestSupport
import Testing

@Suite(
    "Locations of a fleet that vote",
    .needsPostgreSQL,
    .enabled(if: Testbed.isAvailable, Comment(rawValue: Testbed.requirement)),
    .serialized,
    .timeLimit(.minutes(15)),
    .fleetServer
)
struct FleetLocationTests {
    private static let locations = ["berlin", "paris", "tokyo"]

    @Test("Of three locations, quorum two: failing for two is down, for one partly_down after settle, and up again")
    func quorum() async throws {
        try await TestFleet.with { fleet in
            // Each location has a loopback interface of its own, where the targets answer or not.
            let places = try Self.locations.map { _ in
                let place = try NetworkNamespace()
                try place.ip("link set lo up")
                return place
            }
            defer { for place in places { place.remove() } }
            let ports = try places.map {
                (most: try TargetPort(port: 7_001, in: $0), one: try TargetPort(port: 7_002, in: $0))
            }
            var nodes: [FleetProcess] = []
            for (name, place) in zip(Self.locations, places) {
                nodes.append(try await fleet.start(name, location: name, in: place))
            }
            for node in nodes { try await node.line("registered in the fleet") }
            try fleet.declare(["most": 7_001, "one": 7_002], watch: "{ watchers: 3, quorum: 2 }")
            try await fleet.change(of: "most", to: "up")
            try await fleet.change(of: "one", to: "up")
            try await fleet.expect("SELECT count(*) FROM votes WHERE state = 'up'", "6")

            ports[0].most.close()
            ports[1].most.close()
            ports[2].one.close()
            try await fleet.change(of: "most", to: "down")
            try await fleet.change(of: "one", to: "degraded")
            let verdicts = try await fleet.rows("SELECT target, cause, reason, detail FROM verdicts ORDER BY target")
            #expect(verdicts[0].hasPrefix("most target "), "\(verdicts)")
            #expect(verdicts[1] == "one path partly_down Down from tokyo, up from berlin and paris.")
            try ports[0].most.open()
            try ports[1].most.open()
            try ports[2].one.open()
            try await fleet.change(of: "most", to: "up")
            try await fleet.change(of: "one", to: "up")
            #expect(
                try await fleet.rows("SELECT count(*) FROM log WHERE target = 'one' AND to_state = 'down'") == ["0"]
            )
            #expect(
                try await fleet.changes(of: "one") == ["unknown up -", "up degraded path", "degraded up -"]
            )
            try await fleet.expectConsistentLog()
            withExtendedLifetime(nodes) {}
        }
    }

    @Test("A location whose network is down votes unreachable, so that no target is down; the others still decide")
    func cut() async throws {
        // Votes that come one after the other are no disagreement that lasts.
        try await TestFleet.with(settings: "{ lease: 2s, settle: 1m }") { fleet in
            let far = try NetworkNamespace()
            defer { far.remove() }
            try far.ip("link set lo up")
            try far.ip("addr add 198.51.100.1/32 dev lo")
            var places: [NetworkNamespace] = []
            defer { for place in places { place.remove() } }
            for number in 1...3 {
                let place = try NetworkNamespace()
                places.append(place)
                try place.ip("link set lo up")
                try place.ip("link add eth0 type veth peer name p\(number) netns \(far.name)")
                try place.ip("addr add 10.9.\(number).2/24 dev eth0")
                try place.ip("link set eth0 up")
                try far.ip("addr add 10.9.\(number).1/24 dev p\(number)")
                try far.ip("link set p\(number) up")
                try place.ip("route add default via 10.9.\(number).1")
            }
            let port = try TargetPort(port: 7_001, address: 0xc633_6401, in: far)
            var nodes: [FleetProcess] = []
            for (name, place) in zip(Self.locations, places) {
                nodes.append(try await fleet.start(name, location: name, in: place))
            }
            for node in nodes { try await node.line("registered in the fleet") }
            try fleet.declare(
                ["x": 7_001],
                address: "198.51.100.1",
                watch: "{ watchers: 3, quorum: 2, locations: [ berlin, paris, tokyo ] }"
            )
            try await fleet.change(of: "x", to: "up")
            try await fleet.expect("SELECT count(*) FROM votes WHERE state = 'up'", "3")
            // Two of three locations, which would be a quorum.
            try places[0].ip("link set eth0 down")
            try places[1].ip("link set eth0 down")
            try await fleet.expect(
                "SELECT location, state, cause FROM votes ORDER BY location",
                "berlin unreachable local_network",
                "paris unreachable local_network",
                "tokyo up -"
            )
            try await fleet.expect("SELECT count(*) FROM inbox", "0")
            #expect(try await fleet.rows("SELECT state FROM verdicts") == ["up"])
            #expect(try await fleet.changes(of: "x") == ["unknown up -"])
            try places[1].ip("link set eth0 up")
            try places[1].ip("route add default via 10.9.2.1")
            try await fleet.expect("SELECT state FROM votes WHERE location = 'paris'", "up")
            port.close()
            try await fleet.change(of: "x", to: "down")
            #expect(try await fleet.changes(of: "x") == ["unknown up -", "up down target"])
            try await fleet.expectConsistentLog()
            withExtendedLifetime(nodes) {}
        }
    }
}
