// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Why a maintenance window was refused; raw values are stable codes.
package enum MaintenanceWindowError: String, Error, Sendable, Hashable, CaseIterable {
    /// The end is not after the start.
    case emptyPeriod = "empty_period"
    /// No weekday was named.
    case noWeekday = "no_weekday"
    /// The start is not a minute of a day.
    case startMinute = "start_minute"
    /// The duration is not between a minute and a week.
    case duration
    /// The offset is not one that a place on earth has.
    case utcOffset = "utc_offset"
}
