// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import HTTPServer
import LinuxIO
import MonitoringTestSupport
import Synchronization
import Testing

@testable import Monitoring
@testable import ReachAPI
@testable import Traffic

@Suite("/targets/{id}/traffic")
struct TrafficRouteTests {
    private let fixture = Fixture(hasProbes: true)

    /// No connections at all, observed for a minute.
    static func traffic() -> TargetTraffic {
        let minute = ObservedTime.minute
        var observed = ObservedTime(capacity: 60, at: 0)
        observed.update(isObserving: true, at: 0)
        observed.settle(at: minute)
        func report(_ minutes: Int) -> TrafficReport {
            TrafficReport(nil, lastMinutes: minutes, observed: observed, at: minute)
        }
        return TargetTraffic(hour: report(60), recent: report(2), at: Timestamp(milliseconds: 60_000), loop: minute)
    }

    @Test("sums, minutes, and connections that hang; a kernel that refuses the dump is reported")
    func figures() throws {
        fixture.registry.apply(targets: [try .probed("web")])
        fixture.probes.state.withLock { state in
            state.traffic["web"] = Self.traffic()
            state.hanging = .success(HangingConnections())
        }
        let body = try fixture.json("/targets/web/traffic")
        #expect(body["target"] == .string("web"))
        #expect(body[["recent", "connections"]] == .number(0) && body[["hour", "failed"]] == .number(0))
        #expect(body["failures_in_a_row"] == .number(0))
        #expect(body["minutes"]?.array?.isEmpty == true)
        #expect(body[["hanging", "examined"]] == .number(0) && body[["hanging", "complete"]] == .boolean(true))
        let refused = TrafficError(SystemError(code: 1, operation: "socket"))
        fixture.probes.state.withLock { $0.hanging = .failure(refused) }
        let partial = try fixture.json("/targets/web/traffic")
        #expect(partial["hanging"] == nil && partial["hanging_error"] == .string(refused.message))
        // Without a connection the target's body is the one of events and lists.
        #expect(try fixture.json("/targets/web")["traffic"] == nil)
    }

    @Test("404 without the target; 409 with the reason where connections are not observed")
    func refusals() throws {
        fixture.registry.apply(targets: [try .probed("web")])
        #expect(fixture.respond("/targets/none/traffic").status == 404)
        let off = fixture.respond("/targets/web/traffic")
        #expect(off.status == 409 && off.text.contains("traffic.observe is off"))
        fixture.probes.state.withLock { $0.trafficStatus = .observing(TrafficStatistics()) }
        #expect(fixture.respond("/targets/web/traffic").text.contains("port is not known"))
        let refused = TrafficError(SystemError(code: 1, operation: "socket"))
        fixture.probes.state.withLock { $0.trafficStatus = .unavailable(refused) }
        #expect(fixture.respond("/targets/web/traffic").text.contains("RestrictAddressFamilies"))
    }

    @Test("metrics of the observation, and of targets only after their first connection")
    func metrics() throws {
        fixture.registry.apply(targets: [try .probed("web")])
        var statistics = TrafficStatistics()
        statistics.messages = 7
        statistics.share = 0.5
        fixture.probes.state.withLock { state in
            state.trafficStatus = .observing(statistics)
            state.traffic["web"] = Self.traffic()
        }
        let text = fixture.respond("/metrics").text
        #expect(text.contains("\nreachd_traffic_observed 1\n") && text.contains("\nreachd_traffic_messages_total 7\n"))
        #expect(text.contains("\nreachd_traffic_observed_ratio 0.5\n"))
        #expect(!text.contains("reachd_target_connections_total{"))
    }
}
