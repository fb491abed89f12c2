// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import PostgreSQL

/// The two functions of version 1. They run as the owner, since nodes may not change tables; `search_path` is that of the migration.
///
/// Rows of `log_days` are derived from the log by the first function, and only there: the coordinator's write stays as it is, and an
/// absent row costs time, never correctness. A reader of events after number n uses the newest day whose `first_seq` is at most n + 1.
enum InitialFunctions {
    static func statements(_ schema: SchemaName) -> [Statement] {
        [
            Statement(create, name: "create_function_create_log_partitions"),
            Statement(drop, name: "create_function_drop_log_partitions"),
            Statement("REVOKE ALL ON FUNCTION \(signatures) FROM PUBLIC", name: "revoke_functions"),
            Statement(
                "GRANT EXECUTE ON FUNCTION \(signatures) TO \(SQLIdentifier.quote(schema.node))",
                name: "grant_functions"
            ),
        ]
    }

    private static let signatures = "create_log_partitions(integer), drop_log_partitions(integer)"

    /// A table is attached, and not created as a partition: readers and writers of the log do not wait.
    private static let create = """
        CREATE FUNCTION create_log_partitions(days integer) RETURNS integer
        LANGUAGE plpgsql SECURITY DEFINER
        SET search_path FROM CURRENT
        SET lock_timeout = '100ms'
        AS $body$
        DECLARE
            first_day date;
            partition_day date;
            partition_name text;
            existing text[];
            days_ahead integer;
        BEGIN
            IF days IS NULL OR days NOT BETWEEN 0 AND 60 THEN
                RAISE EXCEPTION 'days is %, not 0 to 60', days USING ERRCODE = 'invalid_parameter_value';
            END IF;
            -- The log's day does not go back with the clock.
            SELECT greatest(h.day, (clock_timestamp() AT TIME ZONE 'UTC')::date) INTO STRICT first_day FROM log_head h;
            -- Another call would create the same tables.
            LOCK TABLE ONLY log IN SHARE UPDATE EXCLUSIVE MODE;
            existing := ARRAY(
                SELECT c.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
                WHERE i.inhparent = 'log'::regclass);
            FOR n IN 0..days LOOP
                partition_day := first_day + n;
                partition_name := 'log_' || to_char(partition_day, 'YYYYMMDD');
                CONTINUE WHEN partition_name = ANY (existing);
                EXECUTE format('CREATE TABLE %I (LIKE log INCLUDING ALL)', partition_name);
                EXECUTE format('ALTER TABLE log ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', partition_name,
                    to_char(partition_day, 'YYYY-MM-DD'), to_char(partition_day + 1, 'YYYY-MM-DD'));
                existing := existing || partition_name;
            END LOOP;
            SELECT coalesce(min(n), 62) - 1 INTO days_ahead FROM generate_series(0, 61) n
            WHERE 'log_' || to_char(first_day + n, 'YYYYMMDD') <> ALL (existing);
            INSERT INTO log_days (day, first_seq)
            SELECT w.day, f.first_seq
            FROM (SELECT first_day - n AS day FROM generate_series(0, 400) n) w
            CROSS JOIN LATERAL (SELECT min(l.seq) AS first_seq FROM log l WHERE l.day = w.day) f
            WHERE w.day > coalesce((SELECT max(d.day) FROM log_days d), '-infinity') AND f.first_seq IS NOT NULL
            ON CONFLICT DO NOTHING;
            RETURN days_ahead;
        END
        $body$
        """

    /// The lock on the log ends all reads and writes for a moment; `lock_timeout` bounds how long they queue behind the attempt.
    private static let drop = """
        CREATE FUNCTION drop_log_partitions(days integer) RETURNS integer
        LANGUAGE plpgsql SECURITY DEFINER
        SET search_path FROM CURRENT
        SET lock_timeout = '100ms'
        AS $body$
        DECLARE
            oldest_name text;
            partition_name text;
            dropped integer := 0;
        BEGIN
            IF days IS NULL OR days NOT BETWEEN 1 AND 36500 THEN
                RAISE EXCEPTION 'days is %, not 1 to 36500', days USING ERRCODE = 'invalid_parameter_value';
            END IF;
            -- A clock that jumps ahead does not age the log before the next event.
            SELECT 'log_' || to_char(least(h.day, (clock_timestamp() AT TIME ZONE 'UTC')::date) - days, 'YYYYMMDD')
            INTO STRICT oldest_name FROM log_head h;
            FOR attempt IN 1..10 LOOP
                SELECT min(c.relname::text) INTO partition_name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
                WHERE i.inhparent = 'log'::regclass AND c.relnamespace = current_schema()::regnamespace
                    AND c.relname ~ '^log_[0-9]{8}$' AND c.relname::text < oldest_name;
                EXIT WHEN partition_name IS NULL;
                IF attempt = 1 THEN
                    LOCK TABLE ONLY log IN ACCESS EXCLUSIVE MODE;
                END IF;
                EXECUTE format('DROP TABLE IF EXISTS %I', partition_name);
                DELETE FROM log_days d WHERE 'log_' || to_char(d.day, 'YYYYMMDD') = partition_name;
                dropped := dropped + 1;
            END LOOP;
            RETURN dropped;
        END
        $body$
        """
}
