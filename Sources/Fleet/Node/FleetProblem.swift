// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What an operator should know of a node's part in its fleet.
///
/// None makes a node unready: it keeps probing, and an orchestrator that restarted or replaced all nodes because their database is away
/// would end the monitoring as well.
package struct FleetProblem: Sendable, Hashable {
    /// The kind; raw values are the HTTP contract's.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// The database cannot be used.
        case database
        /// The node probes what was assigned to it before it started.
        case cachedAssignments = "cached_assignments"
        /// The node does not know which targets are assigned to it.
        case noAssignments = "no_assignments"
        /// Another process has the node's name.
        case replaced
        /// The assignments are not kept for a restart.
        case cache
        /// Targets have no node, because there is no capacity for them.
        case capacity
        /// The fleet's log soon has no partition for a new day.
        case logPartitions = "log_partitions"
    }

    /// The kind.
    package let code: Code
    /// What is wrong, and what to do.
    package let detail: String
}

extension FleetProblem {
    /// Targets have no node.
    ///
    /// - Parameter words: How many, and how they are counted.
    static func capacity(_ words: String) -> FleetProblem {
        FleetProblem(code: .capacity, detail: "\(words): add nodes, or raise fleet.capacity")
    }

    /// The fleet's log has partitions for so many more days; nil for enough.
    static func logPartitions(_ days: Int) -> FleetProblem? {
        guard days < FleetStatus.fewestLogDays else { return nil }
        return FleetProblem(
            code: .logPartitions,
            detail:
                "the fleet's log has partitions for \(days) more days; see the coordinator's log for why none are created"
        )
    }
}

extension FleetStatus {
    /// With fewer days ahead the partitions of the fleet's log are a problem.
    package static let fewestLogDays = 3

    /// The problems; empty while all is well.
    package var problems: [FleetProblem] {
        var problems: [FleetProblem] = []
        func add(_ code: FleetProblem.Code, _ detail: String) {
            problems.append(FleetProblem(code: code, detail: detail))
        }
        if let outage = standing.outage {
            add(.database, "cannot use the fleet's database (\(outage.fault.code)): \(outage.fault.message)")
        }
        if isResumed {
            add(.cachedAssignments, "probing the \(targets) targets that were assigned to this node before it started")
        } else if !hasAssignments, standing.outage != nil {
            add(.noAssignments, "the fleet's targets are not probed until the database can be read")
        }
        if standing.phase == .replaced {
            add(.replaced, "another process has the name of this node; give each its own fleet.node and restart")
        }
        if let fault = cache?.fault {
            add(.cache, "the file of the assignments cannot be used (\(fault.code.rawValue)): \(fault.message)")
        }
        guard isCoordinator else { return problems }
        if coordination.unassignedTargets > 0 {
            problems.append(
                .capacity("\(coordination.unassignedTargets) targets have no node, counted in each location")
            )
        }
        return problems + [logDays.flatMap { .logPartitions($0) }].compactMap(\.self)
    }
}

extension FleetOverview {
    /// The problems that the database shows; those of a node are only known to it (``FleetStatus/problems``).
    package var problems: [FleetProblem] {
        [
            unassigned > 0 ? .capacity("\(unassigned) targets have no node") : nil, .logPartitions(logDays),
        ].compactMap(\.self)
    }
}
