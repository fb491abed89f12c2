// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import LinuxIO
import Monitoring

/// Metrics of this node's part in its fleet.
enum FleetMetrics {
    static func write(_ fleet: FleetStatus, skippedRollups: UInt64, _ writer: inout MetricsWriter) {
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
        if let stored = fleet.storedRollups, let waiting = fleet.waitingRollups {
            counter(
                "reachd_fleet_stored_rollups",
                "Completed days and hours of targets that this node stored for the fleet's latencies.",
                stored
            )
            gauge("reachd_fleet_waiting_rollups", "Completed days and hours that are not wholly stored.", waiting)
        }
        counter(
            "reachd_fleet_skipped_rollups",
            "Rows of the nodes' days and hours that made no sense, as this node read them for clients.",
            skippedRollups
        )
        if let cache = fleet.cache {
            gauge(
                "reachd_fleet_assignments_cached",
                "Whether the file of the assignments, for a restart without the database, can be used.",
                cache.fault == nil ? 1 : 0
            )
        }
        if let roundTrip = standing.skew.roundTrip {
            writer.begin(MetricFamily("reachd_fleet_round_trip_seconds", "The time of the last renewal of the lease."))
            writer.open()
            writer.close(nanoseconds: roundTrip.nanoseconds)
        }
        let done = fleet.coordination
        if fleet.isCoordinator {
            gauge("reachd_fleet_nodes", "Live nodes. Only on the coordinator.", UInt64(done.nodes))
            gauge("reachd_fleet_targets", "Targets of the fleet. Only on the coordinator.", UInt64(done.targets))
            gauge(
                "reachd_fleet_assignments",
                "Shards with an owner, each counted by location. Only on the coordinator.",
                UInt64(done.owned)
            )
            gauge(
                "reachd_fleet_unassigned_targets",
                "Targets that no node has capacity for, each counted by location. Only on the coordinator.",
                UInt64(done.unassignedTargets)
            )
            IncidentMetrics.write(ofFleet: done.incidents, &writer)
        }
        if let days = fleet.logDays {
            gauge(
                "reachd_fleet_partitions_ahead_days",
                "Days ahead for which the fleet's log has partitions. Only on the coordinator.",
                UInt64(days)
            )
        }
        counter("reachd_fleet_inbox_rows", "Reports that this node read as the coordinator.", done.rows)
        counter("reachd_fleet_statements", "Statements that this node executed as the coordinator.", done.statements)
        counter("reachd_fleet_statement_failures", "Those of these statements that failed.", done.failures)
        writer.begin(
            MetricFamily(
                "reachd_fleet_statement_seconds",
                kind: .counter,
                "The time that these statements took."
            )
        )
        writer.open()
        writer.close(nanoseconds: done.statementTime.nanoseconds)
        counter("reachd_fleet_votes", "Votes that this node stored as the coordinator.", done.votes)
        counter("reachd_fleet_verdicts", "Verdicts that this node changed as the coordinator.", done.verdicts)
        counter("reachd_fleet_events", "Events that this node numbered as the coordinator.", done.events)
        counter(
            "reachd_fleet_skipped_rows",
            "Rows of other tables than the reports' that made no sense, as this node read them as the coordinator.",
            done.skipped
        )
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
