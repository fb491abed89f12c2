// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import MonitoringTestSupport
import NetworkPaths
import Notifying
import Probing
import TestSupport
import Testing

@testable import Monitoring

/// Receivers and probes have nothing to do with each other.
@Suite(.timeLimit(.minutes(15))) struct NotifierLagTests {
    @Test("dead and hanging receivers do not delay any probe")
    func lag() throws {
        let hanging = try HookServer { _, _ in .hang }
        let alone = try starts(receivers: []) { true }
        let receivers = [try Self.receiver("hanging", port: hanging.port), try Self.receiver("dead", port: 1)]
        let accompanied = try starts(receivers: receivers) { hanging.requests.count > 0 }
        #expect(alone.count > 1_000)
        #expect(accompanied == alone)
    }

    private static func receiver(_ name: String, port: UInt16) throws -> ReceiverSettings {
        let request = HTTPProbeSettings(url: try HTTPURL("http://127.0.0.1:\(port)/"), method: "POST")
        return ReceiverSettings(name: name, channel: .webhook(WebhookSettings(request: request)))
    }

    /// When each probe of an hour started, with targets that go down and come back all the time.
    ///
    /// - Parameter isBusy: whether a receiver was called.
    private func starts(receivers: [ReceiverSettings], isBusy: () -> Bool) throws -> [String] {
        let scene = DriverScene()
        scene.registry.beginIncidents()
        let notifier = try Notifier(source: scene.registry, ledger: nil, log: { _ in })
        defer { notifier.stop() }
        scene.world.behaviour = { [world = scene.world] request in
            let isDown = world.now() / 45_000_000_000 % 2 == 0
            return (1_000_000, isDown ? .failure(.connectRefused) : .success)
        }
        scene.apply(try (0..<8).map { try .probed("t\($0)", "10.0.0.\($0)", interval: .seconds(10)) })
        notifier.apply(receivers)
        scene.path(.up())
        for _ in 0..<60 { scene.advance(.seconds(60)) }
        // They had something to choke on.
        while !isBusy() || notifier.statuses.contains(where: { $0.pending == 0 }) { sched_yield() }
        return scene.world.starts.map { "\($0.time) \($0.request.host)" }
    }
}
