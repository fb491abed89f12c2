// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import MonitoringTestSupport
import NetworkPaths
import Probing
import Testing

@testable import Monitoring

@Suite("Recovery of this machine's network")
struct RecoveryTests {
    private static let gateways = ["192.0.2.1", "192.0.2.2"].map {
        ProbeHost.address(IPAddress($0) ?? IPAddress(ipv4: 0))
    }

    /// Targets that are up, without a path.
    private static func cut(_ count: Int, interval: Duration = .seconds(30)) throws -> DriverScene {
        let scene = DriverScene()
        scene.apply(
            try (0..<count).map { try .probed("t\($0)", "10.0.\($0 / 200).\($0 % 200 + 1)", interval: interval) }
        )
        scene.path(.up())
        scene.advance(.seconds(60))
        #expect(scene.registry.overview.counts[.up] == count)
        scene.path(.down(.noCarrier))
        scene.advance(.seconds(10))
        return scene
    }

    /// The times of the probes of targets from now on, in nanoseconds.
    private static func starts(_ scene: DriverScene, _ body: () -> Void) -> [UInt64] {
        let (before, begin) = (scene.world.starts.count, scene.world.now())
        body()
        return scene.world.starts[before...].filter { !gateways.contains($0.request.host) }.map { $0.time - begin }
    }

    @Test("Packets are lost for 2 s after the return: no target of 200 is down", arguments: [2, 200])
    func lostPackets(count: Int) throws {
        let scene = try Self.cut(count)
        let end = scene.world.now() + 2_000_000_000
        scene.world.behaviour = { request in
            let isLost = scene.world.now() < end && !Self.gateways.contains(request.host)
            return isLost ? (1_000_000_000, .failure(.timeout, after: .seconds(1))) : (1_000_000, .success)
        }
        scene.path(.up(generation: 2))
        scene.advance(.seconds(2))
        #expect(scene.state("t0") == .unreachable)
        #expect(scene.registry.target("t0")?.evaluation?.basis == .awaited)
        #expect(scene.registry.target("t0")?.evaluation?.pending?.count == 1)
        for number in 0..<count {
            #expect(
                scene.registry.target("t\(number)")?.evaluation?.diagnosis?.cause != .target,
                "none is at fault yet"
            )
        }
        scene.advance(.seconds(5))
        #expect(scene.registry.overview.counts[.up] == count)
        for number in 0..<count { #expect(scene.transitions("t\(number)") == [.up, .unreachable, .up]) }
    }

    @Test("A target that is gone after the return is down after `fall` failures at the confirm interval")
    func gone() throws {
        let scene = try Self.cut(1)
        scene.world.behaviour = { _ in (1_000_000, .failure(.connectRefused)) }
        scene.path(.up(generation: 2))
        scene.advance(.milliseconds(9_900))
        #expect(scene.state("t0") == .unreachable)
        scene.advance(.milliseconds(200))
        #expect(scene.state("t0") == .down)
        #expect(scene.cause("t0") == .target)
    }

    @Test(
        "When a dead gateway is back, all targets behind it are probed, and not each in its turn",
        arguments: [1, 30, 200]
    )
    func gatewayBack(count: Int) throws {
        let scene = DriverScene()
        scene.apply(try (0..<count).map { try .probed("t\($0)", "10.0.0.\($0 + 1)", interval: .seconds(30)) })
        scene.path(.up())
        scene.advance(.seconds(60))
        scene.world.behaviour = { _ in (1_000_000, .failure(.hostUnreachable)) }
        scene.advance(.seconds(60))
        #expect(scene.registry.overview.counts[.unreachable] == count)
        #expect(scene.registry.target("t0")?.evaluation?.diagnosis?.rule == .gatewaySilent)
        scene.world.behaviour = { _ in (1_000_000, .success) }
        while scene.registry.overview.counts[.up] == 0 { scene.advance(.milliseconds(100)) }
        scene.advance(.seconds(6))
        #expect(scene.registry.overview.counts[.up] == count)
    }

    @Test(
        "When a gateway falls silent, all targets behind it fail soon, and not each in its turn",
        arguments: [30, 200]
    )
    func gatewayLost(count: Int) throws {
        let scene = DriverScene()
        scene.apply(
            try (0..<count).map { try .probed("t\($0)", "10.0.0.\($0 + 1)", interval: .seconds(30), fall: 1) }
        )
        scene.path(.up())
        scene.advance(.seconds(60))
        scene.world.behaviour = { _ in (1_000_000_000, .failure(.timeout)) }
        while scene.registry.overview.counts[.unreachable] == 0 { scene.advance(.milliseconds(100)) }
        scene.advance(.seconds(8))
        #expect(scene.registry.overview.counts[.unreachable] == count)
        #expect(scene.registry.overview.counts[.down] == 0)
    }

    @Test("A gateway that is silent over a restart is at fault after it, until packets pass it", arguments: [1, 30])
    func silentOverRestart(count: Int) throws {
        let targets = try (0..<count).map { try TargetSettings.probed("t\($0)", "10.0.0.\($0 + 1)") }
        let first = DriverScene()
        first.registry.beginIncidents()
        first.apply(targets)
        first.path(.up())
        first.advance(.seconds(60))
        first.world.behaviour = { _ in (1_000_000_000, .failure(.timeout)) }
        first.advance(.seconds(60))
        let incident = try #require(first.registry.incidents(IncidentQuery()).incidents.first)
        #expect(incident.cause.kind == .gateway && incident.counts.open == count)
        let second = DriverScene()
        second.world.behaviour = first.world.behaviour
        second.registry.beginIncidents(first.registry.storedIncidents)
        second.apply(targets)
        second.path(.up())
        second.advance(.seconds(120))
        let open = second.registry.incidents(IncidentQuery()).incidents
        #expect(open.map(\.id) == [incident.id] && open.map(\.counts.open) == [count])
        #expect(second.registry.target("t0")?.evaluation?.diagnosis?.rule == .gatewaySilent)
        // It forwards again, and answers no echo request.
        second.world.behaviour = { request in
            Self.gateways.contains(request.host) ? (1_000_000_000, .failure(.timeout)) : (1_000, .success)
        }
        second.advance(.seconds(60))
        #expect(second.registry.incidentTally?.openCount == 0)
        second.world.behaviour = { _ in (1_000_000_000, .failure(.timeout)) }
        second.advance(.seconds(60))
        #expect(second.registry.target("t0")?.evaluation?.diagnosis?.rule != .gatewaySilent)
    }

    @Test("Eight targets are probed immediately")
    func few() throws {
        let scene = try Self.cut(8)
        let starts = Self.starts(scene) {
            scene.path(.up(generation: 2))
            scene.advance(.milliseconds(2))
        }
        #expect(starts == Array(repeating: 0, count: 8))
        #expect(scene.registry.overview.counts[.up] == 8)
    }

    @Test(
        "Of many targets eight are probed immediately, the others within the interval or 4 s",
        arguments: [(200, 30), (2_000, 30), (200, 1)]
    )
    func many(count: Int, interval: Int) throws {
        let scene = try Self.cut(count, interval: .seconds(interval))
        let spread = min(interval, 4)
        let starts = Self.starts(scene) {
            scene.path(.up(generation: 2))
            scene.advance(.seconds(spread))
            scene.advance(.milliseconds(20))
        }
        #expect(starts.count { $0 == 0 } == RecoveryBurst.size)
        #expect(scene.registry.overview.counts[.up] == count)
        let perTenth = Dictionary(grouping: starts) { $0 / 100_000_000 }.mapValues(\.count)
        #expect((perTenth.values.max() ?? 0) < 2 * count / (10 * spread) + 20, "\(perTenth)")
    }

    @Test("Each next hop has eight immediate probes")
    func nextHops() throws {
        let scene = try Self.cut(100)
        let starts = Self.starts(scene) {
            scene.path(.up(generation: 2), of: (0..<50).map { "t\($0)" })
            scene.path(.up(gateway: "192.0.2.2", generation: 2), of: (50..<100).map { "t\($0)" })
        }
        #expect(starts.count == 2 * RecoveryBurst.size)
    }

    @Test("The targets behind a parent that is up again are spread too")
    func parent() throws {
        let scene = DriverScene()
        scene.world.behaviour = {
            $0.host == .address(IPAddress(ipv4: 0x0A00_0101)) ? (1, .failure(.connectRefused)) : (1, .success)
        }
        let children = try (0..<100).map {
            try TargetSettings.probed("t\($0)", "10.0.0.\($0)", interval: .seconds(30), dependsOn: ["router"])
        }
        scene.apply([try .probed("router", "10.0.1.1", interval: .seconds(10), fall: 1, rise: 1)] + children)
        scene.path(.up())
        scene.advance(.seconds(30))
        #expect(scene.registry.overview.counts[.unreachable] == 100)
        scene.world.behaviour = { _ in (1, .success) }
        while scene.state("router") != .up { scene.advance(.milliseconds(10)) }
        scene.advance(.milliseconds(2))
        // The router, and hardly more than the immediate ones.
        #expect((RecoveryBurst.size + 1...RecoveryBurst.size + 4).contains(scene.registry.overview.counts[.up]))
        scene.advance(.seconds(4))
        #expect(scene.registry.overview.counts[.up] == 101)
    }
}
