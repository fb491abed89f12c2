// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import PostgreSQL

/// What any node asks of those that watch a target; they learn of it with the next renewal of their leases.
package struct TargetCommand: Sendable, Hashable {
    /// What is asked.
    package enum Action: Sendable, Hashable {
        /// A probe now.
        case probe
        /// The evaluation of a heartbeat: whether the target reports a failure, and its words.
        case heartbeat(isFailure: Bool, detail: String?)
    }

    /// Its number; a lower one can become visible later than a greater one. 0 for one that is not stored.
    package let id: Int64
    /// The target's id.
    package let target: String
    /// What is asked.
    package let action: Action
    /// How long before it was read it was stored.
    package let age: Duration

    init(id: Int64, target: String, action: Action, age: Duration = .zero) {
        (self.id, self.target, self.action, self.age) = (id, target, action, age)
    }
}

extension TargetCommand {
    /// What the database has of the target of a command.
    package struct Subject: Sendable, Hashable {
        /// The type of its probe; nil for a target without one.
        package let probe: String?
        /// Whether it is paused.
        package let isPaused: Bool
    }

    /// For how long a command is carried out, in microseconds; a node that takes over a target learns of those before.
    private static let life = 120_000_000

    /// Reads the target of a command; nil if it does not exist.
    package static func subject(_ target: String) -> FleetQuestion<Subject?> {
        FleetQuestion(subjectStatement, [.text(target)]) { rows throws(DatabaseError) in
            guard rows.rowCount == 1 else { return nil }
            return Subject(probe: try rows.optionalText(0, 0), isPaused: try rows.bool(0, 1))
        }
    }

    private static let subjectStatement = Statement(
        """
        SELECT CASE WHEN spec::json->'probe' IS NOT NULL THEN coalesce(spec::json->'probe'->>'type', 'http') END, paused
        FROM targets WHERE id = $1::text
        """,
        name: "command_subject"
    )

    /// Stores a command, and a heartbeat for later owners as well; returns false when the target does not exist.
    package static func store(_ action: Action, target: String) -> FleetQuestion<Bool> {
        let (kind, detail): (String, String?) =
            switch action {
            case .probe: ("probe", nil)
            case .heartbeat(let isFailure, let detail): (isFailure ? "fail" : "ok", detail)
            }
        let parameters: [DatabaseValue] = [.text(target), .text(kind), detail.map { .text($0) } ?? .null]
        return FleetQuestion(storeStatement, parameters) { rows throws(DatabaseError) in rows.rowCount == 1 }
    }

    private static let storeStatement = Statement(
        """
        WITH c AS (
          INSERT INTO commands (target, kind, detail, at)
          SELECT id, $2::text, $3::text, \(DatabaseClock.now) FROM targets WHERE id = $1::text
          RETURNING id, target, kind, detail, at),
        h AS (
          INSERT INTO heartbeats (target, command, at, kind, detail)
          SELECT target, id, at, kind, detail FROM c WHERE kind <> 'probe'
          ON CONFLICT (target) DO UPDATE SET command = excluded.command, at = excluded.at, kind = excluded.kind,
            detail = excluded.detail)
        SELECT id FROM c
        """,
        name: "store_command"
    )

    /// The maximum number of commands in an answer of ``read(for:after:)``.
    static let pageLength = 2_000

    /// Reads the commands for a node's targets, oldest first. Those of a kind that this version does not know are left out.
    ///
    /// - Parameters:
    ///   - node: the node's name.
    ///   - id: only commands with greater numbers are read.
    static func read(for node: String, after id: Int64) -> FleetQuestion<[TargetCommand]> {
        let parameters: [DatabaseValue] = [.text(node), .integer(id), .integer(Int64(pageLength))]
        return FleetQuestion(readStatement, parameters) { rows throws(DatabaseError) in
            var commands: [TargetCommand] = []
            for row in 0..<rows.rowCount {
                guard let action = Action(kind: try rows.text(row, 1), detail: try rows.optionalText(row, 3))
                else { continue }
                commands.append(
                    TargetCommand(
                        id: try rows.integer(row, 0),
                        target: try rows.text(row, 2),
                        action: action,
                        age: Duration(microseconds: try rows.count(row, 4))
                    )
                )
            }
            return commands
        }
    }

    private static let readStatement = Statement(
        """
        SELECT c.id, c.kind, c.target, c.detail, greatest(0, \(DatabaseClock.now) - c.at)
        FROM commands c JOIN targets t ON t.id = c.target
        JOIN assignments a ON a.placement = t.placement AND a.shard = t.shard
        WHERE a.node = $1::text AND c.id > $2::bigint AND c.at > \(DatabaseClock.now) - \(life)
          AND c.kind IN ('probe', 'ok', 'fail') AND NOT t.paused
        ORDER BY c.id LIMIT $3::bigint
        """,
        name: "commands"
    )

    /// Deletes the commands that are not carried out any more.
    static let prune = Statement(
        "DELETE FROM commands WHERE at <= \(DatabaseClock.now) - \(life)",
        name: "prune_commands"
    )
}

extension TargetCommand.Action {
    /// Reads a stored action; nil for a kind that this version does not know.
    init?(kind: String, detail: String?) {
        switch kind {
        case "probe": self = .probe
        case "ok": self = .heartbeat(isFailure: false, detail: detail)
        case "fail": self = .heartbeat(isFailure: true, detail: detail)
        default: return nil
        }
    }
}
