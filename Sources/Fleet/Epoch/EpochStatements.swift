// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import PostgreSQL

/// The statements about the epoch of the fleet's log. Each is one transaction.
enum EpochStatements {
    /// Greater numbers are never reached: JSON does not have them exactly.
    private static let numberLimit: Int64 = 1 << 53

    /// The epoch, the stored origin of the log, the present one, how long ago the coordinator's lease ended, and the greatest number
    /// above the newest event that another program gave to an event; NULL for none.
    ///
    /// An ordinary role cannot see the standbys themselves. With names of synchronous standbys, and commits that await them, each
    /// commit proves that one has it.
    static let origin = Statement(
        """
        SELECT h.epoch, h.server, h.timeline, h.durable,
          (SELECT system_identifier::text FROM pg_control_system()), left(pg_walfile_name(pg_current_wal_lsn()), 8),
          current_setting('synchronous_standby_names') <> '' AND current_setting('synchronous_commit') IN ('on', 'remote_apply'),
          greatest(\(DatabaseClock.now) - h.until, 0),
          (SELECT max(l.seq) FROM log l WHERE l.day >= h.day AND l.seq > h.seq AND l.seq < \(numberLimit))
        FROM log_head h
        """,
        name: "log_origin"
    )

    /// Records the origin under the coordinator's guard: `$1` name, `$2` incarnation, `$3` token, `$4` server, `$5` timeline, `$6`
    /// durable. Returns the database's time, or no row when another node is the coordinator.
    static let record = Statement(
        """
        UPDATE log_head SET server = $4::text, timeline = $5::text, durable = $6::boolean
        WHERE coordinator = $1::text AND incarnation = $2::bigint AND token = $3::bigint RETURNING \(DatabaseClock.now)
        """,
        name: "record_origin"
    )

    /// Begins an epoch, unless another node has: `$1` the epoch that ends, `$2` the new one, `$3` server, `$4` timeline, `$5` durable,
    /// `$6` a number that is taken; an unknown origin is recorded by the coordinator. Returns the number of the newest event, or no row when the log is of another
    /// epoch by now.
    ///
    /// Numbers that data was lost of must not be given again: nodes compare them, and know no epoch. The clock is ahead of all of them,
    /// since each counts less than a million changes a second.
    static let begin = Statement(
        """
        WITH t AS MATERIALIZED (SELECT \(DatabaseClock.now) AS now)
        UPDATE log_head SET epoch = $2::text, server = $3::text, timeline = $4::text, durable = $5::boolean,
          assignment = greatest(assignment + 1, t.now), declared = greatest(declared + 1, t.now),
          settings_version = greatest(settings_version + 1, t.now), disputes = greatest(disputes + 1, t.now),
          seq = greatest(seq, $6::bigint), stamp = CASE WHEN seq < $6::bigint THEN coalesce(
            (SELECT l.stamp FROM log l WHERE l.day >= log_head.day AND l.seq = $6::bigint ORDER BY l.day LIMIT 1), stamp)
            ELSE stamp END
        FROM t WHERE epoch = $1::text RETURNING seq, \(FleetChannel.log.notify("seq::text"))
        """,
        name: "begin_epoch"
    )

    /// The values of `$1` to `$6` of ``begin``.
    static func beginning(
        after epoch: String,
        as new: String,
        at origin: LogOrigin = LogOrigin(),
        above number: Int64 = 0
    ) -> [DatabaseValue] {
        [.text(epoch), .text(new)] + origin.values + [.integer(number)]
    }
}
