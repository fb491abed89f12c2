// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import JSON
import MonitoringTestSupport
import NetworkPaths
import Probing
import Testing

@testable import Monitoring

@Suite("Path MTU black holes")
struct PathMTUMonitorTests {
    private static let address = IPAddress(ipv4: 0xC633_6401)
    private static let blackHole = PathMTUBlackHole(
        limit: PathMTULimit(
            largest: 1_280,
            behind: .init(address: IPAddress(ipv4: 0xCB00_7101), hop: 2),
            before: nil
        )
    )

    private static func timeout(isStalled: Bool = true, unacknowledged: Int = 0, at host: IPAddress = address)
        -> ProbeResult
    {
        var result = ProbeResult.failure(.timeout, at: host)
        if isStalled {
            result.stall = StalledConnection(
                segmentSize: 1_448,
                pathMTU: 1_500,
                bytesUnacknowledged: unacknowledged
            )
        }
        return result
    }

    private static func scene(
        _ result: ProbeResult,
        _ settings: ProbingSettings = ProbingSettings(),
        gateway: String = "192.0.2.1"
    ) throws -> DriverScene {
        let scene = DriverScene(settings)
        scene.world.behaviour = { request in
            request.host == .address(address) ? (1_000_000, result) : (1_000, .success)
        }
        scene.apply([try .probed("web", interval: .seconds(30), fall: 1)])
        scene.world.traceBehaviour = { (10_000_000, .reached($0, by: ["192.0.2.1", "203.0.113.1"])) }
        scene.world.investigationBehaviour = { _ in blackHole }
        scene.path(.up(gateway: gateway))
        return scene
    }

    @Test("The black hole is the reason within the investigation, keeps it, and is confirmed every five minutes")
    func found() throws {
        let scene = try Self.scene(Self.timeout())
        while scene.world.investigations.isEmpty { scene.advance(.milliseconds(10)) }
        #expect(scene.state("web") == .unknown, "the result waits")
        scene.advance(.milliseconds(1_100))
        let record = scene.registry.target("web")
        #expect(scene.state("web") == .unreachable && scene.cause("web") == .path)
        #expect(record?.reason?.code == .probe(.mtuBlackHole))
        #expect(record?.evaluation?.diagnosis?.rule == .mtuBlackHole)
        #expect(
            record?.reason?.detail
                == "packets of more than 1280 bytes do not arrive (path MTU black hole behind 203.0.113.1 (hop 2))"
        )
        #expect(record?.reason?.pathEnd?.largestPacket == 1_280)
        var writer = JSONWriter()
        writer.object { if let end = record?.reason?.pathEnd { $0.pathEndMembers(end) } }
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == #"{"largest_packet_bytes":1280,"last_hop":{"address":"203.0.113.1","hop":2}}"#
        )
        for _ in 0..<40 {
            scene.advance(.seconds(30))
            #expect(scene.cause("web") == .path, "not the target between two investigations")
        }
        #expect((4...5).contains(scene.world.investigations.count))
        // No longer confirmed: the next results say what they see.
        scene.world.investigationBehaviour = { _ in nil }
        scene.advance(.seconds(360))
        #expect(scene.cause("web") == .target && scene.state("web") == .down)
    }

    @Test("A timeout without a connection is not explained by an earlier black hole")
    func unconnected() throws {
        let scene = try Self.scene(Self.timeout())
        scene.advance(.seconds(60))
        #expect(scene.cause("web") == .path)
        scene.world.behaviour = { request in
            request.host == .address(Self.address) ? (1_000_000, Self.timeout(isStalled: false)) : (1_000, .success)
        }
        scene.advance(.seconds(60))
        #expect(scene.cause("web") == .target)
        #expect(scene.world.investigations.count == 1)
    }

    @Test("No investigation without a stall, on the link, when traces are off, or while a small segment is unanswered")
    func none() throws {
        var off = ProbingSettings()
        off.tracesAutomatically = false
        for scene in [
            try Self.scene(Self.timeout(isStalled: false)), try Self.scene(Self.timeout(), off),
            try Self.scene(Self.timeout(unacknowledged: 100)), try Self.scene(Self.timeout(), gateway: ""),
        ] {
            scene.advance(.seconds(120))
            #expect(scene.world.investigations.isEmpty)
            #expect(scene.cause("web") == .target)
        }
    }

    @Test("W7: a target that answered in between is investigated again, however soon")
    func again() throws {
        let scene = try Self.scene(Self.timeout())
        scene.apply([try .probed("web", interval: .seconds(5), fall: 1, rise: 1)])
        scene.path(.up(generation: 2))
        while scene.world.investigations.isEmpty { scene.advance(.milliseconds(10)) }
        scene.advance(.milliseconds(1_100))
        scene.world.behaviour = { _ in
            (1_000, ProbeResult(outcome: .success, detail: "", duration: .zero, address: Self.address))
        }
        while scene.state("web") != .up { scene.advance(.milliseconds(10)) }
        scene.world.behaviour = { $0.host == .address(Self.address) ? (1_000_000, Self.timeout()) : (1_000, .success) }
        scene.advance(.seconds(7))
        #expect(scene.world.investigations.count == 2 && scene.cause("web") == .path)
    }

    @Test("An outage of many targets behind one gateway is investigated once in 30 s for each prefix")
    func many() throws {
        let scene = try Self.scene(Self.timeout())
        scene.apply(try (0..<50).map { try .probed("t\($0)", interval: .seconds(10), fall: 1) })
        scene.path(.up(gateway: "192.0.2.1", generation: 2))
        scene.advance(.seconds(60))
        #expect((1...3).contains(scene.world.investigations.count))
    }

    /// Targets 10.80.1.1, 10.80.2.1, … 10.80.1.2, … in so many prefixes, which were `up` before their connections stall.
    private static func stalling(
        _ count: Int,
        prefixes: Int,
        fall: Int = 1,
        blackHole: @escaping (ProbeRequest) -> PathMTUBlackHole? = { _ in blackHole }
    ) throws -> (scene: DriverScene, ids: [String], stall: (Set<String>) -> Void) {
        let scene = DriverScene()
        var stalled: Set<String> = []
        var (ids, names): ([String], [IPAddress: String]) = ([], [:])
        var targets: [TargetSettings] = []
        for index in 0..<count {
            let text = "10.80.\(index % prefixes + 1).\(index / prefixes + 1)"
            ids.append("t\(index)")
            names[try #require(IPAddress(text))] = "t\(index)"
            targets.append(try .probed("t\(index)", text, interval: .seconds(10), fall: fall, rise: 1))
        }
        scene.world.behaviour = { request in
            guard case .address(let address) = request.host, let id = names[address] else { return (1_000, .success) }
            let answer = ProbeResult(outcome: .success, detail: "", duration: .zero, address: address)
            return stalled.contains(id) ? (5_000_000, timeout(at: address)) : (1_000_000, answer)
        }
        scene.world.traceBehaviour = { (10_000_000, .reached($0, by: ["192.0.2.1", "203.0.113.1"])) }
        scene.world.investigationBehaviour = blackHole
        scene.registry.beginIncidents()
        scene.apply(targets)
        scene.path(.up())
        scene.advance(.seconds(30))
        for id in ids { #expect(scene.state(id) == .up) }
        return (scene, ids, { stalled = $0 })
    }

    private static func everDown(_ scene: DriverScene, _ ids: [String]) -> [String] {
        ids.filter { scene.transitions($0).contains(.down) }
    }

    @Test(
        "One black hole explains all targets that stall, in one incident; none is down",
        arguments: [1, 3],
        [1, 2, 4]
    )
    func shared(fall: Int, prefixes: Int) throws {
        let (scene, ids, stall) = try Self.stalling(8, prefixes: prefixes, fall: fall)
        stall(Set(ids))
        scene.advance(.seconds(50))
        for id in ids { #expect(scene.state(id) == .unreachable && scene.reason(id) == "mtu_black_hole") }
        #expect(Self.everDown(scene, ids).isEmpty)
        #expect(scene.registry.incidents(IncidentQuery()).incidents.map(\.counts.total) == [8])
        #expect(scene.world.investigations.count == prefixes)
        // A prefix waits for its turn behind the gateway.
        let starts = scene.world.investigations.map(\.time)
        for (first, third) in zip(starts, starts.dropFirst(2)) { #expect(third >= first + 1_000_000_000) }
        stall([])
        scene.advance(.seconds(20))
        for id in ids { #expect(scene.state(id) == .up) }
        // What stalls later is a new question.
        scene.world.investigationBehaviour = { _ in nil }
        stall(["t0"])
        scene.advance(.seconds(40))
        #expect(scene.state("t0") == .down)
    }

    @Test("A target that stalls while its neighbours respond is not explained by theirs, nor they by it")
    func alone() throws {
        // Behind the last router, the limit may be of the server's own link.
        let own = PathMTUBlackHole(
            limit: PathMTULimit(
                largest: 1_280,
                behind: .init(address: IPAddress(ipv4: 0xCB00_7101), hop: 2),
                before: nil,
                mayBeReturn: true
            )
        )
        let first = ProbeHost.address(try #require(IPAddress("10.80.1.1")))
        let (scene, ids, stall) = try Self.stalling(4, prefixes: 1) { $0.host == first ? own : nil }
        stall(["t0"])
        scene.advance(.seconds(20))
        #expect(scene.reason("t0") == "mtu_black_hole")
        stall(["t0", "t1"])
        scene.advance(.seconds(20))
        #expect(scene.state("t1") == .down && scene.reason("t0") == "mtu_black_hole")
        #expect(Self.everDown(scene, ids) == ["t1"])
        // A service without an answer is not explained at all.
        let (quiet, all, stallQuiet) = try Self.stalling(4, prefixes: 1) { _ in nil }
        stallQuiet(["t2"])
        quiet.advance(.seconds(120))
        #expect(quiet.state("t2") == .down && Self.everDown(quiet, all) == ["t2"])
        #expect(quiet.world.investigations.count == 1)
    }
}
