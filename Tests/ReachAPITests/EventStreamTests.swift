// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Monitoring
import MonitoringTestSupport
import NetworkPaths
import Testing

@testable import ReachAPI

@Suite("The stream of events")
struct EventStreamTests {
    let fixture = Fixture()
    private let web = TargetSettings.address("web", group: "edge", tags: ["env": "prod"])

    private func text(_ stream: any StreamSource) -> String {
        var bytes: [UInt8] = []
        while case .bytes(let piece) = stream.next() { bytes += piece }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("The head of the stream and its first bytes are sent at once")
    func opening() throws {
        let response = fixture.respond("/events")
        #expect(response.status == 200)
        #expect(response.header("Content-Type") == "text/event-stream")
        #expect(response.header("Cache-Control") == "no-cache")
        let stream = try fixture.stream()
        #expect(
            text(stream)
                == "retry: 3000\nevent: hello\nid: abcd-0\n"
                + #"data: {"epoch":"abcd","sequence":0,"server_time":"2026-11-18T11:06:40.123Z","version":"0.1.0"}"#
                + "\n\n"
        )
        guard case .idle = stream.next() else {
            Issue.record("There is more")
            return
        }
    }

    @Test("A delivery and a change of state, byte for byte")
    func bytes() throws {
        fixture.registry.apply(targets: [web])
        fixture.emit("web", .up())
        let stream = try fixture.stream()
        _ = try stream.drain()
        fixture.emit("web", .down(.linkDown), ChangeTrigger(.link, interface: "eth0"))
        #expect(
            text(stream)
                == "event: reachability\nid: abcd-4\n"
                + #"data: {"target":"web","status":"not_reachable","status_code":0,"reachable":false,"#
                + #""reachable_via_wwan":false,"reachable_via_wifi":false,"#
                + #""flags":{"value":0,"names":[],"text":"-- -------"},"#
                + #""path":{"status":"unsatisfied","unsatisfied_reason":"link_down","is_expensive":false,"#
                + #""is_constrained":false,"supports_ipv4":false,"supports_ipv6":false,"supports_dns":false,"#
                + #""generation":3},"resolution":{"state":"not_needed","addresses":[]},"#
                + #""previous":{"status":"reachable_via_wifi","status_code":2,"#
                + #""flags":{"value":2,"names":["reachable"],"text":"-R -------"}},"status_changed":true,"#
                + #""trigger":{"kind":"link","interface":"eth0"},"#
                + #""reason":{"code":"link_down","detail":"The outgoing interface is down."},"#
                + #""cause":"local_network","at":"2026-11-18T11:06:40.123Z"}"#
                + "\n\nevent: path\nid: abcd-5\n"
                + #"data: {"target":"web","changed":["status","unsatisfied_reason","interface","source_address","#
                + #""gateway","supports_ipv4","generation"],"#
                + #""path":{"status":"unsatisfied","unsatisfied_reason":"link_down","is_expensive":false,"#
                + #""is_constrained":false,"supports_ipv4":false,"supports_ipv6":false,"supports_dns":false,"#
                + #""generation":3},"previous":{"path":{"status":"satisfied","#
                + #""interface":{"name":"eth0","index":2,"type":"wired_ethernet"},"source_address":"192.0.2.7","#
                + #""gateway":"192.0.2.1","is_expensive":false,"is_constrained":false,"supports_ipv4":true,"#
                + #""supports_ipv6":false,"supports_dns":false,"generation":1}},"#
                + #""trigger":{"kind":"link","interface":"eth0"},"at":"2026-11-18T11:06:40.123Z"}"#
                + "\n\nevent: state\nid: abcd-6\n"
                + #"data: {"target":"web","from":"up","to":"unreachable","#
                + #""reason":{"code":"link_down","detail":"The outgoing interface is down."},"#
                + #""cause":"local_network","previous_since":"2026-11-18T11:06:40.123Z","#
                + #""at":"2026-11-18T11:06:40.123Z"}"#
                + "\n\n"
        )
    }

    @Test("R20, R57: the first delivery of a target comes from unknown; the network's target is null")
    func first() throws {
        let stream = try fixture.stream("?event=reachability")
        fixture.registry.apply(targets: [web])
        fixture.emit("web", .down())
        fixture.tellNetwork(.up())
        let events = try stream.drain().dropFirst()
        #expect(events.map(\.type) == ["reachability", "reachability"])
        #expect(events.first?.data?[["previous", "status"]] == .string("unknown"))
        #expect(events.first?.data?[["previous", "status_code"]] == .number(-1))
        #expect(events.first?.data?["status_changed"] == .boolean(true))
        #expect(events.last?.data?["target"] == .null)
    }

    @Test("Targets and configurations")
    func declarations() throws {
        let stream = try fixture.stream()
        fixture.registry.apply(targets: [web])
        var renamed = web
        renamed.name = "W"
        let changes = fixture.registry.apply(targets: [renamed])
        fixture.registry.announce(.reloaded(targets: changes, settings: ["http.listen"]))
        fixture.registry.announce(.rejected(faults: ["reachd.yaml:3:1: unknown key `tragets`"]))
        fixture.registry.apply(targets: [])
        let events = try stream.drain().dropFirst()
        #expect(events.map(\.type) == ["target", "target", "config", "config", "target"])
        #expect(
            events.compactMap { $0.data?["action"]?.string }
                == ["added", "updated", "reloaded", "rejected", "removed"]
        )
        let bodies = Array(events)
        #expect(bodies[1].data?[["target", "name"]] == .string("W"))
        #expect(bodies[2].data?[["targets", "updated"]] == .number(1))
        #expect(bodies[2].data?["settings"] == .array([.string("http.listen")]))
        #expect(bodies[3].data?["faults"]?.array?.count == 1)
    }

    @Test("format=message: the default name, the type inside the data, the rest the same")
    func messages() throws {
        let plain = try fixture.stream("?snapshot=1&key=state")
        let messages = try fixture.stream("?snapshot=1&key=state&format=message")
        fixture.registry.apply(targets: [web])
        fixture.emit("web", .up())
        let left = try plain.drain()
        let right = try messages.drain()
        #expect(left.count == right.count)
        for (event, message) in zip(left, right) {
            #expect(message.type == "message")
            #expect(message.data?["type"]?.string == event.type)
            #expect(message.id == event.id)
            #expect(message.data?.keys == event.data?.keys.union(["type"]))
        }
    }

    @Test(
        "Filters by target, tag, group and type",
        arguments: [
            ("?target=web", ["web"]), ("?target=web&target=db", ["web", "db"]), ("?tag=env:prod", ["web"]),
            ("?group=data", ["db"]), ("?group=data&tag=env:prod", []), ("", ["web", "db", nil]),
            ("?target=later", []),
        ] as [(String, [String?])]
    )
    func filters(query: String, wanted: [String?]) throws {
        fixture.registry.apply(targets: [web, .address("db", "198.51.100.2", group: "data")])
        let stream = try fixture.stream(query + (query.isEmpty ? "?" : "&") + "event=reachability")
        fixture.emit("web", .up())
        fixture.emit("db", .up())
        fixture.tellNetwork(.up())
        let targets = try stream.drain().dropFirst().map { $0.data?["target"]?.string }
        #expect(targets == wanted)
    }

    @Test("config events pass a target filter only when the type is named")
    func configFilter() throws {
        let silent = try fixture.stream("?target=web")
        let asked = try fixture.stream("?target=web&event=config")
        fixture.registry.announce(.rejected(faults: []))
        #expect(try silent.drain().map(\.type) == ["hello"])
        #expect(try asked.drain().map(\.type) == ["hello", "config"])
    }

    @Test("distinct omits deliveries with an unchanged status, but no other events")
    func distinct() throws {
        fixture.registry.apply(targets: [web])
        let stream = try fixture.stream("?distinct=true")
        fixture.emit("web", .up())
        var moved = NetworkPath.up(generation: 2)
        moved.interface?.index = 7
        fixture.emit("web", moved)
        fixture.emit("web", .cellular)
        #expect(try stream.drain().dropFirst().map(\.type) == ["reachability", "state", "path", "reachability"])
    }

    @Test("A change of DNS support is one event of the machine")
    func dns() throws {
        fixture.tellNetwork(.up())
        let stream = try fixture.stream()
        fixture.registry.environmentDidChange(NetworkEnvironment(supportsDNS: true))
        let event = try #require(try stream.drain().last)
        #expect(event.type == "path")
        #expect(event.data?["target"] == .null)
        #expect(event.data?["changed"] == .array([.string("supports_dns")]))
    }

    @Test("A keep-alive is a comment, and updates the client's id when no event does")
    func heartbeat() throws {
        let stream = try fixture.stream("?target=nobody")
        #expect(stream.heartbeat == Array(": heartbeat\n\n".utf8))
        _ = try stream.drain()
        fixture.tellNetwork(.up())
        #expect(try stream.drain().isEmpty)
        #expect(stream.heartbeat == Array(": heartbeat\nid: abcd-1\n\n".utf8))
    }

    @Test("Streams with equal queries share one render cache, which ends with the last of them")
    func sharing() throws {
        fixture.registry.apply(targets: [web])
        let first = try fixture.stream("?target=web")
        let second = try fixture.stream("?target=web")
        _ = try first.drain()
        _ = try second.drain()
        fixture.emit("web", .up())
        guard case .bytes(let left) = first.next(), case .bytes(let right) = second.next() else {
            Issue.record("There is nothing to read")
            return
        }
        #expect(left == right)
        let addresses = [left, right].map { bytes in
            unsafe bytes.withUnsafeBytes { Int(bitPattern: $0.baseAddress) }
        }
        #expect(addresses[0] == addresses[1])
        let view = fixture.handler.feed.open(EventQuery())
        #expect(fixture.handler.feed.open(EventQuery()) === view)
        fixture.handler.feed.close(view)
        fixture.handler.feed.close(view)
        #expect(fixture.handler.feed.open(EventQuery()) !== view)
        first.didEnd()
        first.didEnd()
    }
}
