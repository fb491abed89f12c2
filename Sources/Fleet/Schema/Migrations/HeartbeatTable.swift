// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import PostgreSQL

/// The last heartbeat of each `push` target, from which a new owner continues: version 3.
enum HeartbeatTable {
    static func statements(_ schema: SchemaName) -> [Statement] {
        let (node, reader) = (SQLIdentifier.quote(schema.node), SQLIdentifier.quote(schema.reader))
        return [
            table,
            Statement("GRANT SELECT, INSERT, UPDATE, DELETE ON heartbeats TO \(node)", name: "grant_heartbeats"),
            Statement("GRANT SELECT ON heartbeats TO \(reader)", name: "grant_heartbeats_reader"),
        ]
    }

    /// A row goes with its target, whose removal is a statement of any version.
    static let table = Statement(
        """
        CREATE TABLE heartbeats (
            target text PRIMARY KEY REFERENCES targets (id) ON DELETE CASCADE,
            command bigint NOT NULL,  -- that announced it to the owners; 0: none
            at bigint NOT NULL,
            kind text NOT NULL,  -- ok, fail
            detail text
        ) WITH (fillfactor = 70)
        """,
        name: "create_heartbeats"
    )
}
