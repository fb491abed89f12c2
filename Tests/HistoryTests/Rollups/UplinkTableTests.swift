// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import MonitoringTestSupport
import NetworkPaths
import Synchronization
import TestSupport
import Testing

@testable import History
@testable import Monitoring

@Suite("The log of uplinks in a file")
struct UplinkTableTests {
    private static let wired = DefaultGateway(IPAddress(ipv4: 0xc000_0201), interface: "eth0")
    private static let rows = "SELECT count(*) FROM meta WHERE name LIKE 'uplink:%'"

    private static func see(_ registry: Registry, _ gateways: [DefaultGateway]) {
        registry.environmentDidChange(
            NetworkEnvironment(
                gateways: gateways,
                families: Set(gateways.map(\.address.family)),
                lostGateways: gateways.isEmpty ? [wired: .noCarrier] : [:]
            )
        )
    }

    @Test("A run continues the record of the run before, also after a kill; the outage is resumed")
    func restart() throws {
        let rig = try RollupRig()
        Self.see(rig.registry, [Self.wired])
        rig.pass(seconds: 600)
        Self.see(rig.registry, [])
        rig.pass(seconds: 90)
        #expect(try rig.file.count(Self.rows) == 1)
        // Killed: what happened since the last minute is gone.
        let (registry, recorder) = try rig.next()
        defer { recorder.stop() }
        let uplink = try #require(registry.uplinks.first)
        #expect(uplink.state == .lost && uplink.outage?.cause == .noCarrier)
        #expect(uplink.months.all.map(\.used) == [600_000])
        #expect((60_000...90_000).contains(uplink.months.all.first?.lost ?? 0))
        #expect(registry.state.withLock { $0.uplinks.lost } == [Self.wired])
        Self.see(registry, [Self.wired])
        #expect(registry.uplinks.first?.outages.map(\.end) == [.restored])
        #expect(registry.uplinks.first?.periods.count == 2)
    }

    @Test("An orderly stop loses nothing; nothing is written while there are no uplinks")
    func stop() throws {
        let rig = try RollupRig()
        rig.pass(seconds: 120)
        #expect(try rig.file.count(Self.rows) == 0)
        Self.see(rig.registry, [Self.wired])
        rig.pass(seconds: 17)
        rig.recorder.stop()
        let (registry, recorder) = try rig.next()
        defer { recorder.stop() }
        #expect(registry.uplinks.first?.months.all.map(\.used) == [17_000])
    }

    @Test("A damaged row is skipped and removed")
    func damaged() throws {
        let rig = try RollupRig()
        Self.see(rig.registry, [Self.wired])
        rig.pass(seconds: 60)
        rig.recorder.stop()
        let database = try SQLiteDatabase(path: rig.file.path, mode: .readWrite)
        try database.execute("INSERT INTO meta VALUES('uplink:x', 'x'), ('uplink:y', 7), ('uplink:z', zeroblob(70000))")
        let (registry, recorder) = try rig.next()
        #expect(registry.uplinks.map(\.id) == ["eth0-192.0.2.1"])
        recorder.stop()
        #expect(try rig.file.count("SELECT count(*) FROM meta WHERE name IN ('uplink:x', 'uplink:y')") == 0)
    }
}
