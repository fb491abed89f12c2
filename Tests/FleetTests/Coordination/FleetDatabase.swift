// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import PostgreSQL
import TestSupport

/// A database with a fleet's tables, on a server of its own.
///
/// The tables are written down here until the module creates them itself.
final class FleetDatabase: Sendable {
    let server: PostgreSQLServer

    init() throws {
        server = try PostgreSQLServer(settings: ["max_connections": "60"])
        try server.execute("SET ROLE reachd; \(Self.tables)")
        try server.execute(
            """
            SET ROLE reachd;
            INSERT INTO log_head (identity, epoch) VALUES ('test', 'e1');
            CREATE TABLE log_now PARTITION OF log FOR VALUES FROM ('2000-01-01') TO ('2200-01-01');
            """
        )
    }

    var uri: String { server.socketURI }

    static let tables = """
        CREATE TABLE schema_versions (
            version integer PRIMARY KEY,
            needs integer NOT NULL,
            at bigint NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
        );

        CREATE TABLE log_head (
            one boolean PRIMARY KEY DEFAULT true CHECK (one),
            identity text NOT NULL,
            epoch text NOT NULL,
            seq bigint NOT NULL DEFAULT 0,
            stamp bigint NOT NULL DEFAULT 0,
            day date NOT NULL DEFAULT (now() AT TIME ZONE 'UTC')::date,
            coordinator text,
            incarnation bigint NOT NULL DEFAULT 0,
            token bigint NOT NULL DEFAULT 0,
            until bigint NOT NULL DEFAULT 0,
            assignment bigint NOT NULL DEFAULT 0,
            declared bigint NOT NULL DEFAULT 0,
            settings text NOT NULL DEFAULT '{}',
            settings_version bigint NOT NULL DEFAULT 0,
            timeline text,
            durable boolean NOT NULL DEFAULT false
        ) WITH (fillfactor = 10);

        CREATE TABLE nodes (
            name text PRIMARY KEY,
            incarnation bigint NOT NULL,
            location text NOT NULL,
            url text,
            version text NOT NULL,
            capacity integer NOT NULL,
            draining boolean NOT NULL DEFAULT false,
            departed boolean NOT NULL DEFAULT false,
            since bigint NOT NULL,
            until bigint NOT NULL,
            resumed bigint NOT NULL,
            epoch text NOT NULL,
            reported bigint NOT NULL DEFAULT 0,
            backlog bigint NOT NULL DEFAULT 0,
            oldest bigint,
            skew bigint NOT NULL DEFAULT 0,
            round_trip bigint NOT NULL DEFAULT 0,
            network text
        ) WITH (fillfactor = 50);

        CREATE TABLE placements (
            id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            watchers integer NOT NULL,
            quorum integer NOT NULL,
            locations text[] NOT NULL,
            UNIQUE (watchers, quorum, locations)
        );

        CREATE TABLE assignments (
            placement integer NOT NULL,
            shard integer NOT NULL,
            location text NOT NULL,
            node text,
            token bigint NOT NULL,
            since bigint NOT NULL,
            confirmed bigint NOT NULL DEFAULT 0,
            PRIMARY KEY (placement, shard, location)
        ) WITH (fillfactor = 70);
        CREATE INDEX ON assignments (node);

        CREATE TABLE targets (
            ordinal bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            id text NOT NULL UNIQUE,
            placement integer NOT NULL,
            shard integer NOT NULL,
            spec text NOT NULL,
            origin text NOT NULL,
            source text,
            version bigint NOT NULL,
            paused boolean NOT NULL DEFAULT false,
            "interval" bigint NOT NULL,
            partial_up boolean NOT NULL DEFAULT false,
            "group" text,
            tags text[] NOT NULL DEFAULT '{}'
        );
        CREATE INDEX ON targets (placement, shard, version);
        CREATE INDEX ON targets (version);
        CREATE INDEX ON targets ("group");

        CREATE TABLE dependencies (parent text NOT NULL, child text NOT NULL, PRIMARY KEY (parent, child));
        CREATE INDEX ON dependencies (child);

        CREATE TABLE verdicts (
            target text PRIMARY KEY,
            n bigint NOT NULL DEFAULT 0,
            state text NOT NULL,
            cause text,
            reason text,
            detail text,
            since bigint NOT NULL,
            rule text NOT NULL
        ) WITH (fillfactor = 85);

        CREATE TABLE votes (
            target text NOT NULL,
            location text NOT NULL,
            state text NOT NULL,
            cause text,
            reason text,
            detail text,
            since bigint NOT NULL,
            token bigint NOT NULL,
            node text NOT NULL,
            PRIMARY KEY (target, location)
        ) WITH (fillfactor = 85);

        CREATE TABLE disagreements (
            target text PRIMARY KEY,
            placement integer NOT NULL,
            shard integer NOT NULL,
            since bigint NOT NULL,
            due bigint NOT NULL
        );

        CREATE TABLE inbox (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            node text NOT NULL,
            local bigint NOT NULL,
            kind text NOT NULL,
            placement integer NOT NULL,
            shard integer NOT NULL,
            location text NOT NULL,
            token bigint NOT NULL,
            target text,
            state text,
            cause text,
            reason text,
            detail text,
            since bigint,
            at bigint NOT NULL
        ) WITH (autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_scale_factor = 0, autovacuum_analyze_threshold = 100000);

        CREATE TABLE log (
            day date NOT NULL,
            seq bigint NOT NULL,
            stamp bigint NOT NULL,
            at bigint NOT NULL,
            recorded bigint NOT NULL,
            type text NOT NULL,
            target text,
            "group" text,
            tags text[],
            from_state text,
            to_state text,
            reason text,
            cause text,
            data text NOT NULL,
            PRIMARY KEY (day, seq)
        ) PARTITION BY RANGE (day);
        CREATE INDEX ON log (target, seq) WHERE to_state IS NOT NULL;

        CREATE TABLE log_days (day date PRIMARY KEY, first_seq bigint NOT NULL);
        """
}
