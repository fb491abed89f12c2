// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import MonitoringTestSupport
import NetworkPaths
import Probing
import Testing

@testable import Monitoring

/// What this machine cannot do, for want of descriptors for example, is no one else's fault.
@Suite("Faults of this machine") struct OwnFaultTests {
    private static let gateway = IPAddress("192.0.2.1")

    @Test("Anchors whose probes cannot be sent do not count as silent: a silent target is not blamed on the Internet")
    func anchors() throws {
        var settings = ProbingSettings()
        settings.anchors = ["a", "b"]
        settings.quorum = 1
        let scene = DriverScene(settings)
        scene.world.behaviour = { request in
            switch request.host {
            case .address(let address) where address == Self.gateway: (1_000_000, .success)
            case .address(let address) where address == IPAddress("198.51.100.3"): (1_000_000, .failure(.timeout))
            default: (1_000_000, .failure(.outOfDescriptors))
            }
        }
        scene.apply([
            try .probed("a", "198.51.100.1"), try .probed("b", "198.51.100.2"), try .probed("c", "198.51.100.3"),
        ])
        scene.path(.up())
        scene.advance(.seconds(60))
        #expect(scene.registry.anchors?.down == 0)
        #expect(scene.registry.anchors?.up == 0)
        #expect(scene.registry.anchors?.isInternetDown == false)
        #expect(scene.cause("a") == .`self`)
        #expect(scene.state("c") == .down)
        #expect(scene.cause("c") == .target)
    }

    @Test("A name that this machine cannot ask for is not the fault of the names", arguments: [true, false])
    func pendingName(_ isAsked: Bool) throws {
        var path = NetworkPath(flags: [], resolution: Resolution(state: .pending))
        if !isAsked { path.resolution.error = "socket: Too many open files" }
        let reason = try #require(StateReason(path: path))
        #expect(reason.code == .notEvaluated)
        #expect(reason.cause == (isAsked ? .dns : .`self`))
    }
}
