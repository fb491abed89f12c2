// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import MonitoringTestSupport
import NetworkPaths
import Probing
import Testing

@testable import Monitoring

@Suite("Measuring gateways")
struct UplinkMonitorTests {
    private static let gateway = DefaultGateway(IPAddress(ipv4: 0xc000_0201), interface: "eth0")

    private static func see(_ scene: DriverScene, _ gateways: [DefaultGateway]) {
        scene.registry.environmentDidChange(
            NetworkEnvironment(gateways: gateways, families: Set(gateways.map(\.address.family)))
        )
        scene.driver.applyCommands()
    }

    @Test("A gateway in use is asked each minute; one that falls silent after two seconds again, then every ten")
    func pace() {
        let scene = DriverScene()
        Self.see(scene, [Self.gateway])
        #expect(scene.starts("192.0.2.1") == 1)
        scene.advance(.seconds(599))
        #expect(scene.starts("192.0.2.1") == 10)
        #expect(scene.registry.uplinks.first?.gatewayLatency != nil)
        scene.world.behaviour = { _ in (1_000_000, .failure(.timeout)) }
        scene.advance(.seconds(2))
        #expect(scene.registry.uplinks.first?.outage == nil)
        scene.advance(.seconds(2))
        #expect(scene.registry.uplinks.first?.outage?.cause == .gatewaySilent)
        let count = scene.starts("192.0.2.1")
        scene.advance(.seconds(30))
        #expect(scene.starts("192.0.2.1") == count + 3)
        scene.world.behaviour = { _ in (1_000_000, .success) }
        scene.advance(.seconds(10))
        #expect(scene.registry.uplinks.first?.outages.map(\.end) == [.restored])
    }

    @Test("A gateway that never answered is not silent; one that is no longer used is not asked")
    func limits() {
        let scene = DriverScene()
        scene.world.behaviour = { _ in (1_000_000, .failure(.timeout)) }
        Self.see(scene, [Self.gateway])
        scene.advance(.seconds(600))
        #expect(scene.registry.uplinks.first?.outageCount == 0)
        let count = scene.starts("192.0.2.1")
        Self.see(scene, [])
        scene.advance(.seconds(600))
        #expect(scene.starts("192.0.2.1") == count)
        var settings = ProbingSettings()
        settings.measuresUplinks = false
        let off = DriverScene(settings)
        Self.see(off, [Self.gateway])
        off.advance(.seconds(600))
        #expect(off.world.startCount == 0 && off.registry.uplinks.count == 1)
    }

    @Test("Where echo requests are not permitted, a closed port is the gateway's answer, and its silence an outage")
    func datagrams() {
        let scene = DriverScene()
        var datagrams = ProbeResult.failure(.connectRefused, at: Self.gateway.address)
        scene.world.behaviour = { request in
            if case .udp = request.kind { return (1_000_000, datagrams) }
            return (1_000, .failure(.icmpNotPermitted))
        }
        Self.see(scene, [Self.gateway])
        scene.advance(.milliseconds(10))
        #expect(scene.starts("192.0.2.1") == 2)
        #expect(scene.registry.uplinks.first?.gatewayLatency != nil)
        scene.advance(.seconds(59))
        #expect(scene.starts("192.0.2.1") == 2, "echo requests are not tried again")
        datagrams = .failure(.timeout, at: Self.gateway.address)
        scene.advance(.seconds(4))
        #expect(scene.registry.uplinks.first?.outage?.cause == .gatewaySilent)
        datagrams = .failure(.connectRefused, at: Self.gateway.address)
        scene.advance(.seconds(10))
        #expect(scene.registry.uplinks.first?.outages.map(\.end) == [.restored])
    }

    @Test("A good trace through the gateway shows the first public hop")
    func publicHop() throws {
        let scene = DriverScene()
        Self.see(scene, [Self.gateway])
        scene.apply([try .probed("web", interval: .seconds(30))])
        scene.world.traceBehaviour = { (10_000_000, .reached($0, by: ["192.0.2.1", "10.0.0.1", "203.0.113.1"])) }
        scene.world.behaviour = { request in
            let address = IPAddress(ipv4: 0xC633_6401)
            return (
                1_000_000,
                ProbeResult(outcome: .success, detail: "it answers", duration: .milliseconds(1), address: address)
            )
        }
        scene.path(.up(gateway: "192.0.2.1"))
        scene.advance(.seconds(60))
        let hop = try #require(scene.registry.uplinks.first?.publicHop)
        #expect(hop.address == IPAddress("203.0.113.1") && hop.roundTrip == .milliseconds(1))
    }
}
