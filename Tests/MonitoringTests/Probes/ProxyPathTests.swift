// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import MonitoringTestSupport
import NetworkPaths
import Probing
import Testing

@testable import Monitoring

@Suite("Paths of probes through a proxy") struct ProxyPathTests {
    private let scene = DriverScene()

    @Test("With a proxy the path is the proxy's")
    func proxy() throws {
        let url = try HTTPURL("http://inside.test/")
        var settings = HTTPProbeSettings(url: url)
        settings.proxy = HTTPProxy(host: .address(IPAddress(ipv4: 0xC000_0205)), port: 3128)
        var web = TargetSettings(
            id: "web",
            request: PathRequest(.name("inside.test"), mark: 7),
            text: "inside.test",
            origin: .config
        )
        var request = ProbeRequest(host: .name("inside.test"), kind: .http(settings))
        func asked() -> PathTarget {
            web.probe = ProbePlan(.ask(request))
            #expect(web.pathRequest.mark == 7)
            return web.pathRequest.target
        }
        let address = IPAddress(ipv4: 0xC000_0205)
        #expect(asked() == .address(address))
        request.interface = "eth1"
        #expect(asked() == .address(address, interface: "eth1"))
        request.source = IPAddress(ipv4: 0xC000_0209)
        #expect(asked() == .pair(local: IPAddress(ipv4: 0xC000_0209), remote: address))
        settings.proxy = HTTPProxy(host: .name("proxy.test"), port: 3128)
        request.kind = .http(settings)
        #expect(asked() == .name("proxy.test"))
        scene.apply([web])
        #expect(scene.source.id(PathRequest(.name("proxy.test"), mark: 7)) != nil)
        #expect(scene.source.id(PathRequest(.name("inside.test"), mark: 7)) == nil)
        settings.proxy = nil
        request.kind = .http(settings)
        #expect(asked() == .name("inside.test"))
        scene.apply([web])
        #expect(scene.source.id(PathRequest(.name("inside.test"), mark: 7)) != nil)
    }
}
