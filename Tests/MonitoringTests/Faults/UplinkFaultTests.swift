// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import MonitoringTestSupport
import NetworkPaths
import TestSupport
import Testing

@testable import Monitoring

@Suite(
    "Uplinks in real namespaces",
    .enabled(if: Testbed.isAvailable, Comment(rawValue: Testbed.requirement)),
    .timeLimit(.minutes(15))
)
struct UplinkFaultTests {
    /// Without echo requests to the gateways, whose answers depend on the load of the machine.
    private static var settings: ProbingSettings {
        var settings = ProbingSettings()
        settings.measuresUplinks = false
        return settings
    }

    private static let id = "gateway-192.0.2.1"

    /// Adds a second uplink with a worse metric: eth1, by way of 203.0.113.1.
    private static func addSecond(_ testbed: Testbed) throws {
        try testbed.i(
            "link add eth1 type veth peer name e1;link set e1 up;link set eth1 up;addr add 203.0.113.2/24 dev eth1"
        )
        try testbed.i("route add default via 203.0.113.1 dev eth1 metric 500")
    }

    @Sendable private static func uplink(
        _ scene: FaultScene,
        _ interface: String,
        _ family: AddressFamily = .ipv4
    ) -> Uplink? {
        scene.registry.uplinks.first { $0.gateway.interface == interface && $0.gateway.address.family == family }
    }

    /// Waits until the record of an uplink is as expected.
    private static func settle(
        _ scene: FaultScene,
        _ interface: String,
        _ changes: Recorder<Bool>,
        _ family: AddressFamily = .ipv4,
        _ isExpected: @escaping @Sendable (Uplink) -> Bool
    ) async throws {
        changes.record(true)
        try await changes.next { _ in uplink(scene, interface, family).map(isExpected) ?? false }
    }

    @Test("Failover: the uplink has an outage with its cause, its gateway stays a target, and both recover")
    func failover() async throws {
        try await FaultScene.with([], settings: Self.settings, automatic: true) { scene in
            let changes = Recorder<Bool>()
            scene.registry.onEvents { changes.record(true) }
            try await scene.settle(Self.id, .up)
            let ordinal = scene.registry.target(Self.id)?.target?.ordinal
            try Self.addSecond(scene.testbed)
            try scene.testbed.i("link set eth0 down")
            try await scene.settle("gateway-203.0.113.1", .up)
            let record = try await scene.settle(Self.id, .unreachable)
            #expect(record?.reason?.cause == .localNetwork)
            #expect(scene.registry.target(Self.id)?.target?.ordinal == ordinal, "it is the same target")
            try await Self.settle(scene, "eth0", changes) { $0.outage?.cause == .linkDown && $0.state == .lost }
            #expect(Self.uplink(scene, "eth1")?.state == .inUse)
            try scene.testbed.i("link set eth0 up;route add default via 192.0.2.1")
            try await scene.settle(Self.id, .up)
            try await Self.settle(scene, "eth0", changes) { $0.state == .inUse && $0.outages.last?.end == .restored }
            try await Self.settle(scene, "eth1", changes) { $0.state == .unused }
        }
    }

    @Test(
        "No carrier, a missing interface, and a route that was removed, each by its name",
        arguments: AddressFamily.allCases
    )
    func causes(_ family: AddressFamily) async throws {
        let (ip, gateway) = family == .ipv4 ? ("", "192.0.2.1") : ("-6 ", "2001:db8:1::1 dev eth0")
        try await FaultScene.with([], settings: Self.settings) { scene in
            let changes = Recorder<Bool>()
            scene.registry.onEvents { changes.record(true) }
            try await Self.settle(scene, "eth0", changes, family) { $0.state == .inUse }
            try scene.testbed.p("link set p0 down")
            try await Self.settle(scene, "eth0", changes, family) { $0.outage?.cause == .noCarrier }
            try scene.testbed.p("link set p0 up")
            try await Self.settle(scene, "eth0", changes, family) { $0.state == .inUse && $0.outage == nil }
            try scene.testbed.i("\(ip)route del default")
            try await Self.settle(scene, "eth0", changes, family) { $0.outage?.cause == .routeGone }
            try scene.testbed.i("\(ip)route add default via \(gateway)")
            try await Self.settle(scene, "eth0", changes, family) { $0.state == .inUse && $0.outage == nil }
            try scene.testbed.i("link del eth0")
            try await Self.settle(scene, "eth0", changes, family) { $0.outage?.cause == .noInterface }
            #expect(Self.uplink(scene, "eth0", family)?.outageCount == 3)
        }
    }
}
