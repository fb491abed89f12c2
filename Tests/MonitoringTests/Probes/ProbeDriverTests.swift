// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ActivityTracking
import Glibc
import MonitoringTestSupport
import NetworkPaths
import Probing
import Testing

@testable import Monitoring

@Suite("The probe driver")
struct ProbeDriverTests {
    private static let gateway = ProbeHost.address(IPAddress(ipv4: 0xC000_0201))

    private static func isGateway(_ request: ProbeRequest) -> Bool {
        request.host == gateway
    }

    @Test("The first probes are spread over the start, then each target is probed once per interval")
    func schedule() throws {
        let scene = DriverScene()
        scene.apply(try (0..<100).map { try .probed("t\($0)", "198.51.100.\($0)", interval: .seconds(10)) })
        scene.path(.up())
        scene.advance(.seconds(4))
        #expect(Set(scene.world.starts.map(\.request.host).filter { $0 != Self.gateway }).count == 100)
        let firsts = scene.world.starts.map(\.time).sorted()
        #expect(zip(firsts, firsts.dropFirst()).count { $1 - $0 < 1_000_000 } < 20, "not all at once")
        scene.advance(.seconds(96))
        for number in 0..<100 { #expect((10...12).contains(scene.starts("198.51.100.\(number)"))) }
        #expect(scene.registry.overview.counts[.up] == 100)
    }

    @Test("Up to eight targets that are added together are probed at once, more are spread", arguments: [1, 8, 9, 100])
    func added(count: Int) throws {
        let scene = DriverScene()
        let first = try TargetSettings.probed("first", "198.51.100.200", interval: .seconds(3_600))
        scene.apply([first])
        scene.path(.up())
        scene.advance(.seconds(10))
        let before = scene.world.startCount
        let added = try (0..<count).map {
            try TargetSettings.probed("t\($0)", "198.51.100.\($0)", interval: .seconds(3_600))
        }
        scene.apply([first] + added)
        scene.path(.up())
        scene.advance(.milliseconds(20))
        let started = scene.world.startCount - before
        #expect(count <= 8 ? started == count : started < count / 2)
        scene.advance(.seconds(4))
        #expect(scene.world.startCount - before == count)
    }

    @Test("The time of the next probe is known while one is planned")
    func nextProbe() throws {
        let scene = DriverScene()
        scene.apply([try .probed("web", interval: .seconds(10))])
        scene.path(.up())
        scene.advance(.seconds(4))
        let ordinal = try #require(scene.registry.target("web")?.target?.ordinal)
        let due = try #require(scene.nextProbes[ordinal])
        let left = due.milliseconds - scene.world.clock.now().milliseconds
        // Half an interval after the first probe, which started at once, at the earliest.
        #expect((1_000...12_000).contains(left))
        #expect(scene.starts("198.51.100.1") == 1)
        scene.advance(.milliseconds(left - 1))
        #expect(scene.starts("198.51.100.1") == 1)
        // Turns are taken in steps of 10 ms.
        scene.advance(.milliseconds(12))
        #expect(scene.starts("198.51.100.1") == 2)
        #expect(scene.nextProbes[ordinal]?.milliseconds == due.milliseconds + 10_000)
        scene.path(.down(.noCarrier))
        #expect(scene.nextProbes[ordinal] == nil, "none without a path")
        scene.driver.probe(ordinal) { _ in }
        scene.advance(.seconds(1))
        #expect(scene.nextProbes[ordinal] == nil, "a probe on demand plans none")
        scene.path(.up(generation: 5))
        scene.advance(.seconds(1))
        #expect(scene.nextProbes[ordinal] != nil)
        scene.apply([])
        #expect(scene.nextProbes[ordinal] == nil)
    }

    @Test("A target goes down after `fall` failures at the faster interval, and up after `rise` successes")
    func fallAndRise() throws {
        let scene = DriverScene()
        scene.apply([try .probed("web", interval: .seconds(30))])
        scene.path(.up())
        scene.advance(.seconds(31))
        #expect(scene.state("web") == .up)
        scene.world.behaviour = { Self.isGateway($0) ? (1000, .success) : (1000, .failure(.connectRefused)) }
        scene.advance(.seconds(30))
        let evaluation = try #require(scene.registry.target("web")?.evaluation)
        #expect(evaluation.pending != nil || scene.state("web") == .down)
        scene.advance(.seconds(12))
        #expect(scene.state("web") == .down)
        #expect(scene.reason("web") == "connect_refused")
        #expect(scene.cause("web") == .target)
        scene.world.behaviour = { _ in (1000, .success) }
        scene.advance(.seconds(41))
        #expect(scene.state("web") == .up)
        #expect(scene.reason("web") == nil)
        #expect(scene.transitions("web") == [.up, .down, .up])
    }

    @Test(
        "Without a path: unreachable at once, probes are cancelled; when it returns: probed at once"
    )
    func rest() throws {
        let scene = DriverScene()
        scene.apply([try .probed("web", interval: .seconds(10))])
        scene.path(.up())
        scene.advance(.seconds(11))
        scene.world.behaviour = { _ in (3_000_000_000, .success) }
        scene.advance(.seconds(9))
        let before = scene.world.startCount
        #expect(scene.world.runsInFlight >= 0)
        scene.path(.down(.noCarrier))
        #expect(scene.state("web") == .unreachable)
        #expect(scene.cause("web") == .localNetwork)
        #expect(scene.reason("web") == "no_carrier")
        scene.advance(.seconds(300))
        #expect(scene.world.startCount <= before + 1)
        #expect(scene.world.runsInFlight == 0)
        let resting = scene.world.startCount
        scene.world.behaviour = { _ in (1000, .success) }
        scene.path(.up(generation: 5))
        #expect(scene.state("web") == .unreachable, "nobody knows yet")
        #expect(scene.reason("web") == "not_probed")
        scene.advance(.milliseconds(1))
        #expect(scene.world.startCount > resting)
        #expect(scene.state("web") == .up)
        #expect(scene.transitions("web") == [.up, .unreachable, .up])
    }

    @Test("A result for a removed or changed target has no effect")
    func staleResults() throws {
        let scene = DriverScene()
        scene.world.behaviour = { _ in (2_000_000_000, .failure(.connectRefused)) }
        scene.apply([try .probed("web", interval: .seconds(10), fall: 1)])
        scene.path(.up())
        scene.advance(.seconds(4))
        scene.apply([try .probed("web", "198.51.100.2", interval: .seconds(10), fall: 1)])
        scene.advance(.seconds(1))
        #expect(scene.registry.target("web")?.evaluation?.lastReport == nil)
        scene.apply([])
        scene.advance(.seconds(60))
        #expect(scene.world.runsInFlight == 0)
        #expect(scene.registry.target("web") == nil)
    }

    @Test("Targets behind a gateway that stops responding are unreachable, not down")
    func gatewayDead() throws {
        let scene = DriverScene()
        scene.apply([try .probed("web", fall: 2)])
        scene.path(.up())
        scene.advance(.seconds(15))
        scene.world.behaviour = { _ in (9_000_000_000, .success) }
        scene.advance(.seconds(40))
        #expect(scene.state("web") == .unreachable)
        #expect(scene.cause("web") == .localNetwork)
        #expect(scene.reason("web") == "timeout")
        scene.world.behaviour = { Self.isGateway($0) ? (1000, .success) : (9_000_000_000, .success) }
        scene.advance(.seconds(20))
        #expect(scene.state("web") == .down, "now it is the target alone")
        #expect(scene.cause("web") == .target)
        #expect(scene.transitions("web") == [.up, .unreachable, .down])
    }

    @Test("A gateway that never answered echo requests is not the cause of a target's silence")
    func gatewayMute() throws {
        let scene = DriverScene()
        scene.world.behaviour = { Self.isGateway($0) ? (9_000_000_000, .success) : (1000, .success) }
        scene.apply([try .probed("web", fall: 2)])
        scene.path(.up())
        scene.advance(.seconds(15))
        scene.world.behaviour = { _ in (9_000_000_000, .success) }
        scene.advance(.seconds(40))
        #expect(scene.state("web") == .down)
        #expect(scene.cause("web") == .target)
    }

    @Test(
        "A gateway that did not answer is asked again when packets pass it, while it was asked or later",
        arguments: [1_000_000, 2_000_000_000] as [UInt64]
    )
    func gatewayAskedTooEarly(secondAnswer: UInt64) throws {
        let scene = DriverScene()
        var isLost = true
        scene.world.behaviour = { request in
            guard Self.isGateway(request) else {
                return (request.host == .address(IPAddress(ipv4: 0xC633_6401)) ? 1_000_000 : secondAnswer, .success)
            }
            defer { isLost = false }
            return isLost ? (1_000_000_000, .failure(.timeout)) : (1_000_000, .success)
        }
        scene.apply([try .probed("t0", "198.51.100.1"), try .probed("t1", "198.51.100.2")])
        scene.path(.up())
        scene.advance(.seconds(20))
        scene.world.behaviour = { _ in (1_000_000_000, .failure(.timeout)) }
        scene.advance(.seconds(30))
        #expect(scene.reason("t0") == "timeout" && scene.cause("t0") == .localNetwork)
        #expect(scene.registry.target("t0")?.evaluation?.diagnosis?.rule == .gatewaySilent)
    }

    @Test("No neighbour at the gateway's address: local_network, whether it ever answered or not")
    func gatewayGone() throws {
        let scene = DriverScene()
        scene.world.behaviour = {
            Self.isGateway($0) ? (1000, .failure(.hostUnreachable)) : (1000, .failure(.hostUnreachable))
        }
        scene.apply([try .probed("web", fall: 1)])
        scene.path(.up())
        scene.advance(.seconds(6))
        #expect(scene.state("web") == .unreachable)
        #expect(scene.cause("web") == .localNetwork)
    }

    @Test("A gateway reply from before a probe does not explain the probe's failure")
    func staleGateway() throws {
        let scene = DriverScene()
        scene.apply([try .probed("web", interval: .seconds(1), fall: 1)])
        scene.path(.up())
        // The gateway was asked for the first time a moment ago, and answered.
        while !scene.world.starts.contains(where: { Self.isGateway($0.request) }) { scene.advance(.milliseconds(10)) }
        scene.advance(.milliseconds(20))
        #expect(scene.state("web") == .up)
        scene.world.behaviour = { _ in (1000, .failure(.networkUnreachable)) }
        scene.advance(.milliseconds(1100))
        #expect(scene.state("web") == .unreachable)
        #expect(scene.cause("web") == .localNetwork)
    }

    @Test("A result that still waits for the gateway's answer counts no more once a newer probe has begun")
    func outdatedResult() throws {
        let scene = DriverScene()
        scene.apply([try .probed("web", fall: 1)])
        scene.path(.up())
        scene.advance(.seconds(15))
        #expect(scene.state("web") == .up)
        scene.world.behaviour = { Self.isGateway($0) ? (900_000_000, .success) : (1000, .failure(.timeout)) }
        let asked = scene.world.starts.filter { Self.isGateway($0.request) }.count
        while scene.world.starts.filter({ Self.isGateway($0.request) }).count == asked {
            scene.advance(.milliseconds(10))
        }
        scene.world.behaviour = { _ in (1000, .success) }
        scene.driver.probe(try #require(scene.registry.target("web")?.target).ordinal) { _ in }
        scene.advance(.seconds(5))
        #expect(scene.transitions("web") == [.up])
        #expect(scene.registry.target("web")?.evaluation?.tally?[.failure] == 0)
    }

    @Test("A gateway reply during a probe is no evidence after the network is lost")
    func goneSince() throws {
        let scene = DriverScene()
        let hosts = ["web": "198.51.100.1", "other": "198.51.100.2"]
        try scene.apply(hosts.map { try .probed($0.key, $0.value, interval: .seconds(10), fall: 1) })
        scene.path(.up(), of: Array(hosts.keys))
        scene.advance(.seconds(15))
        #expect(scene.state("web") == .up)
        let web = ProbeHost.address(try #require(IPAddress("198.51.100.1")))
        // Its probe takes long; meanwhile the other one's silence has the gateway asked, which answers, and then the uplink goes.
        scene.world.behaviour = { request in
            if Self.isGateway(request) { return (1000, .success) }
            return request.host == web ? (4_900_000_000, .failure(.networkUnreachable)) : (1000, .failure(.timeout))
        }
        let before = scene.starts("198.51.100.1")
        while scene.starts("198.51.100.1") == before { scene.advance(.milliseconds(10)) }
        let asked = scene.world.starts.filter { Self.isGateway($0.request) }.count
        scene.driver.probe(try #require(scene.registry.target("other")?.target).ordinal) { _ in }
        scene.advance(.milliseconds(20))
        #expect(scene.world.starts.filter { Self.isGateway($0.request) }.count > asked)
        scene.world.behaviour = { _ in (1000, .failure(.networkUnreachable)) }
        scene.advance(.seconds(6))
        #expect(scene.transitions("web") == [.up, .unreachable])
        #expect(scene.cause("web") == .localNetwork)
    }

    @Test("The network is lost before the kernel message is read: local_network, no target is down")
    func networkGoing() throws {
        for reason in [ProbeReason.networkUnreachable, .networkDown] {
            let scene = DriverScene()
            scene.apply([try .probed("far", fall: 1), try .probed("near", "192.0.2.77", fall: 1)])
            scene.path(.up(), of: ["far"])
            scene.path(NetworkPath(flags: .reachable), of: ["near"])
            scene.advance(.seconds(15))
            scene.world.behaviour = { _ in (1000, .failure(reason)) }
            scene.advance(.seconds(15))
            for id in ["far", "near"] {
                #expect(scene.state(id) == .unreachable)
                #expect(scene.cause(id) == .localNetwork)
                #expect(scene.reason(id) == reason.rawValue)
            }
        }
    }

    @Test("A local route error with a responding gateway is local_network; one from a router is not")
    func withoutRoute() throws {
        for isRouters in [false, true] {
            let scene = DriverScene()
            scene.apply([try .probed("web", interval: .seconds(1), fall: 1)])
            scene.path(.up())
            scene.advance(.seconds(15))
            scene.world.behaviour = { request in
                if Self.isGateway(request) { return (1000, .success) }
                var result = ProbeResult.failure(.networkUnreachable)
                let report = PacketError.Message(family: .ipv4, type: 3, code: 0, offender: nil)
                result.packetError =
                    isRouters
                    ? PacketError(
                        systemError: ENETUNREACH,
                        message: report,
                        local: nil,
                        peer: IPAddress(ipv4: 0xC633_6401)
                    ) : PacketError(systemError: ENETUNREACH)
                return (1000, result)
            }
            scene.advance(.seconds(5))
            #expect(scene.state("web") == (isRouters ? .down : .unreachable))
            #expect(scene.cause("web") == (isRouters ? .target : .localNetwork))
        }
    }

    @Test("Too few anchors respond: the internet is down, and no target is the cause")
    func anchors() throws {
        var settings = ProbingSettings()
        settings.anchors = ["a", "b"]
        settings.quorum = 1
        let scene = DriverScene(settings)
        scene.apply([
            try .probed("a", "198.51.100.1"), try .probed("b", "198.51.100.2"), try .probed("c", "198.51.100.3"),
        ])
        scene.path(.up())
        scene.advance(.seconds(15))
        #expect(scene.registry.anchors?.up == 2)
        scene.world.behaviour = { Self.isGateway($0) ? (1000, .success) : (9_000_000_000, .success) }
        scene.advance(.seconds(60))
        #expect(scene.registry.anchors?.isInternetDown == true)
        for id in ["a", "b", "c"] {
            #expect(scene.state(id) == .unreachable)
            #expect(scene.cause(id) == .localNetwork)
        }
        scene.world.behaviour = { request in
            request.host == .address(IPAddress(ipv4: 0xC633_6403)) ? (9_000_000_000, .success) : (1000, .success)
        }
        scene.advance(.seconds(60))
        #expect(scene.state("a") == .up)
        #expect(scene.state("c") == .down)
        #expect(scene.cause("c") == .target)
    }

    @Test(
        "What an anchor answered before a target fell silent shows nothing: the target fails with the anchors, never alone",
        arguments: [0, 3, 7, 12, 18, 25],
        [1, 2]
    )
    func earlierAnswer(of anchors: Int, fall: Int) throws {
        var settings = ProbingSettings()
        settings.anchors = ["a", "b"]
        let scene = DriverScene(settings)
        scene.apply([
            try .probed("a", "198.51.100.1", interval: .seconds(30)),
            try .probed("b", "203.0.113.1", interval: .seconds(30)),
            try .probed("c", "192.0.2.129", interval: .seconds(4), fall: fall),
            try .probed("d", "198.51.100.3", interval: .seconds(4), fall: fall),
        ])
        scene.path(.up())
        scene.advance(.seconds(60 + anchors))
        scene.world.behaviour = { Self.isGateway($0) ? (1000, .success) : (9_000_000_000, .success) }
        for _ in 0..<600 {
            scene.advance(.milliseconds(100))
            for id in ["c", "d"] { #expect(scene.cause(id) ?? .localNetwork == .localNetwork, "\(id)") }
        }
        for id in ["c", "d"] { #expect(scene.transitions(id) == [.up, .unreachable], "\(id)") }
    }

    @Test("A target is down as soon as an anchor was asked since, and answers")
    func laterAnswer() throws {
        var settings = ProbingSettings()
        settings.anchors = ["a", "b"]
        let scene = DriverScene(settings)
        scene.apply([
            try .probed("a", "198.51.100.1", interval: .seconds(300)),
            try .probed("b", "203.0.113.1", interval: .seconds(300)),
            try .probed("c", "192.0.2.129", interval: .seconds(4), fall: 1),
        ])
        scene.path(.up())
        scene.advance(.seconds(30))
        scene.world.behaviour = { request in
            request.host == .address(IPAddress(ipv4: 0xC000_0281)) ? (9_000_000_000, .success) : (1000, .success)
        }
        // The next probe begins within four seconds and ends four later; then its path is traced.
        scene.advance(.seconds(11))
        #expect(scene.state("c") == .down && scene.cause("c") == .target)
    }

    @Test("A target whose name no resolver resolves is unreachable with cause dns")
    func dns() throws {
        let scene = DriverScene()
        scene.world.behaviour = { Self.isGateway($0) ? (1000, .success) : (1000, .failure(.nameTimeout)) }
        scene.apply([try .probed("web", fall: 2)])
        scene.path(.up())
        scene.advance(.seconds(30))
        #expect(scene.state("web") == .unreachable)
        #expect(scene.cause("web") == .dns)
    }

    @Test("A local error of reachd gives unknown with cause self")
    func ownTrouble() throws {
        let scene = DriverScene()
        scene.world.behaviour = { _ in (1000, .failure(.outOfDescriptors)) }
        scene.apply([try .probed("web", fall: 2)])
        scene.path(.up())
        scene.advance(.seconds(30))
        #expect(scene.state("web") == .unknown)
        #expect(scene.cause("web") == .`self`)
        #expect(scene.reason("web") == "out_of_descriptors")
    }

    @Test("Descendants of a parent that is down are unreachable and not probed until it returns")
    func parents() throws {
        let scene = DriverScene()
        let parent = IPAddress(ipv4: 0xC633_6401)
        scene.apply([
            try .probed("grandchild", "198.51.100.3", dependsOn: ["child"]),
            try .probed("child", "198.51.100.2", dependsOn: ["router"]),
            try .probed("router", "198.51.100.1", fall: 2),
        ])
        scene.path(.up())
        scene.advance(.seconds(15))
        #expect(scene.registry.overview.counts[.up] == 3)
        scene.world.behaviour = { $0.host == .address(parent) ? (1000, .failure(.connectRefused)) : (1000, .success) }
        scene.advance(.seconds(20))
        #expect(scene.state("router") == .down)
        for id in ["child", "grandchild"] {
            #expect(scene.state(id) == .unreachable)
            #expect(scene.cause(id) == .parent)
            #expect(scene.reason(id) == "parent_down")
        }
        let asked = scene.starts("198.51.100.3")
        scene.advance(.seconds(60))
        #expect(scene.starts("198.51.100.3") == asked)
        scene.world.behaviour = { _ in (1000, .success) }
        scene.advance(.seconds(40))
        #expect(scene.registry.overview.counts[.up] == 3)
        #expect(scene.transitions("grandchild") == [.up, .unreachable, .up])
    }

    @Test("A dependency chain of 5,000 targets does not overflow the stack")
    func longLine() throws {
        let scene = DriverScene()
        scene.world.behaviour = { Self.isGateway($0) ? (1000, .success) : (1000, .failure(.connectRefused)) }
        let first = try TargetSettings.probed("t0", "198.51.100.1", fall: 1)
        scene.apply(
            [first]
                + (1..<5_000).map { number in
                    var settings = TargetSettings.address("t\(number)", "10.0.\(number / 250).\(number % 250 + 1)")
                    settings.dependsOn = ["t\(number - 1)"]
                    return settings
                }
        )
        scene.path(.up())
        scene.advance(.seconds(6))
        #expect(scene.state("t0") == .down)
        #expect(scene.registry.overview.counts[.unreachable] == 4_999)
    }

    @Test("A paused target is not probed; a resumed one is unknown and probed at once")
    func pause() throws {
        let scene = DriverScene()
        scene.apply([try .probed("web"), .address("plain", "203.0.113.1")])
        scene.path(.up())
        scene.advance(.seconds(15))
        #expect(scene.registry.setPaused(true, target: "web")?.state == .paused)
        #expect(scene.registry.setPaused(true, target: "plain")?.state == .paused)
        #expect(scene.registry.setPaused(true, target: "nobody") == nil)
        scene.applyCommands()
        let asked = scene.starts("198.51.100.1")
        scene.path(.down())
        scene.path(.up(generation: 9))
        scene.advance(.seconds(100))
        #expect(scene.starts("198.51.100.1") == asked)
        #expect(scene.state("web") == .paused)
        #expect(scene.state("plain") == .paused)
        #expect(scene.registry.setPaused(false, target: "web")?.state == .unknown)
        #expect(scene.registry.setPaused(false, target: "plain")?.state == .up)
        scene.applyCommands()
        scene.advance(.milliseconds(2))
        #expect(scene.state("web") == .up)
        #expect(scene.transitions("plain") == [.up, .paused, .up])
    }

    @Test("A maintenance window follows the wall clock; failures in it are expected")
    func maintenance() throws {
        let scene = DriverScene()
        let now = scene.world.clock.now().milliseconds
        let window = try MaintenanceWindow(from: now + 100_000, to: now + 200_000)
        var plain = TargetSettings.address("plain", "203.0.113.1")
        plain.maintenance = [window]
        scene.apply([try .probed("web", maintenance: [window]), plain])
        scene.path(.up())
        scene.advance(.seconds(99))
        #expect(scene.state("web") == .up)
        scene.world.behaviour = { _ in (1000, .failure(.connectRefused)) }
        scene.advance(.seconds(2))
        #expect(scene.state("web") == .maintenance)
        #expect(scene.state("plain") == .maintenance)
        scene.advance(.seconds(60))
        scene.world.behaviour = { _ in (1000, .success) }
        scene.advance(.seconds(60))
        #expect(scene.state("web") == .up)
        #expect(scene.state("plain") == .up)
        #expect(scene.transitions("web") == [.up, .maintenance, .up])
    }

    @Test("Removing an active maintenance window ends it, with and without a probe")
    func maintenanceTakenBack() throws {
        let scene = DriverScene()
        let now = scene.world.clock.now().milliseconds
        let window = try MaintenanceWindow(from: now - 1000, to: now + 1_000_000)
        var plain = TargetSettings.address("plain", "203.0.113.1")
        plain.maintenance = [window]
        scene.apply([try .probed("web", maintenance: [window]), plain])
        scene.path(.up())
        scene.advance(.seconds(15))
        #expect(scene.registry.overview.counts[.maintenance] == 2)
        plain.maintenance = []
        scene.apply([try .probed("web"), plain])
        scene.advance(.seconds(15))
        #expect(scene.state("web") == .up)
        #expect(scene.state("plain") == .up)
    }

    @Test("After a sleep, probes in flight are no evidence, all targets are probed again, no outage is reported")
    func suspension() throws {
        let scene = DriverScene()
        scene.apply([try .probed("web", interval: .seconds(10), fall: 1)])
        scene.path(.up())
        scene.advance(.seconds(15))
        scene.world.behaviour = { _ in (4_000_000_000, .failure(.timeout)) }
        scene.advance(.seconds(10))
        scene.world.sleep(.seconds(3600))
        scene.world.behaviour = { _ in (1000, .success) }
        scene.advance(.seconds(20))
        #expect(scene.state("web") == .up)
        #expect(!scene.transitions("web").contains(.down))
        scene.advance(.seconds(2))
        #expect(scene.driver.record.statistics.suspensions == 1)
    }

    @Test("Probe now joins a running probe or starts one, also while paused, and notifies all callers")
    func probeNow() throws {
        let scene = DriverScene()
        scene.apply([try .probed("web", interval: .seconds(3600)), .address("plain", "203.0.113.1")])
        scene.path(.up())
        scene.advance(.seconds(10))
        let ordinal = try #require(scene.registry.target("web")?.target?.ordinal)
        var reports: [ProbeReport?] = []
        let before = scene.world.startCount
        scene.driver.probe(ordinal) { reports.append($0) }
        scene.driver.probe(ordinal) { reports.append($0) }
        scene.advance(.milliseconds(10))
        #expect(scene.world.startCount == before + 1)
        #expect(reports.count == 2)
        #expect(reports.allSatisfy { $0?.result.outcome == .success })
        _ = scene.registry.setPaused(true, target: "web")
        scene.applyCommands()
        scene.driver.probe(ordinal) { reports.append($0) }
        scene.advance(.milliseconds(10))
        #expect(reports.count == 3)
        #expect(scene.state("web") == .paused, "a raw result decides nothing")
        #expect(scene.registry.target("web")?.evaluation?.lastReport != nil)
        scene.driver.probe(999) { #expect($0 == nil) }
        scene.driver.probe(ordinal) { #expect($0 == nil) }
        scene.apply([])
        scene.advance(.seconds(1))
    }

    @Test("push: a heartbeat in time is a success; a missing or failed one is a failure")
    func heartbeat() throws {
        let scene = DriverScene()
        var settings = TargetSettings.address("job", "203.0.113.1")
        settings.probe = ProbePlan(
            .heartbeat(grace: .seconds(5)),
            verdict: try VerdictSettings(fall: 2, rise: 1, interval: .seconds(10))
        )
        scene.apply([settings])
        scene.path(.up())
        scene.advance(.seconds(14))
        #expect(scene.state("job") == .unknown)
        let ordinal = try #require(scene.registry.target("job")?.target?.ordinal)
        for _ in 0..<5 {
            scene.driver.heartbeat(ordinal, .success) { #expect($0 != nil) }
            scene.applyCommands()
            #expect(scene.state("job") == .up)
            scene.advance(.seconds(14))
        }
        scene.advance(.seconds(2))
        #expect(scene.registry.target("job")?.evaluation?.pending?.count == 1)
        scene.advance(.seconds(16))
        #expect(scene.state("job") == .down)
        #expect(scene.reason("job") == "heartbeat_missed")
        // Nobody has heard of it: no way there and back is proven by that.
        #expect(scene.registry.target("job")?.evaluation?.diagnosis?.rule == .noAnswer)
        scene.driver.heartbeat(ordinal, .failure(.heartbeatFailed)) { _ in }
        scene.applyCommands()
        #expect(scene.reason("job") == "heartbeat_failed")
        scene.driver.heartbeat(ordinal, .success) { _ in }
        scene.applyCommands()
        #expect(scene.state("job") == .up)
        #expect(scene.world.startCount == 0, "nobody was asked")
    }

    @Test("The activity indicator follows the probes in flight (A1–A27)")
    func activity() throws {
        let scene = DriverScene()
        scene.world.behaviour = { _ in (3_000_000_000, .success) }
        scene.apply([try .probed("web", interval: .seconds(3600))])
        scene.path(.up())
        while scene.world.startCount == 0 { scene.advance(.milliseconds(10)) }
        #expect(scene.activity.state == .delayingStart)
        #expect(scene.activity.count == 1)
        scene.advance(.milliseconds(1100))
        #expect(scene.activity.state == .active)
        #expect(scene.activity.isVisible)
        scene.advance(.milliseconds(2000))
        #expect(scene.activity.state == .delayingEnd || scene.activity.state == .notActive)
        scene.advance(.milliseconds(400))
        #expect(scene.activity == .idle)
        #expect(scene.activityStates == [.delayingStart, .active, .delayingEnd, .notActive], "each is told")
    }

    @Test("Many short probes: the published activity is correct and changes at most ten times a second")
    func activityFlicker() throws {
        let scene = DriverScene()
        scene.world.behaviour = { _ in (20_000_000, .success) }
        scene.apply(
            try (0..<40).map { try TargetSettings.probed("web-\($0)", "192.0.2.\($0)", interval: .seconds(1)) }
        )
        scene.path(.up())
        for _ in 0..<1_000 {
            scene.advance(.milliseconds(10))
            #expect(scene.activity.state == scene.activityStates.last ?? .notActive)
        }
        #expect(scene.activityStates.count <= 110, "\(scene.activityStates.count)")
    }

    @Test("In a total outage half of all slots stay free for responding targets")
    func outage() throws {
        var settings = ProbingSettings()
        settings.limits = try ProbeSchedulerLimits(total: 20, perAddress: 20)
        let scene = DriverScene(settings)
        scene.apply(
            try (0..<200).map { try .probed("dead\($0)", "10.0.0.\($0)") } + [try .probed("alive", "198.51.100.1")]
        )
        scene.path(.up(), of: nil)
        scene.world.behaviour = { request in
            request.host == .address(IPAddress(ipv4: 0xC633_6401)) ? (1000, .success) : (9_000_000_000, .success)
        }
        scene.advance(.seconds(300))
        let alive = scene.starts("198.51.100.1")
        scene.advance(.seconds(100))
        #expect(scene.starts("198.51.100.1") - alive >= 9, "nobody else is delayed")
        #expect(scene.state("alive") == .up)
    }

    @Test("After close nothing is started or reported")
    func close() throws {
        let scene = DriverScene()
        scene.world.behaviour = { _ in (3_000_000_000, .success) }
        scene.apply(try (0..<10).map { try .probed("t\($0)", "10.0.0.\($0)") })
        scene.path(.up())
        scene.advance(.seconds(4))
        var waited = 0
        let ordinal = try #require(scene.registry.target("t1")?.target?.ordinal)
        scene.driver.probe(ordinal) { _ in waited += 1 }
        scene.driver.close()
        scene.driver.close()
        #expect(waited == 1)
        let (events, starts) = (scene.registry.sequence, scene.world.startCount)
        scene.advance(.seconds(100))
        #expect(scene.world.startCount == starts)
        #expect(scene.registry.sequence == events)
        #expect(scene.world.runsInFlight == 0)
    }
}
