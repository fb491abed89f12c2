// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import MonitoringTestSupport
import NetworkPaths
import TestSupport
import Testing

@testable import Monitoring
@testable import Probing

/// A client's copy of `/targets`: a snapshot, and the events applied to it as docs/events.md says.
private struct TargetsCopy {
    private(set) var targets: [String: JSONValue] = [:]

    /// What the members of a target that events do not report are documented to be: each probe's result may change them.
    static let volatile: Set<String> = ["pending", "is_flapping", "decision", "last_result", "advice"]

    /// What a single target has in `system_configuration`.
    private static let system = [
        "status", "status_code", "reachable", "reachable_via_wwan", "reachable_via_wifi", "flags",
    ]

    mutating func apply(_ event: ServerSentEvent) throws {
        guard let data = event.data else { return }
        switch event.type {
        case "snapshot":
            for target in data["targets"]?.array ?? [] { targets[try #require(target["id"]?.string)] = target }
        case "target":
            let target = try #require(data["target"])
            let id = try #require(target["id"]?.string)
            targets[id] = data["action"]?.string == "removed" ? nil : target
        case "reachability":
            try change(event, data, ["path", "resolution", "reason", "cause"]) { members in
                let system = Self.system.compactMap { name in data[name].map { (name, $0) } }
                members["system_configuration"] = .object(Dictionary(uniqueKeysWithValues: system))
            }
        case "path":
            let changed = data["changed"]?.array ?? []
            try change(event, data, ["path"] + (changed.contains(.string("resolution")) ? ["resolution"] : []))
        case "state":
            try change(event, data, ["reason", "cause"]) { members in
                members["state"] = data["to"]
                if data["from"] != data["to"] { members["since"] = data["at"] }
            }
        case "certificate": try change(event, data, [])
        default: break
        }
    }

    private mutating func change(
        _ event: ServerSentEvent,
        _ data: JSONValue,
        _ names: [String],
        _ body: (inout [String: JSONValue]) -> Void = { _ in }
    ) throws {
        guard let id = data["target"]?.string else { return }
        guard case .object(var members)? = targets[id] else {
            Issue.record("An event speaks of \(id), which was not added")
            return
        }
        for name in names { members[name] = data[name] }
        let sequence = try #require(event.id?.split(separator: "-").last.flatMap { Double($0) })
        members["sequence"] = .number(sequence)
        body(&members)
        targets[id] = .object(members)
    }
}

/// What GET shows, the stream reports.
@Suite("A client copy that follows the stream")
struct StreamCopyTests {
    @Test("After random changes it equals GET in every member that is not documented as volatile", arguments: 0..<40)
    func differential(seed: UInt64) throws {
        let fixture = Fixture()
        var random = SeededGenerator(seed: seed)
        var declared = try Self.declarations(&random)
        fixture.registry.apply(targets: declared)
        if Bool.random(using: &random) { fixture.emit("plain", .up()) }
        let stream = try fixture.stream("?snapshot=1")
        var copy = TargetsCopy()
        for step in 0..<120 {
            fixture.clock.advance(milliseconds: 1_000)
            try Self.change(fixture, &declared, &random)
            guard step % 3 == 0 || step == 119 else { continue }
            for event in try stream.drain() { try copy.apply(event) }
            try Self.expectEqual(copy, fixture)
        }
    }

    private static func expectEqual(_ copy: TargetsCopy, _ fixture: Fixture) throws {
        let shown = try #require(fixture.json("/targets?limit=100")["targets"]?.array)
        #expect(copy.targets.count == shown.count)
        for target in shown {
            let id = try #require(target["id"]?.string)
            for body in [target, try fixture.json("/targets/\(id)")] {
                let mine = try #require(copy.targets[id])
                // A list does not have it, and a copy only after the first delivery.
                let isShown = body["system_configuration"] != nil && mine["system_configuration"] != nil
                let absent = TargetsCopy.volatile.union(isShown ? [] : ["system_configuration"])
                for member in body.keys.union(mine.keys).subtracting(absent) {
                    try #require(body[member] == mine[member], "\(id): \(member)")
                }
            }
        }
    }

    private static let ids = ["plain", "probed", "child", "named", "push"]

    private static func declarations(_ random: inout SeededGenerator) throws -> [TargetSettings] {
        [
            .address("plain"), try .probed("probed"), try .probed("child", dependsOn: ["probed"]),
            try .probedByName("named"), try .calling("push"),
        ]
    }

    private static let paths: [NetworkPath] = {
        var moved = NetworkPath.up(gateway: "192.0.2.2", generation: 2)
        moved.interface?.index = 9
        var resolved = NetworkPath.up()
        resolved.resolution = Resolution(state: .complete, addresses: [IPAddress(ipv4: 9)])
        return [
            .up(), moved, resolved, .cellular, .down(), .down(.prohibited), .down(.linkDown), .down(.kernelRefused),
            .up(generation: 4),
        ]
    }()

    private static let results: [ProbeResult] = [
        .success, .success, .slow, .failure(), .failure(.connectRefused, "refused by another"),
        .failure(.timeout, "no answer in 5,001 ms"), .failure(.timeout, "no answer in 5,002 ms"),
        .failure(.nameNotFound, "there is no name"), .failure(.networkUnreachable, "no way"),
    ]

    private static func change(
        _ fixture: Fixture,
        _ declared: inout [TargetSettings],
        _ random: inout SeededGenerator
    ) throws {
        let id = declared.randomElement(using: &random)?.id ?? "plain"
        switch Int.random(in: 0..<16, using: &random) {
        case 0..<4: fixture.emit(id, paths.randomElement(using: &random) ?? .up())
        case 4..<9:
            let isProbed = declared.contains { $0.id == id && $0.probe != nil }
            if isProbed { fixture.record(id, results.randomElement(using: &random) ?? .success) }
        case 9: fixture.registry.setPaused(true, target: id)
        case 10: fixture.registry.setPaused(false, target: id)
        case 11: fixture.registry.setMaintenance(Bool.random(using: &random), target: id)
        case 12:
            fixture.registry.environmentDidChange(NetworkEnvironment(supportsDNS: Bool.random(using: &random)))
        case 13:
            let index = Int.random(in: declared.indices, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: declared[index].tags["round"] = String(UInt8.random(in: 0...255, using: &random))
            case 1: declared[index].probe = declared[index].probe == nil ? try TargetSettings.probed("x").probe : nil
            default:
                declared[index].request = PathRequest(
                    .address(IPAddress(ipv4: 0xc633_6400 | UInt32.random(in: 0...255, using: &random)))
                )
            }
            fixture.registry.apply(targets: declared)
        case 14:
            guard declared.count > 2 else { return }
            declared.remove(at: Int.random(in: declared.indices, using: &random))
            fixture.registry.apply(targets: declared)
        default:
            declared = try declarations(&random)
            fixture.registry.apply(targets: declared)
        }
    }

    // MARK: Single cases

    @Test("A new detail with the same code and cause appears in last_result, not in reason")
    func sentence() throws {
        let fixture = Fixture()
        fixture.registry.apply(targets: [try .probed("web")])
        fixture.emit("web", .up())
        fixture.record("web", .failure(.timeout, "no answer in 5,001 ms"))
        let before = fixture.registry.sequence
        fixture.record("web", .failure(.timeout, "no answer in 5,002 ms"))
        #expect(fixture.registry.sequence == before)
        let body = try fixture.json("/targets/web")
        #expect(body[["reason", "detail"]]?.string == "no answer in 5,001 ms")
        #expect(body[["last_result", "reason", "detail"]]?.string == "no answer in 5,002 ms")
        fixture.record("web", .failure(.connectRefused, "refused"))
        let events = fixture.registry.changes(after: before, limit: 10).events
        #expect(events.map(\.type) == [.state], "another code is an event, though the state stays")
        #expect(try fixture.json("/targets/web")[["reason", "detail"]]?.string == "refused")
    }

    @Test("An updated event shows the state at its number; the state event after it shows the next one")
    func updated() throws {
        let fixture = Fixture()
        var web = try TargetSettings.probed("web")
        fixture.registry.apply(targets: [web])
        fixture.emit("web", .up())
        fixture.record("web", .success)
        let stream = try fixture.stream()
        _ = try stream.drain()
        web.request = PathRequest(.address(IPAddress(ipv4: 0xc633_6402)))
        web.probe = try TargetSettings.calling("x").probe
        fixture.registry.apply(targets: [web])
        let events = try stream.drain().filter { $0.data != nil }
        #expect(events.map(\.type) == ["target", "state"])
        #expect(events.first?.data?[["target", "state"]]?.string == "up")
        #expect(events.first?.data?[["target", "path"]] == nil)
        #expect(events.first?.data?[["target", "system_configuration"]] == nil)
        #expect(events.first?.data?[["target", "reason"]] == nil)
        #expect(events.first?.data?[["target", "sequence"]]?.number == Double(fixture.registry.sequence - 1))
        #expect(events.last?.data?["from"]?.string == "up")
        #expect(events.last?.data?["to"]?.string == "unknown")
    }

    @Test("A change of DNS support is an event of each target that shows it")
    func supportsDNS() throws {
        let fixture = Fixture()
        fixture.registry.apply(targets: [.address("seen"), .address("new", "198.51.100.2")])
        fixture.emit("seen", .up())
        fixture.tellNetwork(.up())
        let stream = try fixture.stream()
        _ = try stream.drain()
        fixture.registry.environmentDidChange(NetworkEnvironment(supportsDNS: true))
        let events = try stream.drain()
        #expect(events.map(\.type) == ["path", "path"])
        #expect(events.map { $0.data?["target"] } == [.null, .string("seen")])
        #expect(events.allSatisfy { $0.data?["changed"] == .array([.string("supports_dns")]) })
    }
}
