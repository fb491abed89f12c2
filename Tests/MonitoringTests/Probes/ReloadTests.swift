// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import MonitoringTestSupport
import NetworkPaths
import Probing
import Testing

@testable import Monitoring

/// Reloads that change a target's name, group or tags, as discovery does all the time.
@Suite("Reloads and the probes' driver") struct ReloadTests {
    private static let old = ProbeHost.address(IPAddress(ipv4: 0xC633_6401))
    private static let web = ProbeHost.address(IPAddress(ipv4: 0xCB00_7101))
    private static let gateway = ProbeHost.address(IPAddress(ipv4: 0xC000_0201))

    private let scene = DriverScene()

    /// Reloads a target with other words around it.
    private func reload(_ target: TargetSettings, _ number: Int) {
        var changed = target
        changed.name = "Job \(number)"
        changed.group = "group \(number)"
        changed.tags = ["build": "\(number)"]
        scene.apply([changed])
    }

    /// A target that waits for the anchor "old", and one that may become the anchor.
    private func anchoredScene() throws -> DriverScene {
        var settings = ProbingSettings()
        (settings.anchors, settings.quorum) = (["old"], 1)
        let scene = DriverScene(settings)
        scene.apply([
            try .probed("old", "198.51.100.1", interval: .seconds(600)),
            try .probed("new", "192.0.2.200", interval: .seconds(600)),
            try .probed("web", "203.0.113.1", interval: .seconds(10), fall: 1),
        ])
        scene.path(.up())
        scene.advance(.seconds(15))
        return scene
    }

    @Test("A silent target waits for the anchors of the last reload, not for those of the start")
    func anchors() throws {
        let scene = try anchoredScene()
        scene.registry.setAnchors(["new"], quorum: 1)
        scene.driver.changeAnchors(["new"], quorum: 1)
        scene.world.behaviour = { request in
            let isAnswered = [Self.old, Self.gateway].contains(request.host)
            return isAnswered ? (1000, .success) : (9_000_000_000, .success)
        }
        scene.advance(.seconds(60))
        #expect(scene.transitions("web").last == .unreachable)
        #expect(!scene.transitions("web").contains(.down))
    }

    @Test("Anchors of a reload are asked at once for a target that waits")
    func promptAnchors() throws {
        let scene = try anchoredScene()
        // A long answer, so that "web" waits for the old anchor.
        scene.world.behaviour = { request in
            (
                request.host == Self.gateway ? 1_000_000 : 1_500_000_000,
                request.host == Self.web ? .failure(.timeout) : .success
            )
        }
        let before = scene.starts("192.0.2.200")
        while scene.driver.held.isEmpty { scene.advance(.milliseconds(10)) }
        scene.registry.setAnchors(["new"], quorum: 1)
        scene.driver.changeAnchors(["new"], quorum: 1)
        #expect(scene.starts("192.0.2.200") == before + 1)
    }

    @Test("A push target that is reloaded each second is down when its heartbeat does not come")
    func heartbeat() throws {
        var job = TargetSettings.address("job", "127.0.0.1")
        let verdict = try VerdictSettings(fall: 1, rise: 1, interval: .seconds(20))
        job.probe = ProbePlan(.heartbeat(grace: .seconds(2)), verdict: verdict)
        scene.apply([job])
        scene.path(.up())
        let ordinal = try #require(scene.registry.target("job")?.target?.ordinal)
        scene.driver.heartbeat(ordinal, .success) { _ in }
        for second in 0..<21 {
            scene.advance(.seconds(1))
            reload(job, second)
            #expect(scene.state("job") == .up)
        }
        scene.advance(.milliseconds(1_100))
        #expect(scene.state("job") == .down)
        #expect(scene.registry.target("job")?.target?.settings.name == "Job 20")
    }

    @Test("A probe that is reloaded each second is as often as planned, and its results count on to `fall` and `rise`")
    func probe() throws {
        let web = try TargetSettings.probed("web", interval: .seconds(10), fall: 3)
        // A probe takes longer than from one reload to the next.
        scene.world.behaviour = { _ in (2_500_000_000, .success) }
        scene.apply([web])
        scene.path(.up())
        for second in 0..<60 {
            scene.advance(.seconds(1))
            reload(web, second)
        }
        #expect(scene.state("web") == .up)
        #expect((5...7).contains(scene.starts("198.51.100.1")))
        scene.world.behaviour = { _ in (1_000_000, .failure(.connectRefused)) }
        for second in 0..<40 {
            scene.advance(.seconds(1))
            reload(web, second)
        }
        #expect(scene.state("web") == .down)
    }

    @Test("A declaration that changes what is probed, or when, starts anew")
    func otherQuestion() throws {
        scene.apply([try .probed("web", interval: .seconds(3_600))])
        scene.path(.up())
        scene.advance(.seconds(5))
        scene.apply([try .probed("web", interval: .seconds(1_800))])
        scene.advance(.seconds(5))
        #expect(scene.starts("198.51.100.1") == 2)
    }

    @Test("A result between a reload and the driver's look at it is lost, and the target is probed on")
    func lostResult() throws {
        let web = try TargetSettings.probed("web", interval: .seconds(10))
        scene.apply([web])
        scene.path(.up())
        scene.advance(.seconds(5))
        var changed = web
        changed.tags = ["a": "b"]
        let before = scene.starts("198.51.100.1")
        scene.world.behaviour = { [scene] _ in
            if scene.registry.target("web")?.target?.settings.tags.isEmpty == true {
                scene.registry.apply(targets: [changed])
            }
            return (0, .success)
        }
        scene.advance(.seconds(60))
        #expect(scene.starts("198.51.100.1") - before >= 5)
    }
}
