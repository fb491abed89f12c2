// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import History
import Monitoring
import MonitoringTestSupport
import NetworkPaths
import Testing

@testable import ReachAPI

@Suite("Routes that report the durable log") struct HistoryRouteTests {
    private func ready(_ history: FakeHistory?) -> Fixture {
        let fixture = Fixture(history: history)
        fixture.registry.apply(targets: [])
        fixture.tellNetwork(.up())
        return fixture
    }

    @Test("/status reports the whole log status without a file name")
    func status() throws {
        let text = ready(FakeHistory(failure: .full)).respond("/status").text
        #expect(
            text.contains(
                #""history":{"state":"degraded","since":"2026-11-18T11:06:40.000Z","#
                    + #""reason":{"code":"full","detail":"The disk is full."},"#
                    + #""waiting":0,"failures":0,"lost":0,"oldest_sequence":7,"oldest_at":"2026-11-06T21:20:00.000Z","bytes":4096}"#
            )
        )
        #expect(!text.contains("secret"))
        #expect(ready(FakeHistory()).respond("/status").text.contains(#""history":{"state":"ok","since""#))
    }

    @Test("/readyz stays ready without the log unless it is required; /livez ignores the log")
    func readiness() throws {
        #expect(ready(nil).respond("/readyz").text == #"{"status":"ok"}"#)
        #expect(ready(FakeHistory()).respond("/readyz").text == #"{"status":"ok"}"#)
        let degraded = ready(FakeHistory(failure: .slow)).respond("/readyz")
        #expect(degraded.status == 200)
        #expect(degraded.text.hasPrefix(#"{"status":"ok","history":{"state":"degraded""#))
        let required = ready(FakeHistory(failure: .slow, isRequired: true))
        #expect(required.respond("/readyz").status == 503)
        #expect(required.respond("/readyz").text.hasPrefix(#"{"status":"degraded","history":{"state":"degraded""#))
        #expect(required.respond("/livez").status == 200)
        #expect(Fixture(history: FakeHistory(failure: .slow)).respond("/readyz").text.contains("starting"))
    }
}
