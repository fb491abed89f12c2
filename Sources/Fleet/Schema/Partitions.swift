// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import PostgreSQL

/// The statements that maintain the log's daily partitions; each is a function that runs as the owner.
///
/// Both fail with `lock_timeout` instead of waiting longer than 100 ms; try again later.
package enum LogPartitions {
    /// Creates partitions for today and `$1` following days, 0 to 60, and records the first numbers of past days in `log_days`. Returns
    /// one row with the number of days ahead, without a gap, for which partitions exist. It does not make readers or writers wait.
    package static let create = Statement("SELECT create_log_partitions($1)", name: "create_log_partitions")

    /// Drops partitions that are older than `$1` days, 1 to 36500, at most ``dropLimit`` of them with each call. Returns one row with
    /// the number of dropped ones; call it again when that is the limit.
    package static let drop = Statement("SELECT drop_log_partitions($1)", name: "drop_log_partitions")

    /// How many days ahead partitions should exist.
    package static let daysAhead = 7
    /// The greatest number of partitions that one call drops.
    package static let dropLimit = 10
}

/// The same for the monthly partitions of `rollups`.
package enum RollupPartitions {
    /// Creates partitions for the month before the present one, for that and `$1` following ones, 0 to 24. Returns one row with the number
    /// of created ones.
    package static let create = Statement("SELECT create_rollup_partitions($1)", name: "create_rollup_partitions")

    /// Drops partitions of months that ended more than `$1` days ago, 1 to 36500, at most ``LogPartitions/dropLimit`` of them with each
    /// call, and none of the last two months. Returns one row with the number of dropped ones.
    package static let drop = Statement("SELECT drop_rollup_partitions($1)", name: "drop_rollup_partitions")

    /// How many months ahead partitions should exist.
    package static let monthsAhead = 2
}
