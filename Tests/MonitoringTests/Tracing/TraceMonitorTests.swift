// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import MonitoringTestSupport
import NetworkPaths
import Probing
import Testing

@testable import Monitoring

@Suite("Automatic traces")
struct TraceMonitorTests {
    private static let address = IPAddress(ipv4: 0xC633_6401)
    private static let routers = ["192.0.2.1", "203.0.113.1", "203.0.113.2"]

    private static var answer: ProbeResult {
        ProbeResult(outcome: .success, detail: "it answers", duration: .milliseconds(1), address: address)
    }

    /// A target that answers, and whose path is traced then.
    private static func scene(_ settings: ProbingSettings = ProbingSettings(), fall: Int = 1) throws -> DriverScene {
        let scene = DriverScene(settings)
        scene.apply([try .probed("web", interval: .seconds(30), fall: fall)])
        scene.world.traceBehaviour = { (10_000_000, .reached($0, by: routers)) }
        scene.world.behaviour = { _ in (1_000_000, answer) }
        scene.path(.up())
        scene.advance(.seconds(60))
        return scene
    }

    private static func traces(_ scene: DriverScene) -> TargetTraces? {
        scene.registry.target("web")?.target.flatMap { scene.traces.traces(of: $0.ordinal) }
    }

    @Test("The path of a target that answers is traced once, after a change of the route, and daily")
    func good() throws {
        let scene = try Self.scene()
        #expect(scene.world.traces.count == 1)
        #expect(scene.world.traces.first?.request.method == .tcp(port: 80))
        #expect(Self.traces(scene)?.good != nil)
        scene.advance(.seconds(600))
        #expect(scene.world.traces.count == 1)
        scene.path(.up(gateway: "192.0.2.254", generation: 2))
        scene.advance(.seconds(60))
        #expect(scene.world.traces.count == 2)
        scene.advance(.seconds(86_400))
        #expect(scene.world.traces.count == 3)
    }

    @Test(
        "Silence behind a gateway that answers: the trace is the reason within a probe, and not only at the next turn"
    )
    func failed() throws {
        let scene = try Self.scene()
        scene.world.behaviour = { request in
            request.host == .address(Self.address)
                ? (1_000_000, .failure(.timeout, at: Self.address)) : (1_000, .success)
        }
        scene.world.traceBehaviour = { (1_500_000_000, .silent($0, behind: Array(Self.routers.prefix(2)))) }
        let begin = scene.world.traces.count
        while scene.world.traces.count == begin { scene.advance(.milliseconds(10)) }
        #expect(scene.state("web") == .up, "the verdict waits for the trace")
        scene.advance(.milliseconds(1_600))
        #expect(scene.cause("web") == .path && scene.state("web") == .unreachable)
        #expect(scene.transitions("web") == [.up, .unreachable])
        let record = scene.registry.target("web")
        #expect(record?.evaluation?.diagnosis?.rule == .pathBroken)
        #expect(
            record?.reason?.detail.contains("stops behind 203.0.113.1 (hop 2), which led on to 203.0.113.2") == true
        )
        // While it lasts the finding holds, and the path is traced again every 90 seconds.
        scene.advance(.seconds(85))
        #expect(scene.cause("web") == .path && scene.world.traces.count == begin + 1)
        scene.advance(.seconds(50))
        #expect(scene.cause("web") == .path && scene.world.traces.count == begin + 2)
        scene.world.behaviour = { _ in (1_000_000, Self.answer) }
        scene.advance(.seconds(120))
        #expect(scene.state("web") == .up)
    }

    @Test("A trace that reaches the last router leaves the target at fault")
    func target() throws {
        let scene = try Self.scene()
        scene.world.behaviour = { request in
            request.host == .address(Self.address)
                ? (1_000_000, .failure(.timeout, at: Self.address)) : (1_000, .success)
        }
        scene.world.traceBehaviour = { (1_500_000_000, .silent($0, behind: Self.routers)) }
        scene.advance(.seconds(120))
        #expect(scene.cause("web") == .target && scene.state("web") == .down)
        #expect(Self.traces(scene)?.latest?.result.isAnswered == false)
    }

    @Test("No automatic trace: switched off, a hidden address, a target on the link, an answer with an error")
    func none() throws {
        var settings = ProbingSettings()
        settings.tracesAutomatically = false
        #expect(try Self.scene(settings).world.traces.isEmpty)
        let hidden = DriverScene()
        var target = try TargetSettings.probed("web", interval: .seconds(30))
        target.hidesAddress = true
        hidden.apply([target])
        hidden.world.behaviour = { _ in (1_000_000, Self.answer) }
        hidden.path(.up())
        hidden.advance(.seconds(60))
        #expect(hidden.world.traces.isEmpty)
        let scene = try Self.scene()
        scene.world.behaviour = { _ in (1_000_000, .failure(.connectRefused, at: Self.address)) }
        scene.advance(.seconds(120))
        #expect(scene.world.traces.count == 1)
    }

    @Test("The path of a target that fell silent while it waited for its turn is traced when it answers again")
    func silentWhileWaiting() throws {
        let scene = DriverScene()
        let silent = try #require(IPAddress("198.51.100.9"))
        var isSilent = false
        scene.world.traceBehaviour = { (10_000_000, .reached($0, by: Self.routers)) }
        scene.world.behaviour = { request in
            guard case .address(let address) = request.host else { return (1_000_000, Self.answer) }
            if isSilent, address == silent {
                return (1_000_000_000, .failure(.timeout, after: .seconds(1), at: address))
            }
            return (1_000_000, ProbeResult(outcome: .success, detail: "", duration: .milliseconds(1), address: address))
        }
        let others = (0..<60).map { "198.51.100.\($0 + 20)" }
        scene.apply(
            try (others + ["198.51.100.9"]).map { try .probed($0, $0, interval: .seconds(5), fall: 1) }
        )
        scene.path(.up())
        scene.advance(.seconds(10))
        func traces() -> Int { scene.world.traces.count { $0.request.destination == silent } }
        try #require(traces() == 0 && scene.world.traces.count < 10)
        isSilent = true
        scene.advance(.seconds(300))
        #expect(traces() == 0)
        isSilent = false
        scene.advance(.seconds(300))
        #expect(traces() == 1)
    }

    @Test("A removed target has no traces, and its waiting one is not started")
    func removed() throws {
        let scene = try Self.scene()
        let ordinal = try #require(scene.registry.target("web")?.target?.ordinal)
        #expect(scene.traces.traces(of: ordinal) != nil)
        scene.apply([])
        #expect(scene.traces.traces(of: ordinal) == nil)
        // A trace in flight leaves nothing behind either.
        let other = DriverScene()
        other.world.traceBehaviour = { (5_000_000_000, .reached($0, by: Self.routers)) }
        other.world.behaviour = { _ in (1_000_000, Self.answer) }
        other.apply([try .probed("web", interval: .seconds(30))])
        other.path(.up())
        while other.world.traces.isEmpty { other.advance(.milliseconds(100)) }
        let removed = try #require(other.registry.target("web")?.target?.ordinal)
        #expect(other.traces.traces(of: removed) != nil)
        other.apply([])
        other.advance(.seconds(10))
        #expect(other.traces.traces(of: removed) == nil)
    }

    @Test("A router that drops behind more than 30 hops is named", arguments: [1, 4])
    func long(count: Int) throws {
        let routers = ["192.0.2.1"] + (2...36).map { "10.9.\($0).2" }
        var passed = 36
        let scene = DriverScene()
        scene.world.behaviour = { request in
            guard passed < 36, case .address(let address) = request.host, address != IPAddress("192.0.2.1") else {
                guard case .address(let address) = request.host else { return (1_000_000, Self.answer) }
                return (
                    1_000_000,
                    ProbeResult(outcome: .success, detail: "", duration: .milliseconds(1), address: address)
                )
            }
            return (1_000_000, .failure(.timeout, at: address))
        }
        scene.world.traceBehaviour = { request in
            let isReached = passed == 36 && request.maximumHops > 36
            let asked = Array(routers.prefix(min(passed, request.maximumHops)))
            return (10_000_000, isReached ? .reached(request, by: asked) : .silent(request, behind: asked))
        }
        let ids = (0..<count).map { "t\($0)" }
        scene.apply(try ids.enumerated().map { try .probed($1, "10.80.\($0 % 2 + 1).\($0 + 1)") })
        scene.path(.up())
        scene.advance(.seconds(60))
        passed = 35
        scene.advance(.seconds(60))
        for id in ids {
            #expect(scene.state(id) == .unreachable)
            #expect(scene.registry.target(id)?.reason?.pathEnd?.lastHop?.hop == 35)
        }
    }
}
