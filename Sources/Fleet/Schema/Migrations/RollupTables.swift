// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import PostgreSQL

/// Version 2: what nodes know of the probes of each target, by hour or day, for the latencies of histories. Nodes of version 1 neither
/// write nor read it.
enum RollupTables {
    static func statements(_ schema: SchemaName) -> [Statement] {
        let node = SQLIdentifier.quote(schema.node)
        let reader = SQLIdentifier.quote(schema.reader)
        return tables + [
            Statement(create, name: "create_function_create_rollup_partitions"),
            Statement(drop, name: "create_function_drop_rollup_partitions"),
            Statement("REVOKE ALL ON FUNCTION \(signatures) FROM PUBLIC", name: "revoke_rollup_functions"),
            Statement("GRANT EXECUTE ON FUNCTION \(signatures) TO \(node)", name: "grant_rollup_functions"),
            Statement("GRANT SELECT, INSERT, UPDATE ON rollups, rollup_positions TO \(node)", name: "grant_rollups"),
            Statement("GRANT SELECT ON rollups, rollup_positions TO \(reader)", name: "grant_rollups_reader"),
            Statement(
                "SELECT create_rollup_partitions(\(RollupPartitions.monthsAhead))",
                name: "create_rollup_partitions"
            ),
        ]
    }

    static let tables = [
        Statement(rollups, name: "create_rollups"), Statement(positions, name: "create_rollup_positions"),
    ]

    /// The primary key begins with the target, so that a history reads few pages. Two nodes of a location that had a target in the same
    /// day have a row each.
    private static let rollups = """
        CREATE TABLE rollups (
            month date NOT NULL,  -- that the bucket begins in, in UTC
            target text NOT NULL,
            length bigint NOT NULL,  -- of the bucket
            start bigint NOT NULL,  -- by the node's clock
            location text NOT NULL,
            node text NOT NULL,
            data bytea NOT NULL,  -- in the form of the node's history
            PRIMARY KEY (target, length, start, location, node, month)
        ) PARTITION BY RANGE (month)
        """

    private static let positions = """
        CREATE TABLE rollup_positions (
            node text NOT NULL,
            length bigint NOT NULL,  -- of the buckets
            through bigint NOT NULL,  -- all of the node's that end until then are in rollups
            PRIMARY KEY (node, length)
        )
        """

    private static let signatures = "create_rollup_partitions(integer), drop_rollup_partitions(integer)"

    /// The month before the present one has a partition, too: its last buckets are stored when they are complete.
    private static let create = """
        CREATE FUNCTION create_rollup_partitions(months integer) RETURNS integer
        LANGUAGE plpgsql SECURITY DEFINER
        SET search_path FROM CURRENT
        SET lock_timeout = '100ms'
        AS $body$
        DECLARE
            first_month date := date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC')::date;
            partition_month date;
            partition_name text;
            existing text[];
            created integer := 0;
        BEGIN
            IF months IS NULL OR months NOT BETWEEN 0 AND 24 THEN
                RAISE EXCEPTION 'months is %, not 0 to 24', months USING ERRCODE = 'invalid_parameter_value';
            END IF;
            -- Another call would create the same tables.
            LOCK TABLE ONLY rollups IN SHARE UPDATE EXCLUSIVE MODE;
            existing := ARRAY(
                SELECT c.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
                WHERE i.inhparent = 'rollups'::regclass);
            FOR n IN -1..months LOOP
                partition_month := (first_month + make_interval(months => n))::date;
                partition_name := 'rollups_' || to_char(partition_month, 'YYYYMM');
                CONTINUE WHEN partition_name = ANY (existing);
                EXECUTE format('CREATE TABLE %I (LIKE rollups INCLUDING ALL)', partition_name);
                EXECUTE format('ALTER TABLE rollups ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', partition_name,
                    to_char(partition_month, 'YYYY-MM-DD'),
                    to_char(partition_month + interval '1 month', 'YYYY-MM-DD'));
                created := created + 1;
            END LOOP;
            RETURN created;
        END
        $body$
        """

    /// The month before the present one stays, whatever the fleet keeps: the next call would create it again.
    private static let drop = """
        CREATE FUNCTION drop_rollup_partitions(days integer) RETURNS integer
        LANGUAGE plpgsql SECURITY DEFINER
        SET search_path FROM CURRENT
        SET lock_timeout = '100ms'
        AS $body$
        DECLARE
            today date;
            oldest_name text;
            partition_name text;
            dropped integer := 0;
        BEGIN
            IF days IS NULL OR days NOT BETWEEN 1 AND 36500 THEN
                RAISE EXCEPTION 'days is %, not 1 to 36500', days USING ERRCODE = 'invalid_parameter_value';
            END IF;
            -- A clock that jumps ahead does not age what is stored before the next event.
            SELECT least(h.day, (clock_timestamp() AT TIME ZONE 'UTC')::date) INTO STRICT today FROM log_head h;
            oldest_name := 'rollups_' || to_char(least(today - days, today - interval '1 month'), 'YYYYMM');
            FOR attempt IN 1..10 LOOP
                SELECT min(c.relname::text) INTO partition_name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
                WHERE i.inhparent = 'rollups'::regclass AND c.relnamespace = current_schema()::regnamespace
                    AND c.relname ~ '^rollups_[0-9]{6}$' AND c.relname::text < oldest_name;
                EXIT WHEN partition_name IS NULL;
                IF attempt = 1 THEN
                    LOCK TABLE ONLY rollups IN ACCESS EXCLUSIVE MODE;
                END IF;
                EXECUTE format('DROP TABLE IF EXISTS %I', partition_name);
                dropped := dropped + 1;
            END LOOP;
            RETURN dropped;
        END
        $body$
        """
}
