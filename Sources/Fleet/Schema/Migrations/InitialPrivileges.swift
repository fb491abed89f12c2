// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import PostgreSQL

/// The privileges of version 1: a node's role has what its statements need, and nothing that loses events of the log.
enum InitialPrivileges {
    static func statements(_ schema: SchemaName) -> [Statement] {
        let node = SQLIdentifier.quote(schema.node)
        let reader = SQLIdentifier.quote(schema.reader)
        var statements = [
            Statement("GRANT USAGE ON SCHEMA \(schema.quoted) TO \(node), \(reader)", name: "grant_schema"),
            Statement("GRANT UPDATE (\(headColumns)) ON log_head TO \(node)", name: "grant_log_head"),
            Statement("GRANT SELECT (\(targetColumns)) ON targets TO \(reader)", name: "grant_targets_reader"),
            Statement("GRANT SELECT ON \(readable) TO \(reader)", name: "grant_reader"),
        ]
        statements += nodeTables.map { table, privileges in
            Statement("GRANT \(privileges) ON \(table) TO \(node)", name: "grant_\(table)")
        }
        return statements
    }

    private static let nodeTables = [
        ("schema_versions", "SELECT"),
        ("log_head", "SELECT"),
        ("nodes", "SELECT, INSERT, UPDATE"),
        ("placements", "SELECT, INSERT"),
        ("assignments", "SELECT, INSERT, UPDATE"),
        ("targets", "SELECT, INSERT, UPDATE, DELETE"),
        ("sources", "SELECT, INSERT, UPDATE"),
        ("dependencies", "SELECT, INSERT, DELETE"),
        ("verdicts", "SELECT, INSERT, UPDATE, DELETE"),
        ("votes", "SELECT, INSERT, UPDATE, DELETE"),
        ("disagreements", "SELECT, INSERT, UPDATE, DELETE"),
        ("inbox", "SELECT, INSERT, DELETE"),
        ("commands", "SELECT, INSERT, DELETE"),
        ("log", "SELECT, INSERT"),
        ("log_days", "SELECT"),
        ("receivers", "SELECT, INSERT, UPDATE, DELETE"),
    ]

    /// All but the identity.
    private static let headColumns =
        "epoch, seq, stamp, day, coordinator, incarnation, token, until, assignment, declared, isolated, disputes, settings, "
        + "settings_version, server, timeline, durable"

    /// All but the declaration, which may contain credentials.
    private static let targetColumns =
        "ordinal, id, placement, shard, origin, source, version, paused, \"interval\", partial_up, \"group\", tags"

    private static let readable =
        "schema_versions, log_head, nodes, placements, assignments, sources, dependencies, verdicts, votes, disagreements, "
        + "commands, log, log_days, receivers"
}
