// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import PostgreSQL

/// The tables of version 1. Instants and lengths of time are microseconds; instants count from the Unix epoch by the database's clock.
enum InitialTables {
    static let statements = [
        Statement(schemaVersions, name: "create_schema_versions"),
        Statement(logHead, name: "create_log_head"),
        Statement(nodes, name: "create_nodes"),
        Statement(placements, name: "create_placements"),
        Statement(assignments, name: "create_assignments"),
        Statement("CREATE INDEX ON assignments (node)", name: "index_assignments_node"),
        Statement(targets, name: "create_targets"),
        Statement("CREATE INDEX ON targets (placement, shard, version)", name: "index_targets_shard"),
        Statement("CREATE INDEX ON targets (version)", name: "index_targets_version"),
        Statement("CREATE INDEX ON targets (\"group\")", name: "index_targets_group"),
        Statement(sources, name: "create_sources"),
        Statement(dependencies, name: "create_dependencies"),
        Statement("CREATE INDEX ON dependencies (child)", name: "index_dependencies_child"),
        Statement(verdicts, name: "create_verdicts"),
        Statement(votes, name: "create_votes"),
        Statement(disagreements, name: "create_disagreements"),
        Statement(inbox, name: "create_inbox"),
        Statement(commands, name: "create_commands"),
        Statement(log, name: "create_log"),
        Statement("CREATE INDEX ON log (target, seq) WHERE to_state IS NOT NULL", name: "index_log_target"),
        Statement(logDays, name: "create_log_days"),
        Statement(receivers, name: "create_receivers"),
    ]

    private static let schemaVersions = """
        CREATE TABLE schema_versions (
            version integer PRIMARY KEY,
            needs integer NOT NULL,  -- the oldest version whose nodes may write
            at bigint NOT NULL DEFAULT \(DatabaseClock.now)
        )
        """

    /// A low fill factor keeps the single row's updates on its page.
    private static let logHead = """
        CREATE TABLE log_head (
            one boolean PRIMARY KEY DEFAULT true CHECK (one),  -- at most one row
            identity text NOT NULL,  -- of the fleet, for ever: 128 random bits in hexadecimal
            epoch text NOT NULL,  -- of the log; a new one invalidates the numbers that clients have seen
            seq bigint NOT NULL DEFAULT 0,  -- of the newest event
            stamp bigint NOT NULL DEFAULT 0,  -- of the newest event; random, so that a lost and reused number is noticed
            day date NOT NULL DEFAULT (now() AT TIME ZONE 'UTC')::date,  -- of the newest event; never decreases
            coordinator text,  -- the coordinator's node
            incarnation bigint NOT NULL DEFAULT 0,  -- the coordinator's run
            token bigint NOT NULL DEFAULT 0,  -- increases with each coordinator, whose writes must name it
            until bigint NOT NULL DEFAULT 0,  -- when the coordinator's lease ends
            assignment bigint NOT NULL DEFAULT 0,  -- version of the assignments
            declared bigint NOT NULL DEFAULT 0,  -- version of the targets
            isolated text[] NOT NULL DEFAULT '{}',  -- locations whose own network is the likely cause of their votes
            disputes bigint NOT NULL DEFAULT 0,  -- the number of the newest disagreement
            settings text NOT NULL DEFAULT '{}',  -- the fleet's settings as JSON
            settings_version bigint NOT NULL DEFAULT 0,
            server text,  -- the system identifier of the server that the log is on; NULL: unknown
            timeline text,  -- and its timeline: another one after a promotion or a restore
            durable boolean NOT NULL DEFAULT false  -- a synchronous standby confirms commits, so a fail-over keeps the epoch
        ) WITH (fillfactor = 10)
        """

    private static let nodes = """
        CREATE TABLE nodes (
            name text PRIMARY KEY,
            incarnation bigint NOT NULL,  -- increases with each start of a node of this name
            location text NOT NULL,
            url text,
            version text NOT NULL,
            capacity integer NOT NULL,  -- the greatest number of targets
            draining boolean NOT NULL DEFAULT false,
            departed boolean NOT NULL DEFAULT false,
            announced text,  -- its state in the newest event about it
            since bigint NOT NULL,  -- the start of this run
            until bigint NOT NULL,  -- when the lease ends
            resumed bigint NOT NULL,  -- since when no two renewals were more than half a lease apart
            epoch text NOT NULL,  -- of the node's own log
            reported bigint NOT NULL DEFAULT 0,  -- the last number of that log in the inbox: the outbox's consumer offset
            backlog bigint NOT NULL DEFAULT 0,  -- events that are not yet reported
            oldest bigint,  -- the observation of the oldest of them
            skew bigint NOT NULL DEFAULT 0,  -- the node's clock minus the database's
            round_trip bigint NOT NULL DEFAULT 0,
            network text,  -- what the kernel says about the node's network
            receivers text[] NOT NULL DEFAULT '{}'  -- that it can serve: each a digest of the definition, a space and the name
        ) WITH (fillfactor = 50)
        """

    private static let placements = """
        CREATE TABLE placements (
            id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            watchers integer NOT NULL,
            quorum integer NOT NULL,  -- votes that make a target down
            locations text[] NOT NULL,  -- allowed ones; empty: all
            UNIQUE (watchers, quorum, locations)
        )
        """

    private static let assignments = """
        CREATE TABLE assignments (
            placement integer NOT NULL,
            shard integer NOT NULL,
            location text NOT NULL,
            node text,  -- NULL: none
            token bigint NOT NULL,  -- votes with another one are rejected
            since bigint NOT NULL,
            confirmed bigint NOT NULL DEFAULT 0,  -- the token whose owner has probed; below token: the old votes count for now
            PRIMARY KEY (placement, shard, location)
        ) WITH (fillfactor = 70)
        """

    private static let targets = """
        CREATE TABLE targets (
            ordinal bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,  -- order of lists; never reused
            id text NOT NULL UNIQUE,
            placement integer NOT NULL,
            shard integer NOT NULL,
            spec text NOT NULL,  -- the declaration as JSON; readers of the group role do not see it
            origin text NOT NULL,
            source text,  -- of fleet apply
            version bigint NOT NULL,  -- log_head.declared of the last change
            paused boolean NOT NULL DEFAULT false,
            "interval" bigint NOT NULL,
            partial_up boolean NOT NULL DEFAULT false,  -- a target that some locations reach is up
            "group" text,
            tags text[] NOT NULL DEFAULT '{}'
        )
        """

    /// One row for each source of `fleet apply`.
    private static let sources = """
        CREATE TABLE sources (
            name text PRIMARY KEY,
            version bigint,  -- of the applied document; NULL: it has none
            digest text NOT NULL,  -- of its content
            host text NOT NULL,  -- that applied it
            applied_at bigint NOT NULL
        )
        """

    private static let dependencies =
        "CREATE TABLE dependencies (parent text NOT NULL, child text NOT NULL, PRIMARY KEY (parent, child))"

    private static let verdicts = """
        CREATE TABLE verdicts (
            target text PRIMARY KEY,
            n bigint NOT NULL DEFAULT 0,  -- number of changes; a write names the one that it was decided on
            state text NOT NULL,
            cause text,
            reason text,
            detail text,
            since bigint NOT NULL,
            rule text NOT NULL  -- the row of the table of verdicts that applied
        ) WITH (fillfactor = 85)
        """

    private static let votes = """
        CREATE TABLE votes (
            target text NOT NULL,
            location text NOT NULL,
            state text NOT NULL,
            cause text,
            reason text,
            detail text,
            since bigint NOT NULL,
            token bigint NOT NULL,  -- of the assignment
            node text NOT NULL,
            PRIMARY KEY (target, location)
        ) WITH (fillfactor = 85)
        """

    private static let disagreements = """
        CREATE TABLE disagreements (
            target text PRIMARY KEY,
            placement integer NOT NULL,
            shard integer NOT NULL,
            number bigint NOT NULL,  -- in the order in which they began; owners that have not read it probe at once
            since bigint NOT NULL,
            due bigint NOT NULL  -- when the verdict shows it
        )
        """

    /// Every row is deleted soon; vacuum by number, so that polls do not read many dead rows.
    private static let inbox = """
        CREATE TABLE inbox (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            node text NOT NULL,
            local bigint NOT NULL,  -- number in the node's own log
            kind text NOT NULL,
            placement integer NOT NULL,
            shard integer NOT NULL,
            location text NOT NULL,
            token bigint NOT NULL,  -- of the assignment
            target text,
            state text,
            cause text,
            reason text,
            detail text,
            since bigint,
            at bigint NOT NULL,  -- the observation
            data text  -- of a certificate's change
        ) WITH (autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_scale_factor = 0,
            autovacuum_analyze_threshold = 100000)
        """

    /// Every row is deleted after some minutes.
    private static let commands = """
        CREATE TABLE commands (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            target text NOT NULL,
            kind text NOT NULL,  -- probe; ok and fail: heartbeats
            detail text,
            at bigint NOT NULL
        ) WITH (autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_scale_factor = 0)
        """

    private static let log = """
        CREATE TABLE log (
            day date NOT NULL,  -- of the insert, in UTC; (day, seq) sorts like seq
            seq bigint NOT NULL,
            stamp bigint NOT NULL,
            at bigint NOT NULL,  -- the observation
            recorded bigint NOT NULL,  -- the insert
            type text NOT NULL,
            target text,
            "group" text,
            tags text[],
            from_state text,
            to_state text,
            reason text,
            cause text,
            data text NOT NULL,  -- the event as JSON
            PRIMARY KEY (day, seq)
        ) PARTITION BY RANGE (day)
        """

    /// Written by `create_log_partitions`.
    private static let logDays = """
        CREATE TABLE log_days (
            day date PRIMARY KEY,
            first_seq bigint NOT NULL  -- the day's first event; an absent day begins at or after that of the day before
        )
        """

    /// One row for each receiver of notifications, by name.
    private static let receivers = """
        CREATE TABLE receivers (
            name text PRIMARY KEY,
            digest text NOT NULL,  -- of the definition in force
            node text,  -- that serves it; NULL: none
            token bigint NOT NULL,  -- the offset is written only under this one
            since bigint NOT NULL,  -- when it was assigned
            consumed bigint NOT NULL,  -- the log's last number up to which it needs nothing more
            progress text,  -- the same with what was acknowledged beyond, and the open problems; NULL: not served yet
            changes text,  -- how progress changed since it was written; NULL: not
            carried text[] NOT NULL DEFAULT '{}',  -- open problems that nodes without the database notified of: state and target
            returned bigint NOT NULL DEFAULT 0,  -- the event behind which the newest of them were added
            acknowledged bigint  -- when the offset was written last
        ) WITH (fillfactor = 70)
        """
}
