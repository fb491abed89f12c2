// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import PostgreSQL

/// What the database has of the targets that a change names, of one moment.
struct EditFacts: Sendable {
    /// A stored target.
    struct Target: Sendable {
        /// The source of `fleet apply`; nil for API clients.
        let source: String?
        /// The version of its last change.
        let version: Int64
        /// Its declaration; nil when it makes no sense.
        let declaration: FleetDeclaration?
        /// The first targets that depend on it.
        let dependents: [String]
    }

    /// The version of all declarations.
    let declared: Int64
    /// The run of the log.
    let epoch: String
    /// The maximum number of targets.
    let maximum: Int
    /// The number of targets; nil if that was not wanted.
    let count: Int?
    /// Those of the named targets that exist.
    let targets: [String: Target]

    /// How many dependents are named.
    private static let dependentsLimit = 10
    /// How many targets the declarations of a change may lead to.
    static let ancestorsLimit = 10_000

    /// Reads the facts; nil without a fleet.
    ///
    /// - Parameters:
    ///   - ids: the named targets.
    ///   - isCounted: whether the number of all is wanted.
    static func question(_ ids: [String], isCounted: Bool) -> FleetQuestion<EditFacts?> {
        FleetQuestion(statement, [.texts(ids), .bool(isCounted)]) { rows throws(DatabaseError) in
            guard rows.rowCount > 0 else { return nil }
            let column = DeclarationStatements.storedCount
            var targets: [String: Target] = [:]
            for row in 0..<rows.rowCount where try !rows.isNull(row, 0) {
                targets[try rows.text(row, 0)] = Target(
                    source: try rows.optionalText(row, 1),
                    version: try rows.count(row, column),
                    declaration: try FleetDeclaration(rows, row),
                    dependents: try rows.texts(row, column + 1).compactMap(\.self)
                )
            }
            return EditFacts(
                declared: try rows.count(0, column + 2),
                epoch: try rows.shortText(0, column + 3),
                maximum: FleetSettings(text: try rows.text(0, column + 4)).maximumTargets,
                count: try rows.optionalInteger(0, column + 5).map { Int(clamping: $0) },
                targets: targets
            )
        }
    }

    private static let statement = Statement(
        """
        SELECT \(DeclarationStatements.stored), t.version,
          ARRAY(SELECT child FROM dependencies WHERE parent = t.id ORDER BY child LIMIT \(dependentsLimit)),
          h.declared, h.epoch, h.settings, CASE WHEN $2::boolean THEN (SELECT count(*) FROM targets) END
        FROM log_head h
        LEFT JOIN (targets t JOIN placements p ON p.id = t.placement) ON t.id = ANY($1::text[])
        """,
        name: "edit_facts"
    )

    /// Reads the dependencies of targets, and of those that they lead to; nil when these are more than ``ancestorsLimit``.
    ///
    /// - Parameter ids: the targets; those that do not exist are absent from the answer.
    static func ancestors(of ids: [String]) -> FleetQuestion<[String: [String]]?> {
        FleetQuestion(ancestorsStatement, [.texts(ids)]) { rows throws(DatabaseError) in
            guard rows.rowCount <= ancestorsLimit else { return nil }
            var parents: [String: [String]] = [:]
            for row in 0..<rows.rowCount where try rows.bool(row, 1) {
                parents[try rows.text(row, 0)] = try rows.texts(row, 2).compactMap(\.self)
            }
            return parents
        }
    }

    private static let ancestorsStatement = Statement(
        """
        WITH RECURSIVE a(id) AS (
          SELECT unnest($1::text[]) UNION SELECT d.parent FROM dependencies d JOIN a ON d.child = a.id)
        SELECT a.id, EXISTS (SELECT FROM targets t WHERE t.id = a.id),
          ARRAY(SELECT parent FROM dependencies WHERE child = a.id ORDER BY parent)
        FROM a LIMIT \(ancestorsLimit + 1)
        """,
        name: "ancestors"
    )

    /// The version of a target; nil if it does not exist.
    func revision(of id: String) -> FleetRevision? {
        targets[id].map { FleetRevision(epoch: epoch, version: $0.version, newest: declared) }
    }
}
