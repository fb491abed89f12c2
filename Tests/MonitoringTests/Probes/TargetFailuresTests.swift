// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import MonitoringTestSupport
import NetworkPaths
import Probing
import Testing

@testable import Monitoring

@Suite("Failures that say nothing of a target make it down no sooner")
struct TargetFailuresTests {
    private static let gateway = ProbeHost.address(IPAddress(ipv4: 0xC000_0201))

    /// The states that a target shows while its probes end in turn as given, each once per interval.
    private func states(_ results: [ProbeReason?], fall: Int = 3) throws -> [TargetState] {
        let scene = DriverScene()
        scene.apply([try .probed("web", interval: .seconds(1), fall: fall)])
        scene.path(.up())
        scene.advance(.seconds(15))
        var remaining = results[...]
        scene.world.behaviour = { request in
            guard request.host != Self.gateway, let reason = remaining.popFirst() ?? results.last else {
                return (1000, .success)
            }
            return (1000, reason.map { .failure($0) } ?? .success)
        }
        var states: [TargetState] = []
        while !remaining.isEmpty {
            let before = remaining.count
            while remaining.count == before { scene.advance(.milliseconds(10)) }
            scene.advance(.milliseconds(5))
            states.append(try #require(scene.state("web")))
        }
        return states
    }

    @Test("two lookups that fail and one refused connection are no dead target; three refused connections are")
    func lookups() throws {
        let reasons: [ProbeReason?] = [
            .nameTimeout, .nameTimeout, .connectRefused, .connectRefused, .connectRefused,
        ]
        #expect(try states(reasons) == [.up, .up, .unreachable, .unreachable, .down])
    }

    @Test("after an outage of the resolver the first refused connection is the first of `fall`")
    func resolver() throws {
        let reasons =
            [ProbeReason?](repeating: .nameTimeout, count: 5) + [.connectRefused, .connectRefused, .connectRefused]
        #expect(
            try states(reasons) == [.up, .up] + [TargetState](repeating: .unreachable, count: 5) + [.down]
        )
    }

    @Test("lookups that fail between a dead target's own failures hide it no longer than each lasts")
    func alternating() throws {
        let reasons: [ProbeReason?] = [
            .connectRefused, .nameTimeout, .connectRefused, .nameTimeout, .connectRefused, .nameTimeout,
            .connectRefused,
        ]
        #expect(
            try states(reasons) == [.up, .up, .unreachable, .unreachable, .down, .unreachable, .down]
        )
    }

    @Test("a success between them begins anew")
    func success() throws {
        let reasons: [ProbeReason?] = [
            .nameTimeout, .nameTimeout, nil, .connectRefused, .connectRefused, .connectRefused,
        ]
        #expect(try states(reasons) == [.up, .up, .up, .up, .up, .down])
    }

    @Test("with fall 1 each failure decides")
    func one() throws {
        #expect(
            try states([.nameTimeout, .connectRefused, .nameTimeout], fall: 1) == [.unreachable, .down, .unreachable]
        )
    }
}
