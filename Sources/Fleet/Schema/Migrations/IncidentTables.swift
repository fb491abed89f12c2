// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import PostgreSQL

/// The fleet's incidents, and what nodes report for them beside their votes: version 4. Nodes of earlier versions neither write nor read
/// them; while one of those coordinates, there are no new incidents.
enum IncidentTables {
    static func statements(_ schema: SchemaName) -> [Statement] {
        let (node, reader) = (SQLIdentifier.quote(schema.node), SQLIdentifier.quote(schema.reader))
        return tables + [
            Statement("CREATE INDEX ON incidents (closed)", name: "index_incidents_closed"),
            Statement("CREATE INDEX ON incident_members (target)", name: "index_incident_members_target"),
            Statement(
                "GRANT SELECT, INSERT, UPDATE, DELETE ON incidents, incident_members TO \(node)",
                name: "grant_incidents"
            ),
            Statement("GRANT SELECT, INSERT, DELETE ON incident_edits TO \(node)", name: "grant_incident_edits"),
            Statement("GRANT SELECT ON incidents, incident_members TO \(reader)", name: "grant_incidents_reader"),
        ]
    }

    static let tables = [
        Statement("ALTER TABLE votes ADD COLUMN fault text", name: "add_vote_fault"),
        Statement(incidents, name: "create_incidents"),
        Statement(members, name: "create_incident_members"),
        Statement(edits, name: "create_incident_edits"),
    ]

    /// Written by the coordinator alone.
    private static let incidents = """
        CREATE TABLE incidents (
            number bigint PRIMARY KEY,  -- grows with the time of the opening
            id text NOT NULL UNIQUE,
            opened bigint NOT NULL,
            closed bigint,  -- NULL: open
            revision bigint NOT NULL DEFAULT 1,  -- grows with each write
            total integer NOT NULL,  -- targets
            down integer NOT NULL,  -- of those that fail
            unreachable integer NOT NULL,
            degraded integer NOT NULL,
            data text NOT NULL  -- cause, title, timeline, notes: in the form of a node's history
        ) WITH (fillfactor = 70)
        """

    private static let members = """
        CREATE TABLE incident_members (
            incident bigint NOT NULL,
            target text NOT NULL,
            name text,
            "group" text,
            state text NOT NULL,
            first bigint NOT NULL,  -- when it failed for the first time
            "from" bigint NOT NULL,  -- for the last time
            until bigint,  -- NULL: it fails
            "end" text,
            turns integer NOT NULL,
            distance integer NOT NULL,
            PRIMARY KEY (incident, target)
        ) WITH (fillfactor = 85)
        """

    /// What people change; the coordinator deletes each row with the change.
    private static let edits = """
        CREATE TABLE incident_edits (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            incident text NOT NULL,  -- its id
            edit text NOT NULL,
            at bigint NOT NULL
        )
        """
}
