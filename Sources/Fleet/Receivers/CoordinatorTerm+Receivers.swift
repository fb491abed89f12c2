// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import PostgreSQL

/// What the coordinator knows of the receivers. Only the coordinator assigns them, so they are read once in a term.
struct ReceiverAssignments: Sendable {
    /// The receivers by name; nil before they were read.
    var records: [String: ReceiverRecord]?
    /// What the last plan was made of.
    var planned: (at: UInt64, nodes: [PlannedReceiverNode])?
    /// Receivers whose different definitions were logged.
    var conflicts: Set<String> = []
}

/// What a plan depends on of a node; while all of these are the same, so is the plan, but for the end of time limits.
struct PlannedReceiverNode: Sendable, Hashable {
    let name: String
    let intent: FleetNode.Intent
    let isLive: Bool
    let isDead: Bool
    let offers: [String: String]
}

/// Assigning receivers of notifications to nodes.
extension CoordinatorTerm {
    /// Changes the assignments of receivers if the nodes require it.
    func assignReceivers(_ look: FleetLook, then: @escaping () -> Void) {
        guard let records = receivers.records else {
            return readReceivers { [self] in assignReceivers(look, then: then) }
        }
        let nodes = look.rows.map { row in
            PlannedReceiverNode(
                name: row.node.name,
                intent: row.node.intent,
                isLive: row.node.isLive(look.now),
                isDead: members.dead.contains(row.node.name),
                offers: row.offers
            )
        }
        let now = loop.clock.now()
        if let planned = receivers.planned, planned.nodes == nodes, now < planned.at + Self.planInterval {
            return then()
        }
        receivers.planned = (now, nodes)
        reportConflicts(look)
        let changes = ReceiverPlanner.changes(
            records,
            nodes: look.nodes,
            offers: look.offers,
            dead: members.dead,
            now: look.now
        )
        if changes.isEmpty { then() } else { write(changes, then: then) }
    }

    private func readReceivers(then: @escaping () -> Void) {
        run(ReceiverStatements.all, []) { [self] rows in
            let readable = ReadableRows(rows) { rows, row throws(DatabaseError) in
                (
                    try rows.text(row, 0),
                    ReceiverRecord(
                        digest: try rows.text(row, 1),
                        node: try rows.optionalText(row, 2),
                        since: Duration(microseconds: try rows.integer(row, 3))
                    )
                )
            }
            skip(readable.skipped)
            receivers.records = Dictionary(readable.rows) { first, _ in first }
            then()
        }
    }

    private func write(_ changes: ReceiverChanges, then: @escaping () -> Void) {
        let assignments = Array(changes.assignments.prefix(Self.roundLimit))
        let forgotten = Array(changes.forgotten.prefix(Self.roundLimit))
        let guardian: [DatabaseValue] = [.text(identity.name), .integer(identity.incarnation), .integer(token)]
        let parameters: [DatabaseValue] = [
            .texts(assignments.map(\.name)), .texts(assignments.map(\.digest)), .texts(assignments.map(\.node)),
            .texts(forgotten),
        ]
        run(ReceiverStatements.assign, guardian + parameters) { [self] rows in
            let time = guarded(rows) { rows, row throws(DatabaseError) in try rows.integer(row, 0) }
            guard let time else { return }
            let now = Duration(microseconds: time)
            for change in assignments {
                let old = receivers.records?[change.name]
                let since = old.flatMap { $0.node == change.node ? $0.since : nil } ?? now
                receivers.records?[change.name] = ReceiverRecord(
                    digest: change.digest,
                    node: change.node,
                    since: since
                )
                guard old == nil || old?.node != change.node else { continue }
                log?(
                    LogMessage(
                        .info,
                        "a receiver of notifications was assigned",
                        facts: ["receiver": change.name, "node": change.node ?? "none"]
                    )
                )
            }
            for name in forgotten { receivers.records?[name] = nil }
            // What did not fit is planned again with the next look.
            if assignments.count < changes.assignments.count { receivers.planned = nil }
            then()
        }
    }

    private func reportConflicts(_ look: FleetLook) {
        let conflicts = ReceiverPlanner.conflicts(look.nodes, offers: look.offers, now: look.now)
        for name in conflicts.subtracting(receivers.conflicts).sorted() {
            log?(
                LogMessage(
                    .warning,
                    "nodes define a receiver of notifications differently; the definition of the node that serves it is in force",
                    facts: ["receiver": name, "node": receivers.records?[name]?.node ?? "none"]
                )
            )
        }
        receivers.conflicts = conflicts
    }
}
