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
