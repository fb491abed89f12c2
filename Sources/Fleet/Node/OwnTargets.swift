// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import PostgreSQL

/// The targets of a node's shards as the database had them at a version of the declarations, in the order of their ordinals.
///
/// ``merge(_:)`` applies what changed since. Targets that are gone are not among the changes; the number of all shows whether there
/// are any. It is exact: every present target that did not change is in the list already, so that the list can only have too many.
struct OwnTargets: Sendable {
    /// A target, and its place in the order.
    struct Row: Sendable {
        let ordinal: Int64
        let target: AssignedTarget
        /// Whether it is not probed.
        let isPaused: Bool
        /// What the node's location reported last, by this node or by the one before.
        let state: TargetState?
        /// The last heartbeat; nil for none.
        let heartbeat: TargetCommand?
    }

    /// What changed since a version.
    struct Changes: Sendable {
        /// The targets that changed, paused ones as well; nil when they are more than ``limit``.
        let rows: [Row]?
        /// The number of all targets that are not paused.
        let count: Int64

        /// A node that is behind by more reads all its targets.
        static let limit: Int64 = 2_000
    }

    private var rows: [Row] = []

    /// The targets, without paused ones.
    var targets: [AssignedTarget] { rows.map(\.target) }

    /// What the node's location had reported last when a target was read, by the target's id.
    var states: [String: TargetState] {
        Dictionary(rows.lazy.compactMap { row in row.state.map { (row.target.id, $0) } }) { first, _ in first }
    }

    /// The last heartbeats, when the targets were read.
    ///
    /// - Parameter known: the targets whose heartbeats are left out.
    func heartbeats(besides known: [AssignedTarget]) -> [TargetCommand] {
        let found = rows.compactMap(\.heartbeat)
        guard !found.isEmpty else { return [] }
        let ids = Set(known.lazy.map(\.id))
        return found.filter { !ids.contains($0.target) }
    }

    /// The ordinal of the last target.
    var last: Int64 { rows.last?.ordinal ?? 0 }

    /// The number of targets.
    var count: Int { rows.count }

    /// Adds a page of targets that are not paused, in order.
    mutating func append(_ page: [Row]) { rows += page }

    /// Applies changes; returns false when the list must be read again.
    mutating func merge(_ changes: Changes) -> Bool {
        guard let changed = changes.rows else { return false }
        if !changed.isEmpty {
            let ordinals = Set(changed.map(\.ordinal))
            rows.removeAll { ordinals.contains($0.ordinal) }
            rows += changed.filter { !$0.isPaused }
            rows.sort { $0.ordinal < $1.ordinal }
        }
        return rows.count == changes.count
    }
}

extension OwnTargets {
    /// The age of a heartbeat is NULL when its time makes no sense.
    private static let columns = """
        t.ordinal, t.id, t.spec, t.placement, t.shard, t.origin = 'api', t.paused, v.state,
          h.command, h.kind, left(h.detail, 1000),
          CASE WHEN h.at BETWEEN 0 AND \(DatabaseClock.now) THEN \(DatabaseClock.now) - h.at END
        """
    /// The targets of a node ($1), with the votes of its location and the heartbeats.
    private static let source = """
        assignments a JOIN targets t ON t.placement = a.placement AND t.shard = a.shard
        LEFT JOIN votes v ON v.target = t.id AND v.location = a.location
        LEFT JOIN heartbeats h ON h.target = t.id
        """

    /// A page of all targets of a node after an ordinal.
    static func page(of node: String, after ordinal: Int64) -> FleetQuestion<[Row]> {
        FleetQuestion(pageStatement, [.text(node), .integer(ordinal), .integer(pageLength)]) {
            rows throws(DatabaseError) in
            var page: [Row] = []
            for row in 0..<rows.rowCount { page.append(try Row(rows, row, 0)) }
            return page
        }
    }

    /// The number of targets of a page.
    static let pageLength: Int64 = 2_000

    private static let pageStatement = Statement(
        """
        SELECT \(columns)
        FROM \(source)
        WHERE a.node = $1 AND t.ordinal > $2 AND NOT t.paused ORDER BY t.ordinal LIMIT $3
        """,
        name: "assigned targets"
    )

    /// The targets of a node that changed after a version of the declarations.
    static func changes(of node: String, since version: Int64) -> FleetQuestion<Changes> {
        FleetQuestion(
            changesStatement,
            [.text(node), .integer(version), .integer(Changes.limit + 1)]
        ) { rows throws(DatabaseError) in
            let count = try rows.count(0, 0)
            var changed: [Row] = []
            for row in 0..<rows.rowCount where try !rows.isNull(row, 1) { changed.append(try Row(rows, row, 1)) }
            return Changes(rows: changed.count > Int(Changes.limit) ? nil : changed, count: count)
        }
    }

    private static let changesStatement = Statement(
        """
        SELECT (
            SELECT count(*) FROM assignments a JOIN targets t ON t.placement = a.placement AND t.shard = a.shard
            WHERE a.node = $1 AND NOT t.paused), c.*
        FROM (SELECT 1) AS one LEFT JOIN (
          SELECT \(columns) FROM \(source)
          WHERE t.version > $2 AND a.node = $1
          LIMIT $3) c ON true
        """,
        name: "changed targets"
    )
}

extension OwnTargets.Row {
    /// Reads the columns from one on.
    fileprivate init(_ rows: DatabaseRows, _ row: Int, _ column: Int) throws(DatabaseError) {
        let (placement, number) = (try rows.integer(row, column + 3), try rows.integer(row, column + 4))
        ordinal = try rows.integer(row, column)
        target = AssignedTarget(
            id: try rows.text(row, column + 1),
            shard: Shard(placement: Int(placement), number: Int(number)),
            declaration: try rows.text(row, column + 2),
            isClientDeclared: try rows.bool(row, column + 5)
        )
        isPaused = try rows.bool(row, column + 6)
        state = try rows.optionalText(row, column + 7).flatMap(TargetState.init(rawValue:))
        heartbeat = try Self.heartbeat(rows, row, column + 8, of: target.id)
    }

    /// Reads a heartbeat; nil for none, and for one that another program wrote and that makes no sense.
    private static func heartbeat(
        _ rows: DatabaseRows,
        _ row: Int,
        _ column: Int,
        of target: String
    ) throws(DatabaseError) -> TargetCommand? {
        guard let id = try rows.optionalInteger(row, column), let kind = try rows.optionalText(row, column + 1),
            let age = try rows.optionalInteger(row, column + 3), age >= 0,
            let action = TargetCommand.Action(kind: kind, detail: try rows.optionalText(row, column + 2)),
            action != .probe
        else { return nil }
        return TargetCommand(id: id, target: target, action: action, age: Duration(microseconds: age))
    }
}
