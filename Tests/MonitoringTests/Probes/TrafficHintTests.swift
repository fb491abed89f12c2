// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import MonitoringTestSupport
import NetworkPaths
import Probing
import Testing
import Traffic

@testable import Monitoring

/// What the driver makes of this machine's own connections.
@Suite("Observed connections and the probes' driver") struct TrafficHintTests {
    private let scene: DriverScene
    private let traffic = FakeTraffic()
    private static let address = IPAddress(ipv4: 0xc633_6401)
    private static let endpoint = TrafficEndpoint(address, port: 80)

    init() {
        scene = DriverScene(connections: traffic)
    }

    private func connection(_ ending: EndedConnection.Ending, of id: String = "a") {
        scene.driver.connectionsChanged(
            TrafficChange(target: id, ending: ending, endpoint: Self.endpoint, time: scene.world.time)
        )
        scene.applyCommands()
    }

    /// Declares a target and lets its first probe end.
    private func start(_ settings: TargetSettings? = nil) throws {
        scene.apply([try settings ?? .probed("a", interval: .seconds(600))])
        scene.path(.up())
        scene.advance(.seconds(5))
    }

    @Test("a failed connection to a target that is up starts its probe at once, and the outage is confirmed")
    func hint() throws {
        try start()
        #expect(scene.state("a") == .up)
        let starts = scene.world.startCount
        scene.world.behaviour = { _ in (1_000_000, .failure(.connectRefused)) }
        connection(.refused)
        scene.advance(.milliseconds(20))
        #expect(scene.world.startCount == starts + 1)
        #expect(scene.driver.record.statistics.hinted == 1)
        // Two more failures at the confirm interval of five seconds.
        scene.advance(.seconds(11))
        #expect(scene.state("a") == .down)
        // A target that is down is probed as scheduled.
        let down = scene.world.startCount
        connection(.refused)
        scene.advance(.seconds(1))
        #expect(scene.world.startCount == down)
    }

    @Test("open connections are examined at the first failure and when the target counts as down; of many targets some")
    func hanging() throws {
        try start()
        #expect(traffic.noted.isEmpty)
        scene.world.behaviour = { _ in (1_000_000, .failure(.connectRefused)) }
        connection(.refused)
        scene.advance(.milliseconds(20))
        #expect(scene.state("a") == .up && traffic.noted == ["a"])
        scene.advance(.seconds(11))
        #expect(scene.state("a") == .down && traffic.noted == ["a", "a"])
        scene.advance(.seconds(1_800))
        #expect(traffic.noted.count == 2)
        scene.world.behaviour = { _ in (1_000_000, .success) }
        scene.advance(.seconds(1_200))
        #expect(scene.state("a") == .up && traffic.noted.count == 2)
        // A thousand fail within a second: at most ten looks a second.
        scene.apply(try (0..<1_000).map { try .probed("t\($0)", interval: .seconds(600)) })
        scene.path(.up())
        scene.world.behaviour = { _ in (1_000_000, .failure(.connectRefused)) }
        scene.advance(.seconds(1))
        #expect(traffic.noted.count <= 13)
    }

    @Test("a success is no hint, and neither is a failure while the probe runs, rests or is of another target")
    func none() throws {
        try start()
        let starts = scene.world.startCount
        connection(.closed)
        connection(.refused, of: "b")
        scene.advance(.seconds(1))
        #expect(scene.world.startCount == starts)
        scene.registry.setPaused(true, target: "a")
        scene.applyCommands()
        connection(.unanswered)
        scene.advance(.seconds(1))
        #expect(scene.world.startCount == starts)
    }

    @Test("hints whose probes succeed become rarer, up to the interval, and after a failed probe they count at once")
    func hold() throws {
        try start()
        let starts = scene.world.startCount
        // A program that tries an address of the target in vain, twice a second.
        for _ in 0..<120 {
            connection(.refused)
            scene.advance(.milliseconds(500))
        }
        // Holds of 1, 2, 4, 8, 16 and 32 seconds.
        #expect(scene.world.startCount == starts + 6)
        scene.world.behaviour = { _ in (1_000_000, .failure(.connectRefused)) }
        scene.driver.probe(scene.registry.target("a")?.target?.ordinal ?? 0) { _ in }
        scene.advance(.milliseconds(20))
        scene.world.behaviour = { _ in (1_000_000, .success) }
        scene.advance(.seconds(60))
        #expect(scene.state("a") == .up)
        let again = scene.world.startCount
        for _ in 0..<3 {
            connection(.refused)
            scene.advance(.milliseconds(1_100))
        }
        #expect(scene.world.startCount == again + 2)
    }

    @Test("an abandoned attempt starts the probe of a target that is up: an ICMP error looks the same")
    func abandoned() throws {
        try start()
        let starts = scene.world.startCount
        scene.world.behaviour = { _ in (1_000_000, .failure(.connectRefused)) }
        connection(.abandoned)
        scene.advance(.milliseconds(20))
        #expect(scene.world.startCount == starts + 1)
        scene.advance(.seconds(11))
        #expect(scene.state("a") == .down)
        let down = scene.world.startCount
        connection(.abandoned)
        scene.advance(.seconds(1))
        #expect(scene.world.startCount == down)
    }

    @Test("a program that abandons attempts all the time does not delay the probe after a failure")
    func pace() throws {
        try start()
        let starts = scene.world.startCount
        for _ in 0..<120 {
            connection(.abandoned)
            scene.advance(.milliseconds(500))
        }
        #expect(scene.world.startCount == starts + 6)
        connection(.refused)
        scene.advance(.milliseconds(20))
        #expect(scene.world.startCount == starts + 7)
    }

    // MARK: Endpoints

    @Test("endpoints are a literal address, a name's addresses as they change, and what probes found")
    func endpoints() throws {
        var named = try TargetSettings.probed("name", interval: .seconds(600))
        named.request = PathRequest(.name("example.org"))
        named.probe = ProbePlan(
            .ask(ProbeRequest(host: .name("example.org"), kind: .tcp(TCPProbeSettings(port: 25)), timeout: .seconds(5)))
        )
        var plain = TargetSettings.address("plain")
        plain.port = 22
        let silent = TargetSettings.address("silent")
        let (first, second) = (IPAddress(ipv4: 0xcb00_7101), IPAddress(ipv4: 0xcb00_7102))
        scene.world.behaviour = { _ in
            (1_000_000, ProbeResult(outcome: .success, detail: "", duration: .zero, address: second))
        }
        scene.apply([try .probed("a"), named, plain, silent])
        #expect(traffic.endpoints["a"] == [Self.endpoint])
        #expect(traffic.endpoints["plain"] == [TrafficEndpoint(Self.address, port: 22)])
        #expect(traffic.endpoints["silent"] == nil)
        #expect(traffic.endpoints["name"] == [])
        var path = NetworkPath.up()
        path.resolution = Resolution(state: .complete, addresses: [first])
        scene.path(path, of: ["name"])
        #expect(traffic.endpoints["name"] == [TrafficEndpoint(first, port: 25)])
        scene.advance(.seconds(5))
        #expect(traffic.endpoints["name"]?.map(\.address) == [first, second])
        let updates = traffic.updates
        scene.advance(.seconds(30))
        #expect(traffic.updates == updates, "the same addresses are no update")
        scene.apply([])
        #expect(traffic.endpoints.isEmpty)
    }

    @Test("addresses that clients of the API may not name are not observed for them")
    func policy() throws {
        var settings = try TargetSettings.probed("a")
        settings.origin = .api
        scene.driver.policy = TargetPolicy(denied: [IPPrefix(Self.address, length: 32)])
        scene.apply([settings])
        #expect(traffic.endpoints["a"] == [])
        scene.driver.policy = nil
        #expect(traffic.endpoints["a"]?.map(\.address) == [Self.address])
    }

    // MARK: The kind traffic

    private func observed() throws -> TargetSettings {
        var settings = try TargetSettings.probed("a")
        settings.probe = ProbePlan(
            .traffic(TrafficPlan(port: 80, fall: 3, maximumAge: .seconds(60))),
            verdict: try VerdictSettings(fall: 1, rise: 1, interval: .seconds(10))
        )
        return settings
    }

    @Test(
        "traffic: unknown without connections, up while they succeed, down when enough fail in a row; nothing is sent"
    )
    func kind() throws {
        try start(observed())
        #expect(traffic.endpoints["a"] == [Self.endpoint])
        scene.advance(.seconds(11))
        #expect(scene.state("a") == .unknown)
        #expect(scene.reason("a") == "no_traffic")
        #expect(scene.cause("a") == nil)
        var summary = TrafficSummary()
        summary.standing.succeed(at: scene.world.time)
        traffic.summaries["a"] = summary
        connection(.closed)
        scene.advance(.milliseconds(20))
        #expect(scene.state("a") == .up)
        // An abandoned attempt is no evidence.
        connection(.abandoned)
        scene.advance(.milliseconds(20))
        #expect(scene.state("a") == .up)
        // Two failures are too few.
        summary.standing.fail(.refused, at: scene.world.time)
        summary.standing.fail(.refused, at: scene.world.time)
        traffic.summaries["a"] = summary
        connection(.refused)
        scene.advance(.milliseconds(20))
        #expect(scene.state("a") == .up)
        // The third is of the same second, and not reported.
        summary.standing.fail(.refused, at: scene.world.time)
        traffic.summaries["a"] = summary
        scene.advance(.milliseconds(1_100))
        #expect(scene.state("a") == .down)
        #expect(scene.reason("a") == "connect_refused")
        #expect(scene.cause("a") == .target)
        summary.standing.succeed(at: scene.world.time)
        traffic.summaries["a"] = summary
        connection(.closed)
        scene.advance(.milliseconds(20))
        #expect(scene.state("a") == .up)
        scene.advance(.seconds(75))
        #expect(scene.state("a") == .unknown)
        #expect(scene.starts("198.51.100.1") == 0)
    }

    @Test("traffic: without the observer the target is unknown, with the reason")
    func unavailable() throws {
        let scene = DriverScene()
        scene.apply([try observed()])
        scene.path(.up())
        scene.advance(.seconds(11))
        #expect(scene.state("a") == .unknown)
        #expect(scene.registry.target("a")?.reason?.detail == "this machine's connections are not observed")
    }
}
