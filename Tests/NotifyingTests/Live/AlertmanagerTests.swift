// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import Monitoring
import MonitoringTestSupport
import NetworkPaths
import Probing
import TestSupport
import Testing

@testable import Notifying

/// Debian's prometheus-alertmanager, the real one.
@Suite(.timeLimit(.minutes(15))) struct AlertmanagerTests {
    @Test(
        "an alert of a clock that ran ahead an hour is taken, and ends",
        .enabled(if: Alertmanager.isInstalled)
    )
    func clockAhead() throws {
        let manager = try Alertmanager()
        let request = HTTPProbeSettings(
            url: try HTTPURL("http://127.0.0.1:\(manager.port)/api/v2/alerts"),
            method: "POST"
        )
        let scene = try NotifierScene([
            ReceiverSettings(name: "am", channel: .alertmanager(AlertmanagerSettings(request: request)))
        ])
        scene.wall.advance(
            milliseconds: SystemWallClock().now().milliseconds + 3_600_000 - scene.wall.now().milliseconds
        )
        scene.path(.down(.noCarrier), of: [0])
        #expect(try manager.alerts { $0 != "[]" }.contains("\"t0\""))
        scene.path(.up(generation: 9), of: [0])
        #expect(try manager.alerts { $0 == "[]" } == "[]")
    }

    @Test(
        "alerts are in Alertmanager's list while they are active, and end there",
        .enabled(if: Alertmanager.isInstalled)
    )
    func realOne() async throws {
        let manager = try Alertmanager()
        let request = HTTPProbeSettings(
            url: try HTTPURL("http://127.0.0.1:\(manager.port)/api/v2/alerts"),
            method: "POST"
        )
        var settings = AlertmanagerSettings(request: request)
        settings.resendInterval = .seconds(1)
        settings.labels = ["site": "berlin"]
        var receiver = ReceiverSettings(name: "am", channel: .alertmanager(settings))
        receiver.retry.firstPause = .milliseconds(20)
        let scene = try NotifierScene([receiver])
        scene.path(.up(), of: [0, 1, 2])
        scene.path(.down(.noCarrier), of: [0, 1])
        let firing = try manager.alerts {
            $0.contains("\"t0\"") && $0.contains("\"t1\"") && !$0.contains("unprocessed")
        }
        #expect(firing.contains(#""alertname":"TargetUnreachable""#) && firing.contains(#""site":"berlin""#))
        #expect(firing.contains(#""cause":"local_network""#) && firing.contains(#""severity":"warning""#))
        #expect(firing.contains(#""state":"active""#) && !firing.contains("\"t2\""))
        scene.path(.up(generation: 9), of: [0])
        let rest = try manager.alerts { !$0.contains("\"t0\"") }
        #expect(rest.contains("\"t1\""))
        scene.path(.up(generation: 10), of: [1])
        #expect(try manager.alerts { $0 == "[]" } == "[]")
        let outcome = try TestDelivery(receiver).run()
        #expect(outcome == .init(isAccepted: true, words: "accepted with status 200"))
        #expect(try manager.alerts { $0 != "[]" }.contains("ReachdTest"))
        #expect(scene.status("am")?.type == "alertmanager")
    }
}
