// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import MonitoringTestSupport
import NetworkPaths
import Probing
import Testing

@testable import History
@testable import Monitoring
@testable import ReachAPI
@testable import Traffic

@Suite("Timelines of targets")
struct TimelineTests {
    private func rig() throws -> HistoryFixture {
        let rig = try HistoryFixture()
        rig.fixture.registry.apply(targets: [try TargetSettings.probed("asked")])
        rig.fixture.emit("asked", .up())
        for index in 0..<40 {
            rig.pass(seconds: 10)
            let isFailure = index >= 30
            let result = ProbeResult(
                outcome: isFailure ? .failure : .success,
                reason: isFailure ? .connectRefused : nil,
                detail: "",
                duration: .milliseconds(10)
            )
            rig.fixture.record("asked", result)
        }
        return rig
    }

    @Test("The slices of each window add up to its uptime, oldest first")
    func sums() throws {
        let rig = try rig()
        let body = try rig.json("/targets/asked/timeline?window=1h,24h,7d,30d,90d")
        let checker = SchemaChecker(document: try OpenAPIDocument.load())
        let schema = try #require(checker.document[["components", "schemas", "TargetTimeline"]])
        #expect(checker.faults(body, against: schema).isEmpty)
        for (window, count, length) in [
            ("1h", 60, 60), ("24h", 24, 3_600), ("7d", 28, 21_600), ("30d", 30, 86_400), ("90d", 90, 86_400),
        ] {
            let found = try #require(body[["windows", .init(window)]])
            let slices = try #require(found["slices"]?.array)
            #expect(slices.count == count)
            #expect(found["slice_seconds"]?.number == Double(length))
            let from = try #require(found["from"]?.string.flatMap(Timestamp.init(parsing:)))
            #expect(from.milliseconds % (Int64(length) * 1000) == 0)
            func sum(_ path: [String]) -> Double {
                slices.compactMap { $0[path]?.number }.reduce(0, +)
            }
            #expect(sum(["state_seconds", "up"]) == 300)
            #expect(sum(["state_seconds", "down"]) == 90)
            #expect(sum(["probes"]) == 40)
            #expect(sum(["failures"]) == 10)
            let medians = slices.compactMap { $0["p50_seconds"]?.number }
            #expect(!medians.isEmpty && medians.allSatisfy { abs($0 - 0.010) <= 0.010 / 64 })
            let first = try #require(slices.first)
            #expect(first["state_seconds"] != nil && first["probes"] == nil)
        }
    }

    @Test("Slices have this machine's connections")
    func connections() throws {
        let rig = try HistoryFixture()
        rig.fixture.registry.apply(targets: [try TargetSettings.probed("asked")])
        rig.fixture.emit("asked", .up())
        rig.recorder.record {
            var summary = TrafficSummary()
            (summary.sinceStart.connections, summary.sinceStart.refused, summary.sinceStart.timedOut) = (4, 2, 1)
            (summary.sinceStart.segmentsOut, summary.sinceStart.retransmissions) = (40, 10)
            (summary.sinceStart.bytesSent, summary.medianRoundTrip) = (500, 8_000)
            return TrafficSnapshot(summaries: ["asked": summary], share: 0.5)
        }
        rig.pass(seconds: 60)
        rig.recorder.turn()
        let body = try rig.json("/targets/asked/timeline?window=1h,30d")
        let checker = SchemaChecker(document: try OpenAPIDocument.load())
        let schema = try #require(checker.document[["components", "schemas", "TargetTimeline"]])
        #expect(checker.faults(body, against: schema).isEmpty)
        for window in ["1h", "30d"] {
            let slices = try #require(body[["windows", .init(window), "slices"]]?.array)
            let found = slices.compactMap { $0["traffic"] }
            #expect(found.count == 1)
            let traffic = try #require(found.first)
            #expect(traffic["connections"]?.number == 4 && traffic["failed"]?.number == 2)
            #expect(traffic["refused"]?.number == 2 && traffic["timed_out"]?.number == 1 && traffic["reset"] == nil)
            #expect(traffic["retransmission_share"]?.number == 0.25 && traffic["observed_share"]?.number == 0.5)
            #expect(try abs(#require(traffic["median_rtt_seconds"]?.number) - 0.008) <= 0.008 / 64)
        }
    }

    @Test("Default of one day; errors for an invalid window, an unknown target and no history")
    func queries() throws {
        let rig = try rig()
        #expect(try rig.json("/targets/asked/timeline")["windows"]?.keys == ["24h"])
        for bad in ["window=2h", "window=1h&window=24h", "from=1"] {
            #expect(rig.respond("/targets/asked/timeline?\(bad)").status == 400, "\(bad)")
        }
        #expect(rig.respond("/targets/no/timeline").status == 404)
        let fixture = Fixture()
        fixture.registry.apply(targets: [.address("web")])
        #expect(fixture.respond("/targets/web/timeline").status == 501)
    }

    @Test("The last slice is the current one")
    func ranges() {
        let now = Timestamp(milliseconds: 1_795_000_123_456)
        for window in UptimeWindow.allCases {
            let slices = window.slices(until: now)
            #expect(slices.last?.contains(now.milliseconds) == true)
            #expect(zip(slices, slices.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
        }
    }
}
