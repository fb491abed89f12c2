// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import Monitoring

/// Metrics of this node's part in its fleet.
enum FleetMetrics {
    static func write(_ fleet: FleetStatus, _ writer: inout MetricsWriter) {
        let standing = fleet.standing
        func gauge(_ name: StaticString, _ help: StaticString, _ value: UInt64) {
            writer.begin(MetricFamily(name, help))
            writer.open()
            writer.close(value)
        }
        func counter(_ name: StaticString, _ help: StaticString, _ value: UInt64) {
            writer.begin(MetricFamily(name, kind: .counter, help))
            writer.open()
            writer.close(value)
        }
        gauge(
            "reachd_fleet_database_up",
            "Whether the fleet's database can be used.",
            standing.isDatabaseUsable ? 1 : 0
        )
        gauge("reachd_fleet_lease_valid", "Whether this node's lease is valid.", fleet.hasLease ? 1 : 0)
        gauge("reachd_fleet_coordinator", "Whether this node is the coordinator.", fleet.isCoordinator ? 1 : 0)
        gauge(
            "reachd_fleet_assigned_targets",
            "Targets that the fleet assigned to this node.",
            UInt64(fleet.targets)
        )
        gauge("reachd_fleet_outbox_events", "Local events that are not reported to the fleet.", standing.backlog)
        counter(
            "reachd_fleet_dropped_reports",
            "Reports that were not sent: another node has their target, or the database rejected a value.",
            standing.droppedReports
        )
        let done = fleet.coordination
        counter("reachd_fleet_votes", "Votes that this node stored as the coordinator.", done.votes)
        counter("reachd_fleet_verdicts", "Verdicts that this node changed as the coordinator.", done.verdicts)
        counter("reachd_fleet_events", "Events that this node numbered as the coordinator.", done.events)
        writer.begin(
            MetricFamily(
                "reachd_fleet_rejected_votes",
                kind: .counter,
                "Votes that did not count, as this node decided as the coordinator."
            )
        )
        for reason in RejectionReason.allCases {
            writer.open()
            writer.label("reason", reason.rawValue)
            writer.close(done.rejected[reason] ?? 0)
        }
    }
}
