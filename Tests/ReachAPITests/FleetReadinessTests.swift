// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import HTTPServer
import LinuxIO
import MonitoringTestSupport
import NetworkPaths
import PostgreSQL
import TestSupport
import Testing

@testable import Monitoring
@testable import ReachAPI

@Suite("Readiness on a node of a fleet", .timeLimit(.minutes(15)))
struct FleetReadinessTests {
    @Test("a node without its database is ready, and /readyz, /fleet and the metrics have the reason")
    func withoutDatabase() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("{\"format\":9}\n", to: "log.db.assignments")
        var settings = FleetNodeSettings()
        settings.node = "node-1"
        let membership = try FleetMembership(
            settings: settings,
            database: DatabaseSettings(uri: "postgresql:///reachd?host=\(folder.path)&user=reachd"),
            version: "1.0",
            events: Registry(),
            cache: StateFile(path),
            declare: { _, _ in },
            execute: { _ in },
            log: { _ in }
        )
        defer { membership.stop(within: .zero) }
        let fixture = Fixture(wiring: RequestHandler.ServiceDependencies(fleet: { membership.status }))
        fixture.registry.apply(targets: [])
        fixture.tellNetwork(.up())
        #expect(fixture.respond("/readyz").text == #"{"status":"ok"}"#, "before the first attempt")
        membership.start()
        while membership.status?.standing.outage == nil { try await Task.sleep(for: .milliseconds(40)) }
        let answer = fixture.respond("/readyz")
        #expect(answer.status == 200)
        for part in [
            #"{"status":"ok","fleet":{"problems":[{"code":"database","detail":"cannot use the fleet's database ("#,
            #"{"code":"no_assignments","detail":"the fleet's targets are not probed until the database can be read"}"#,
            #"{"code":"cache","detail":"the file of the assignments cannot be used (unsupported_format): "#,
        ] {
            #expect(answer.text.contains(part), "\(answer.text)")
        }
        let standing = fixture.respond("/fleet").text
        #expect(standing.contains(#""cache":{"is_usable":false,"code":"unsupported_format","detail":"#))
        #expect(standing.contains(#""is_resumed":false"#) && standing.contains(#""problems":[{"code":"database""#))
        let metrics = fixture.respond("/metrics").text
        #expect(metrics.contains("\nreachd_fleet_assignments_cached 0\n"))
        #expect(metrics.contains("\nreachd_fleet_statements_total 0\n"))
        #expect(!metrics.contains("reachd_fleet_unassigned_targets"), "this is for the coordinator to say")
    }
}
