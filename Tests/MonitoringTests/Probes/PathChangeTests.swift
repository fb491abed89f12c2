// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import MonitoringTestSupport
import NetworkPaths
import Probing
import Testing

@testable import Monitoring

@Suite("Results of probes whose path changed while they ran")
struct PathChangeTests {
    private static let second = NetworkPath.up(gateway: "192.0.2.2", generation: 2)

    /// A target that is up, and whose next probe runs into its timeout of 5 s, two seconds after its start.
    private static func waiting(fall: Int = 1, result: ProbeResult = .failure(.timeout)) throws -> DriverScene {
        let scene = DriverScene()
        scene.apply([try .probed("web", interval: .seconds(10), fall: fall)])
        scene.path(.up())
        scene.advance(.seconds(12))
        #expect(scene.state("web") == .up)
        let asked = scene.starts("198.51.100.1")
        scene.world.behaviour = {
            $0.host == .address(IPAddress(ipv4: 0xC633_6401)) ? (4_000_000_000, result) : (1000, .success)
        }
        while scene.starts("198.51.100.1") == asked { scene.advance(.milliseconds(10)) }
        scene.advance(.seconds(2))
        return scene
    }

    @Test("A failure is discarded and the target is probed again at once; callers receive the result by the new path")
    func failure() throws {
        let scene = try Self.waiting()
        var reports: [ProbeReport?] = []
        scene.driver.probe(try #require(scene.registry.target("web")?.target?.ordinal)) { reports.append($0) }
        scene.path(Self.second)
        scene.world.behaviour = { _ in (1000, .success) }
        let asked = scene.starts("198.51.100.1")
        scene.advance(.milliseconds(2_010))
        #expect(scene.starts("198.51.100.1") == asked + 1)
        #expect(scene.transitions("web") == [.up])
        #expect(scene.registry.target("web")?.evaluation?.tally?[.failure] == 0)
        #expect(reports.map { $0?.result.outcome } == [.success])
    }

    @Test("Callers receive a result, too, when the path is lost or the target paused before", arguments: [true, false])
    func lost(isPaused: Bool) throws {
        for isAsked in [true, false] {
            let address = try #require(IPAddress("198.51.100.1"))
            let scene = try Self.waiting(result: .failure(.timeout, after: .seconds(4), at: address))
            scene.world.traceBehaviour = { (2_400_000_000, .silent($0, behind: ["192.0.2.1"])) }
            // While its packets are under way, or while its result waits for a trace.
            if !isAsked { scene.advance(.milliseconds(2_010)) }
            var reports: [ProbeReport?] = []
            scene.driver.probe(try #require(scene.registry.target("web")?.target?.ordinal)) { reports.append($0) }
            if isPaused {
                scene.registry.setPaused(true, target: "web")
                scene.applyCommands()
            } else {
                scene.path(.down())
            }
            scene.advance(.seconds(10))
            #expect(reports.map { $0?.result.outcome } == [.failure])
            let asked = scene.world.startCount
            scene.advance(.seconds(60))
            #expect(scene.world.startCount == asked, "nobody waits any longer")
        }
    }

    @Test("So is one that waited for the gateway, or for a trace, when the path changed", arguments: [true, false])
    func meanwhile(waitsForGateway: Bool) throws {
        let address = try #require(IPAddress("198.51.100.1"))
        let scene = try Self.waiting(result: .failure(.timeout, after: .seconds(4), at: address))
        let gateway = ProbeHost.address(try #require(IPAddress("192.0.2.1")))
        scene.world.behaviour = {
            waitsForGateway && $0.host == gateway ? (1_000_000_000, .failure(.timeout)) : (1000, .success)
        }
        scene.world.traceBehaviour = { (2_400_000_000, .silent($0, behind: ["192.0.2.1"])) }
        scene.advance(.milliseconds(2_010))
        #expect(scene.registry.target("web")?.evaluation?.tally?[.failure] == 0, "it waits")
        let asked = scene.starts("198.51.100.1")
        scene.path(Self.second)
        scene.advance(.milliseconds(2_500))
        #expect(scene.starts("198.51.100.1") == asked + 1)
        #expect(scene.transitions("web") == [.up])
        #expect(scene.registry.target("web")?.evaluation?.tally?[.failure] == 0)
    }

    @Test("A failure by an unchanged path counts")
    func unchanged() throws {
        let scene = try Self.waiting()
        // Another verdict by the same interface, gateway and source address.
        var same = NetworkPath.up()
        same.isExpensive = true
        scene.path(same)
        scene.advance(.milliseconds(2_010))
        #expect(scene.state("web") == .down)
    }

    @Test("A success counts by any path")
    func success() throws {
        let scene = try Self.waiting(result: .success)
        scene.path(Self.second)
        let asked = scene.starts("198.51.100.1")
        let results = scene.registry.target("web")?.evaluation?.tally?[.success] ?? 0
        scene.advance(.milliseconds(2_010))
        #expect(scene.starts("198.51.100.1") == asked)
        #expect(scene.registry.target("web")?.evaluation?.tally?[.success] == results + 1)
    }

    @Test("A path that changes during each probe hides a failure for three results")
    func unsteady() throws {
        let scene = try Self.waiting()
        var generation: UInt32 = 1
        for _ in 0..<3 {
            generation += 1
            scene.path(.up(gateway: "192.0.2.\(generation)", generation: generation))
            scene.advance(.seconds(4))
            #expect(scene.state("web") == .up)
        }
        scene.path(.up(gateway: "192.0.2.9", generation: 9))
        scene.advance(.seconds(4))
        #expect(scene.state("web") == .down)
    }
}
