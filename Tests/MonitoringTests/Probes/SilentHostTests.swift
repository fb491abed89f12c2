// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import MonitoringTestSupport
import NetworkPaths
import Probing
import Testing

@testable import Monitoring

/// Many targets on one host: the limit for an address protects the host and blames nobody.
@Suite("Many targets on one host")
struct SilentHostTests {
    enum Naming: CaseIterable {
        /// All targets have the host's address.
        case literal
        /// Each target has a name of its own for it.
        case names
        /// All targets have one name for it.
        case oneName

        func host(_ index: Int) -> ProbeHost {
            switch self {
            case .literal: .address(SilentHostTests.address)
            case .names: .name("host\(index).test")
            case .oneName: .name("host.test")
            }
        }
    }

    struct Timing: CustomTestStringConvertible {
        let interval: Duration
        let timeout: Duration
        var testDescription: String { "\(interval), timeout \(timeout)" }

        static let all = [
            Timing(interval: .seconds(30), timeout: .seconds(5)), Timing(interval: .seconds(10), timeout: .seconds(5)),
            Timing(interval: .seconds(10), timeout: .seconds(10)), Timing(interval: .seconds(5), timeout: .seconds(5)),
        ]
    }

    fileprivate static let address = IPAddress(ipv4: 0xC633_6401)
    private static let gateway = ProbeHost.address(IPAddress(ipv4: 0xC000_0201))
    private static let fall = 3
    /// All probes are due at once when the path returns.
    private static var unspread: ProbingSettings {
        var settings = ProbingSettings()
        settings.spread = .zero
        return settings
    }

    private static func targets(_ count: Int, _ naming: Naming, _ timing: Timing, rise: Int = 1) throws
        -> [TargetSettings]
    {
        try (0..<count).map { index in
            let host = naming.host(index)
            let target: PathTarget = if case .name(let name) = host { .name(name) } else { .address(address) }
            let request = ProbeRequest(
                host: host,
                kind: .tcp(TCPProbeSettings(port: UInt16(1000 + index))),
                timeout: timing.timeout
            )
            let verdict = try VerdictSettings(fall: fall, rise: rise, interval: timing.interval)
            return TargetSettings(
                id: "t\(index)",
                request: PathRequest(target),
                text: "\(host)",
                probe: ProbePlan(.ask(request), verdict: verdict, jitter: 0),
                origin: .config
            )
        }
    }

    private static func scene(
        _ count: Int,
        _ naming: Naming,
        _ timing: Timing,
        _ settings: ProbingSettings = ProbingSettings()
    ) throws -> DriverScene {
        let scene = DriverScene(settings)
        let targets = try targets(count, naming, timing)
        for index in 0..<count { scene.world.addresses[naming.host(index)] = address }
        answer(scene, .milliseconds(2))
        scene.apply(targets)
        let path = NetworkPath.up()
        scene.path(path)
        return scene
    }

    /// The host answers after a time; the gateway always does.
    private static func answer(_ scene: DriverScene, _ delay: Duration) {
        scene.world.behaviour = { request in
            let success = ProbeResult(outcome: .success, detail: "it answers", duration: delay, address: address)
            return (request.host == gateway ? 1_000_000 : delay.nanoseconds, success)
        }
    }

    private static func fallSilent(_ scene: DriverScene) { answer(scene, .seconds(3600)) }

    /// How often each port was asked while its target was down.
    private final class ProbesOfDown {
        var counts: [UInt16: Int] = [:]
    }

    /// Counts from now on.
    private static func countProbesOfDown(_ scene: DriverScene) -> ProbesOfDown {
        let asked = ProbesOfDown()
        scene.world.behaviour = { [unowned scene, behaviour = scene.world.behaviour] request in
            if case .tcp(let settings) = request.kind, scene.state("t\(settings.port - 1000)") == .down {
                asked.counts[settings.port, default: 0] += 1
            }
            return behaviour(request)
        }
        return asked
    }

    /// No target was ever blamed on reachd, or in a state between.
    private static func expectNoBlame(_ scene: DriverScene, _ count: Int, since mark: Int) {
        for index in 0..<count { #expect(scene.transitions("t\(index)").dropFirst(mark) == [.down]) }
    }

    @Test(
        "All targets of a silent host are down within fall × interval + timeout, and up with a probe each",
        arguments: Naming.allCases,
        Timing.all
    )
    func silent(naming: Naming, timing: Timing) throws {
        for count in [2, 8, 20, 200] {
            let scene = try Self.scene(count, naming, timing)
            scene.advance(timing.interval * 3)
            #expect(scene.registry.overview.counts[.up] == count)
            Self.fallSilent(scene)
            // The thread works in steps of 10 ms, and a burst of hundreds is spread over a second.
            let slack: Duration = count > 50 ? .seconds(1) : .milliseconds(200)
            scene.advance(timing.interval * Self.fall + timing.timeout + slack)
            #expect(scene.registry.overview.counts[.down] == count, "\(count)")
            for index in 0..<count { #expect(scene.cause("t\(index)") == .target) }
            Self.expectNoBlame(scene, count, since: 1)
            scene.advance(.seconds(120))
            #expect(scene.registry.overview.counts[.down] == count)
            // What is under way was sent to a silent host.
            Self.answer(scene, .milliseconds(2))
            let asked = Self.countProbesOfDown(scene)
            scene.advance(timing.interval + timing.timeout + slack)
            #expect(scene.registry.overview.counts[.up] == count)
            #expect(asked.counts.count == count)
            #expect(asked.counts.values.allSatisfy { $0 == 1 }, "one probe each makes it up")
        }
    }

    @Test("A host silent from the first probe: all its targets are down with cause target", arguments: Naming.allCases)
    func silentFromTheStart(naming: Naming) throws {
        let scene = DriverScene()
        let timing = Timing.all[1]
        for index in 0..<20 { scene.world.addresses[naming.host(index)] = Self.address }
        Self.fallSilent(scene)
        scene.apply(try Self.targets(20, naming, timing))
        scene.path(.up())
        scene.advance(timing.interval * Self.fall + timing.timeout)
        #expect(scene.registry.overview.counts[.down] == 20)
        for index in 0..<20 { #expect(scene.cause("t\(index)") == .target) }
    }

    @Test("Silent ports of a host do not affect or delay the targets on its other ports")
    func silentPorts() throws {
        for silent in [1, 5] {
            let scene = try Self.scene(20, .literal, Timing.all[1])
            scene.advance(.seconds(30))
            scene.world.behaviour = { request in
                if case .tcp(let settings) = request.kind, settings.port < 1000 + UInt16(silent) {
                    return (3_600_000_000_000, .success)
                }
                return (2_000_000, .success)
            }
            scene.advance(.seconds(300))
            for index in 0..<20 {
                #expect(scene.state("t\(index)") == (index < silent ? .down : .up))
                #expect(scene.transitions("t\(index)") == (index < silent ? [.up, .down] : [.up]))
            }
            #expect(scene.driver.record.statistics.longestLag <= .milliseconds(50))
        }
    }

    @Test(
        "A responding host gets two probes at a time, also when all are due at once",
        arguments: Naming.allCases
    )
    func burst(naming: Naming) throws {
        let scene = try Self.scene(40, naming, Timing.all[0], Self.unspread)
        scene.advance(.seconds(60))
        scene.path(.down())
        scene.advance(.seconds(5))
        var most = 0
        scene.world.behaviour = { request in
            if request.host != Self.gateway { most = max(most, scene.world.runsInFlight) }
            return (5_000_000, ProbeResult(outcome: .success, detail: "", duration: .zero, address: Self.address))
        }
        let starts = scene.world.startCount
        scene.path(.up(generation: 2))
        scene.advance(.seconds(1))
        #expect(most == 2)
        #expect(scene.world.startCount - starts >= 40)
        #expect(scene.registry.overview.counts[.up] == 40)
    }

    @Test(
        "A burst to a slow host is spread over a second, and no probe waits longer",
        arguments: Naming.allCases
    )
    func slowBurst(naming: Naming) throws {
        let scene = try Self.scene(500, naming, Timing.all[0], Self.unspread)
        scene.advance(.seconds(60))
        scene.path(.down())
        scene.advance(.seconds(5))
        var starts: [UInt64] = []
        scene.world.behaviour = { request in
            if request.host != Self.gateway { starts.append(scene.world.now()) }
            return (4_000_000_000, .success)
        }
        let begin = scene.world.now()
        scene.path(.up(generation: 2))
        scene.advance(.milliseconds(1010))
        #expect(starts.count == 500)
        let perStep = Dictionary(grouping: starts) { ($0 - begin) / 10_000_000 }
        #expect(perStep.values.allSatisfy { $0.count <= 12 }, "\(perStep.values.map(\.count).max() ?? 0)")
    }

    @Test("Waiting for a slot is not lag: all targets of an outage end down with cause target")
    func totalLimit() throws {
        var settings = ProbingSettings()
        settings.limits = try ProbeSchedulerLimits(total: 4, perAddress: 2)
        let scene = try Self.scene(40, .literal, Timing.all[1], settings)
        scene.advance(.seconds(30))
        Self.fallSilent(scene)
        // Two places of the slow lane: a round of 40 takes 100 s.
        scene.advance(.seconds(500))
        #expect(scene.registry.overview.counts[.down] == 40)
        for index in 0..<40 { #expect(scene.cause("t\(index)") == .target) }
        Self.expectNoBlame(scene, 40, since: 1)
    }

    @Test("C8: a late thread is lag, and a missing answer has cause self; in time it has cause target")
    func lateThread() throws {
        let scene = DriverScene()
        scene.apply([try .probed("web", interval: .seconds(60), fall: 1)])
        scene.path(.up())
        scene.advance(.seconds(130))
        #expect(scene.state("web") == .up)
        Self.fallSilent(scene)
        scene.world.stall(.seconds(70))
        scene.advance(.milliseconds(5_100))
        #expect(scene.state("web") == .unknown)
        #expect(scene.cause("web") == .`self`)
        #expect(scene.registry.target("web")?.evaluation?.diagnosis?.rule == .tooLate)
        #expect(scene.registry.target("web")?.evaluation?.lastReport?.lag ?? .zero >= .seconds(1))
        scene.advance(.seconds(70))
        #expect(scene.state("web") == .down)
        #expect(scene.cause("web") == .target)
    }
}
