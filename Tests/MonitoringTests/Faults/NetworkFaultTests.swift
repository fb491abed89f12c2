// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import NetworkPaths
import Probing
import TestSupport
import Testing

/// Real faults of a real network, each with its cause and its reason.
@Suite(
    "Causes in real namespaces",
    .enabled(if: Testbed.isAvailable, Comment(rawValue: Testbed.requirement)),
    .timeLimit(.minutes(15))
)
struct NetworkFaultTests {
    private static let echo = ProbeKind.icmp(ICMPProbeSettings())

    private static func address(_ last: Int) -> ProbeHost { .address(IPAddress(ipv4: 0xC633_6400 + UInt32(last))) }

    @Test("Cut uplink: 500 targets are unreachable without waiting for timeouts, none is down; and back")
    func uplink() async throws {
        let targets = try (0..<500).map { number in
            try TargetSettings.asked(
                "t\(number)",
                .address(IPAddress(ipv4: 0xC633_6400 + UInt32(number % 250 + 1))),
                Self.echo,
                interval: .seconds(2),
                timeout: .seconds(2),
                fall: 1
            )
        }
        try await FaultScene.with(targets) { scene in
            try await scene.settle(500, .up)
            let mark = scene.transitions.count
            try scene.testbed.i("link set eth0 down")
            try await scene.settle(500, .unreachable)
            let records = scene.registry.page(after: 0, limit: 1000).records
            for record in records {
                #expect(record.reason?.cause == .localNetwork)
                #expect(record.evaluation?.lastReport?.result.reason != .timeout)
            }
            #expect(scene.transitions.events[mark...].filter { $0.state == .down }.map(\.detail) == [])
            try scene.testbed.i("link set eth0 up;route add default via 192.0.2.1")
            try await scene.settle(500, .up)
            #expect(scene.transitions.events[mark...].filter { $0.state == .down }.map(\.detail) == [])
        }
    }

    @Test("Silent target: down, timeout, cause target")
    func target() async throws {
        try await FaultScene.with([try .asked("web", Self.address(7), Self.echo)]) { scene in
            try await scene.settle("web", .up)
            try scene.drop("198.51.100.7")
            let record = try await scene.settle("web", .down)
            #expect(record?.reason?.cause == .target)
            #expect(record?.reason?.code == .probe(.timeout))
        }
    }

    @Test("20 targets on a silent host, by address and by name: all down with cause target; and back")
    func silentHost() async throws {
        let names = (0..<10).map { "198.51.100.7 host\($0).test\n" }.joined()
        let targets = try (0..<20).map { number in
            try TargetSettings.asked(
                "t\(number)",
                number < 10 ? Self.address(7) : .name("host\(number - 10).test"),
                Self.echo,
                interval: .seconds(1),
                timeout: .milliseconds(900),
                fall: 3
            )
        }
        let neighbour = try TargetSettings.asked("neighbour", Self.address(8), Self.echo)
        try await FaultScene.with(targets + [neighbour], hosts: names) { scene in
            try await scene.settle(21, .up)
            let mark = scene.transitions.count
            try scene.drop("198.51.100.7")
            try await scene.settle(20, .down)
            for target in targets {
                let record = scene.registry.target(target.id)
                #expect(record?.reason?.cause == .target)
                #expect(record?.reason?.code == .probe(.timeout))
            }
            #expect(scene.transitions.events[mark...].filter { $0.state != .down }.map(\.detail) == [])
            try scene.testbed.peer.ip("rule del to 198.51.100.7 table 7 pref 0")
            try await scene.settle(21, .up)
            #expect(scene.transitions.events[mark...].filter { $0.state == .unknown }.map(\.detail) == [])
        }
    }

    @Test("The automatic gateway outlives its link: unreachable, local_network; another one replaces it")
    func gatewayLifetime() async throws {
        try await FaultScene.with([], automatic: true) { scene in
            let id = "gateway-192.0.2.1"
            try await scene.settle(id, .up)
            let ordinal = scene.registry.target(id)?.target?.ordinal
            let outages = [
                ("link set eth0 down", "link set eth0 up;route add default via 192.0.2.1"),
                ("addr del 192.0.2.2/24 dev eth0", "addr add 192.0.2.2/24 dev eth0;route add default via 192.0.2.1"),
            ]
            for (cut, repair) in outages {
                try scene.testbed.i(cut)
                let record = try await scene.settle(id, .unreachable)
                #expect(record?.reason?.cause == .localNetwork)
                // The environment is told after the paths.
                try await scene.settle("default-ipv4", .unreachable)
                try scene.testbed.i(repair)
                try await scene.settle(id, .up)
            }
            // No carrier: the routes stay, and lead nowhere.
            try scene.testbed.p("link set p0 down")
            let dark = try await scene.settle(id, .unreachable)
            #expect(dark?.reason?.cause == .localNetwork)
            #expect(dark?.reason?.interface == "eth0")
            try scene.testbed.p("link set p0 up")
            try await scene.settle(id, .up)
            #expect(scene.registry.target(id)?.target?.ordinal == ordinal, "it was the same target all along")
            try scene.testbed.i("route replace default via 192.0.2.254")
            try await scene.settle("gateway-192.0.2.254", .up)
            #expect(scene.registry.target(id) == nil)
        }
    }

    @Test("RST: down, connect_refused, cause target")
    func refused() async throws {
        let tcp = ProbeKind.tcp(TCPProbeSettings(port: 81))
        try await FaultScene.with([try .asked("web", Self.address(7), tcp)]) { scene in
            let record = try await scene.settle("web", .down)
            #expect(record?.reason?.cause == .target)
            #expect(record?.reason?.code == .probe(.connectRefused))
        }
    }

    @Test(
        "Local firewall rejects: unreachable, local_network, for UDP and TCP, also for a negative target",
        .enabled(if: Testbed.firewallObstacle == nil, "\(Testbed.firewallObstacle ?? "")"),
        arguments: ["tcp", "udp"]
    )
    func ownFirewall(_ transport: String) async throws {
        let kind =
            transport == "tcp"
            ? ProbeKind.tcp(TCPProbeSettings(port: 80)) : .udp(UDPProbeSettings(port: 9, payload: [1]))
        var closed = try TargetSettings.asked("closed", Self.address(7), kind)
        if case .ask(var request)? = closed.probe?.method {
            request.expectsFailure = true
            closed.probe?.method = .ask(request)
        }
        let targets = [try TargetSettings.asked("web", Self.address(7), kind), closed]
        try await FaultScene.with(targets, setUp: { try $0.reject("meta l4proto \(transport) reject") }) { scene in
            for id in ["web", "closed"] {
                let record = try await scene.settle(id, .unreachable)
                #expect(record?.reason?.code == .probe(.prohibited))
                #expect(record?.reason?.cause == .localNetwork)
                #expect(record?.evaluation?.diagnosis?.rule == .ownFirewall)
            }
        }
    }

    @Test("Gateway address without a neighbour: unreachable, local_network")
    func gateway() async throws {
        try await FaultScene.with([try .asked("web", Self.address(7), Self.echo, timeout: .milliseconds(500))]) {
            scene in
            try await scene.settle("web", .up)
            try scene.testbed.p("addr del 192.0.2.1/24 dev p0")
            // What the kernel learnt of it would else be good for some time.
            try scene.testbed.i("neigh flush dev eth0")
            let record = try await scene.settle("web", .unreachable)
            #expect(record?.path?.reachability.isReachable == true, "the kernel still has a route")
            #expect(record?.reason?.cause == .localNetwork)
            try scene.testbed.p("addr add 192.0.2.1/24 dev p0;route replace local 198.51.100.0/24 dev lo")
            try await scene.settle("web", .up)
        }
    }

    @Test("Dead resolver: unreachable, dns")
    func resolver() async throws {
        // Nobody listens at 198.51.100.53.
        let target = try TargetSettings.asked("web", .name("web.example.test"), Self.echo)
        try await FaultScene.with([target]) { scene in
            let record = try await scene.settle("web", .unreachable)
            #expect(record?.reason?.cause == .dns)
        }
    }

    @Test(
        "30 % packet loss: degraded, packet_loss",
        .enabled(if: tunObstacle == nil, "\(tunObstacle ?? "")")
    )
    func loss() async throws {
        let kind = ProbeKind.icmp(ICMPProbeSettings(count: 10, spacing: .milliseconds(2)))
        let target = try TargetSettings.asked("web", .address(IPAddress(ipv4: 0xCB00_7107)), kind)
        var peer: TunnelPeer?
        try await FaultScene.with(
            [target],
            // Before the first probe, of which each request counts.
            setUp: { testbed in
                try Self.tunnel(testbed)
                peer = try TunnelPeer("tun0", in: testbed.namespace) { $0 % 10 < 3 }
            }
        ) { scene in
            let record = try await scene.settle("web", .degraded)
            #expect(record?.reason?.code == .probe(.packetLoss))
            let report = try #require(record?.evaluation?.lastReport)
            #expect(report.result.icmp?.received == 7)
            // The pauses between the requests are ours.
            #expect(report.latency == report.result.icmp?.average)
            #expect(try #require(report.latency) < report.result.duration)
        }
        withExtendedLifetime(peer) {}
    }

    @Test(
        "Responses after 2 s: too_slow with a longer timeout, else timeout",
        .enabled(if: tunObstacle == nil, "\(tunObstacle ?? "")")
    )
    func delay() async throws {
        let host = ProbeHost.address(IPAddress(ipv4: 0xCB00_7107))
        let targets = [
            try TargetSettings.asked(
                "patient",
                host,
                Self.echo,
                interval: .seconds(4),
                timeout: .seconds(4),
                latencyBound: .seconds(1)
            ),
            try TargetSettings.asked("hasty", host, Self.echo, interval: .seconds(1), timeout: .milliseconds(500)),
        ]
        try await FaultScene.with(targets, setUp: Self.tunnel) { scene in
            let peer = try TunnelPeer("tun0", in: scene.testbed.namespace, delay: 2_000_000_000)
            let patient = try await scene.settle("patient", .degraded)
            #expect(patient?.reason?.code == .probe(.tooSlow))
            #expect(patient?.reason?.cause == .target)
            let hasty = try await scene.settle("hasty", .down)
            #expect(hasty?.reason?.code == .probe(.timeout))
            withExtendedLifetime(peer) {}
        }
    }

    @Test("Lost parent: the child is unreachable for that reason and not probed")
    func parent() async throws {
        var child = try TargetSettings.asked("child", Self.address(8), Self.echo)
        child.dependsOn = ["parent"]
        let parent = try TargetSettings.asked("parent", Self.address(7), .tcp(TCPProbeSettings(port: 81)))
        try await FaultScene.with([parent, child]) { scene in
            try await scene.settle("parent", .down)
            let record = try await scene.settle("child", .unreachable)
            #expect(record?.reason?.cause == .parent)
            #expect(record?.reason?.code == .parentDown)
        }
    }

    /// A tunnel that 203.0.113.0/24 is behind.
    private static func tunnel(_ testbed: Testbed) throws {
        try testbed.i(
            "tuntap add dev tun0 mode tun;addr add 192.0.2.130/32 dev tun0;link set tun0 up;route add 203.0.113.0/24 dev tun0"
        )
    }
}

private let tunObstacle = Testbed.obstacle(to: "tun")
