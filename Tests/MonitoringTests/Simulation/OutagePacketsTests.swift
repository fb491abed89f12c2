// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO
import MonitoringTestSupport
import NetworkPaths
import Probing
import Testing

@testable import Monitoring

/// Targets in 40 networks behind a router that stops forwarding, in virtual time.
private final class OutageScene {
    struct Packets {
        var probes = 0
        /// Segments that begin a connection: the kernel repeats them while nothing responds.
        var segments = 0
        var gatewayProbes = 0
        var traces = 0
        var tracePackets = 0
        /// The most probes that began in one second.
        var peak = 0

        static func += (left: inout Packets, right: Packets) {
            left.probes += right.probes
            left.segments += right.segments
            left.gatewayProbes += right.gatewayProbes
            left.traces += right.traces
            left.tracePackets += right.tracePackets
            left.peak = max(left.peak, right.probes)
        }
    }

    private static let routers = ["192.0.2.1", "10.9.0.1", "10.9.1.1"]
    private let scene: DriverScene
    private var isBroken = false
    private var sent = Packets()
    private let count: Int

    /// - Parameter isDiagnosed: False for the plain schedule: without a gateway, each target is evaluated alone.
    init(_ count: Int, isDiagnosed: Bool) throws {
        self.count = count
        scene = DriverScene()
        scene.world.keepsStarts = false
        scene.world.behaviour = { [unowned self] in answer($0) }
        scene.world.traceBehaviour = { [unowned self] in trace($0) }
        scene.registry.beginIncidents()
        let targets = try (0..<count).map { number in
            var target = try TargetSettings.probed("t\(number)", Self.address(number), interval: .seconds(30))
            target.probe?.jitter = 0.1
            return target
        }
        // Their probes are spread over the interval.
        for second in 1...30 {
            scene.apply(Array(targets.prefix(count * second / 30)))
            scene.path(.up(gateway: isDiagnosed ? Self.routers[0] : ""))
            scene.advance(.seconds(1))
        }
    }

    private static func address(_ number: Int) -> String { "10.80.\(number % 40).\(number / 40 + 1)" }

    private func answer(_ request: ProbeRequest) -> (UInt64, ProbeResult) {
        guard case .address(let address) = request.host else { return (1_000_000, .failure(.nameError)) }
        guard "\(address)" != Self.routers[0] else {
            sent.gatewayProbes += 1
            return (1_000_000, .success)
        }
        sent.probes += 1
        guard isBroken else {
            sent.segments += 1
            return (2_000_000, ProbeResult(outcome: .success, detail: "", duration: .milliseconds(2), address: address))
        }
        // At once, after one and after three seconds.
        sent.segments += 3
        return (5_000_000_000, .failure(.timeout, after: request.timeout, at: address))
    }

    private func trace(_ request: TraceRequest) -> (UInt64, TraceResult) {
        sent.traces += 1
        guard isBroken else {
            let routers = Self.routers + ["10.9.2.\("\(request.destination)".split(separator: ".")[2])"]
            sent.tracePackets += routers.count + 1
            return (20_000_000, .reached(request, by: routers))
        }
        // Three for each of eight hops that stay silent.
        sent.tracePackets += Self.routers.count + 3 * 8
        return (2_000_000_000, .silent(request, behind: Self.routers))
    }

    /// What is sent in two minutes from the begin of a fault, and in one from its end, and the states in the fault.
    func run() -> (minutes: [Packets], states: Set<TargetState?>) {
        scene.advance(.seconds(90))
        isBroken = true
        var minutes = [minute(), minute()]
        let states = Set((0..<count).map { scene.state("t\($0)") })
        isBroken = false
        minutes.append(minute())
        scene.driver.close()
        return (minutes, states)
    }

    private func minute() -> Packets {
        var minute = Packets()
        for _ in 0..<60 {
            sent = Packets()
            scene.advance(.seconds(1))
            minute += sent
        }
        return minute
    }
}

@Suite("Packets of an outage") struct OutagePacketsTests {
    /// 10,000 targets need optimized code.
    private static var counts: [Int] {
        #if DEBUG
            [200]
        #else
            [200, 10_000]
        #endif
    }

    @Test("An outage adds a trace a second to the schedule, however many targets there are", arguments: counts)
    func outage(count: Int) throws {
        let plain = try OutageScene(count, isDiagnosed: false).run()
        let diagnosed = try OutageScene(count, isDiagnosed: true).run()
        #expect(plain.states == [.down] && diagnosed.states == [.unreachable])
        let names = ["minute 1 of the outage", "minute 2", "minute 1 after it"]
        for (name, (without, with)) in zip(names, zip(plain.minutes, diagnosed.minutes)) {
            print(
                "\(count) targets, \(name): \(with.probes) probes (schedule alone: \(without.probes)), "
                    + "\(with.segments) segments (\(without.segments)), at most \(with.peak) probes a second (\(without.peak)), "
                    + "\(with.traces) traces of \(with.tracePackets) packets, \(with.gatewayProbes) probes of the gateway"
            )
            // Two at once, of two seconds, and one each two seconds of those that are due once a day.
            #expect(with.traces <= 60 + 30)
            // One serves all failures that began before it.
            #expect(with.gatewayProbes <= 15)
            // Those that are probed before their turn are spread as after a start.
            #expect(with.peak <= without.peak + max(100, count / 4))
        }
        func probes(_ minutes: some Sequence<OutageScene.Packets>) -> Int { minutes.reduce(0) { $0 + $1.probes } }
        #expect(probes(diagnosed.minutes.prefix(2)) <= probes(plain.minutes.prefix(2)) * 101 / 100)
        // Each once at the end.
        #expect(diagnosed.minutes[2].probes <= plain.minutes[2].probes + count)
    }
}
