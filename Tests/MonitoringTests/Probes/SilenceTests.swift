// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import MonitoringTestSupport
import NetworkPaths
import Probing
import Testing

@testable import Monitoring

/// Targets whose silence is what is expected, and targets that call by themselves.
@Suite("Probes that expect silence") struct SilenceTests {
    private static let gateway = IPAddress("192.0.2.1")

    private func asked(
        _ id: String,
        _ text: String,
        expectsFailure: Bool = false,
        interval: Duration = .seconds(10)
    ) throws -> TargetSettings {
        var settings = TargetSettings.address(id, text)
        let address = try #require(IPAddress(text))
        var request = ProbeRequest(host: .address(address), kind: .tcp(TCPProbeSettings(port: 1)), timeout: .seconds(2))
        request.expectsFailure = expectsFailure
        settings.probe = ProbePlan(
            .ask(request),
            verdict: try VerdictSettings(fall: 1, rise: 1, interval: interval)
        )
        return settings
    }

    /// A scene with a target that must not answer and, by default, does not.
    private func scene(
        anchors: [String] = [],
        absence: ProbeReason = .timeout,
        gateway: ProbeResult,
        others: [TargetSettings] = [],
        _ other: @escaping (IPAddress) -> ProbeResult = { _ in .success }
    ) throws -> DriverScene {
        var settings = ProbingSettings()
        settings.anchors = anchors
        let scene = DriverScene(settings)
        scene.world.behaviour = { request in
            guard case .address(let address) = request.host else { return (1_000_000, .failure(.nameError)) }
            if address == Self.gateway { return (1_000_000, gateway) }
            return (1_000_000, request.expectsFailure ? .absent(absence) : other(address))
        }
        scene.apply([try asked("closed", "203.0.113.9", expectsFailure: true)] + others)
        scene.path(.up())
        return scene
    }

    @Test("Without evidence for the path the target is unreachable, neither up nor down")
    func unproven() throws {
        let scene = try scene(gateway: .failure(.timeout))
        scene.advance(.seconds(60))
        #expect(scene.state("closed") == .unreachable)
        #expect(scene.cause("closed") == .localNetwork)
        #expect(scene.registry.target("closed")?.evaluation?.diagnosis?.rule == .wayUnproven)
        #expect(!scene.transitions("closed").contains(.up))
    }

    @Test("Without anchors the target is up while the gateway responds, else unreachable")
    func gatewayAnswers() throws {
        var gateway = ProbeResult.success
        let scene = try scene(gateway: .success)
        let old = scene.world.behaviour
        scene.world.behaviour = { request in
            if case .address(let address) = request.host, address == Self.gateway { return (1_000_000, gateway) }
            return old(request)
        }
        scene.advance(.seconds(60))
        #expect(scene.state("closed") == .up)
        gateway = .failure(.timeout)
        scene.advance(.seconds(60))
        #expect(scene.state("closed") == .unreachable)
        #expect(scene.registry.target("closed")?.evaluation?.diagnosis?.rule == .gatewaySilent)
    }

    @Test("Silent anchors show that the uplink behind the gateway is cut")
    func anchors() throws {
        var isCut = false
        let scene = try scene(anchors: ["far"], gateway: .success, others: [try asked("far", "198.51.100.1")]) { _ in
            isCut ? .failure(.timeout) : .success
        }
        scene.advance(.seconds(60))
        #expect(scene.state("closed") == .up)
        isCut = true
        scene.advance(.seconds(60))
        #expect(scene.state("closed") == .unreachable)
        #expect(scene.cause("closed") == .localNetwork)
        #expect(scene.registry.target("closed")?.evaluation?.diagnosis?.rule == .internetDown)
        isCut = false
        scene.advance(.seconds(60))
        #expect(scene.state("closed") == .up)
    }

    @Test("A responding target proves the path behind a silent gateway, but not behind another one")
    func neighbour() throws {
        let scene = try scene(gateway: .failure(.timeout), others: [try asked("beside", "203.0.113.10")])
        scene.advance(.seconds(60))
        #expect(scene.state("closed") == .up)
        scene.path(.up(gateway: "192.0.2.254", generation: 2), of: ["beside"])
        scene.advance(.seconds(60))
        #expect(scene.state("closed") == .unreachable)
    }

    @Test("Two silent targets do not prove the path to each other")
    func circle() throws {
        let others = [
            try asked("beside", "203.0.113.10"), try asked("also", "203.0.113.11", expectsFailure: true),
        ]
        let scene = try scene(gateway: .failure(.timeout), others: others)
        scene.advance(.seconds(60))
        #expect(scene.state("closed") == .up && scene.state("also") == .up)
        scene.path(.up(gateway: "192.0.2.254", generation: 2), of: ["beside"])
        scene.advance(.seconds(60))
        #expect(scene.state("closed") == .unreachable && scene.state("also") == .unreachable)
    }

    @Test("A response older than a minute does not prove the path")
    func oldAnswer() throws {
        let rare = try asked("rare", "203.0.113.10", interval: .seconds(1_800))
        let scene = try scene(gateway: .failure(.timeout), others: [rare])
        while scene.state("rare") != .up { scene.advance(.seconds(10)) }
        scene.advance(.seconds(30))
        #expect(scene.state("closed") == .up)
        scene.advance(.seconds(60))
        #expect(scene.state("closed") == .unreachable)
    }

    @Test("A heartbeat of another target does not prove the path")
    func call() throws {
        let scene = try scene(gateway: .failure(.timeout), others: [try push(.seconds(600), grace: .seconds(2))])
        let ordinal = try #require(scene.registry.target("job")?.target?.ordinal)
        scene.driver.heartbeat(ordinal, .success) { _ in }
        scene.applyCommands()
        scene.advance(.seconds(30))
        #expect(scene.state("job") == .up)
        #expect(scene.state("closed") == .unreachable)
    }

    @Test("A router's error does not prove the path; the target's own refusal does", arguments: [true, false])
    func definite(isOwn: Bool) throws {
        let absence: ProbeReason = isOwn ? .connectRefused : .networkUnreachable
        let scene = try scene(absence: absence, gateway: .success)
        scene.advance(.seconds(60))
        #expect(scene.state("closed") == (isOwn ? .up : .unreachable))
    }

    // MARK: Calls

    private func push(_ interval: Duration, grace: Duration, fall: Int = 1) throws -> TargetSettings {
        var settings = TargetSettings.address("job", "127.0.0.1")
        let verdict = try VerdictSettings(fall: fall, rise: 1, interval: interval)
        settings.probe = ProbePlan(.heartbeat(grace: grace), verdict: verdict)
        return settings
    }

    @Test("push: down interval + grace after the last heartbeat, times an explicit fall")
    func arithmetic() throws {
        for (interval, grace, fall, limit) in [(20, 2, 1, 22), (86_400, 43_200, 1, 129_600), (20, 2, 3, 66)] {
            let scene = DriverScene()
            scene.apply([try push(.seconds(interval), grace: .seconds(grace), fall: fall)])
            scene.path(.up())
            let ordinal = try #require(scene.registry.target("job")?.target?.ordinal)
            scene.advance(.seconds(5))
            scene.driver.heartbeat(ordinal, .success) { _ in }
            scene.applyCommands()
            scene.advance(.seconds(limit - 1))
            #expect(scene.state("job") == .up)
            scene.advance(.seconds(2))
            #expect(scene.state("job") == .down)
            #expect(scene.cause("job") == .target)
        }
    }

    @Test("push: unknown without a cause until the first heartbeat, also after a restart")
    func first() throws {
        // A restart is a registry and a driver that know of no call.
        for _ in 0..<2 {
            let scene = DriverScene()
            scene.apply([try push(.seconds(20), grace: .seconds(2))])
            scene.path(.up())
            scene.advance(.seconds(21))
            #expect(scene.state("job") == .unknown)
            let reason = try #require(scene.registry.target("job")?.reason)
            #expect(reason.code == .notProbed)
            #expect(reason.detail == "Waiting for the first heartbeat.")
            #expect(reason.cause == nil)
            // A job that died meanwhile is not forgotten for longer than one that lives is given.
            scene.advance(.seconds(2))
            #expect(scene.state("job") == .down)
            let ordinal = try #require(scene.registry.target("job")?.target?.ordinal)
            scene.driver.heartbeat(ordinal, .success) { _ in }
            scene.applyCommands()
            #expect(scene.state("job") == .up)
        }
    }

    @Test("push: a heartbeat has no latency")
    func latency() throws {
        let scene = DriverScene()
        scene.apply([try push(.seconds(20), grace: .seconds(2))])
        scene.path(.up())
        let ordinal = try #require(scene.registry.target("job")?.target?.ordinal)
        scene.driver.heartbeat(ordinal, .success) { _ in }
        scene.applyCommands()
        let report = try #require(scene.registry.target("job")?.evaluation?.lastReport)
        #expect(report.isPassive)
        #expect(report.latency == nil)
        scene.registry.setPaused(true, target: "job")
        scene.registry.setPaused(false, target: "job")
        scene.applyCommands()
        #expect(scene.registry.target("job")?.reason?.detail == "Waiting for the next heartbeat.")
    }
}
