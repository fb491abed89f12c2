// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring

/// The clock of the fleet's statements.
enum DatabaseClock {
    /// The database's time in microseconds since the Unix epoch; later for each call within a statement.
    static let now = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"

    /// An expression for an instant as events have it, in UTC with milliseconds.
    static func text(_ microseconds: String) -> String {
        "to_char(to_timestamp(\(microseconds) / 1000000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"
    }
}

/// Instants and lengths of time as the database stores them: whole microseconds, instants since the Unix epoch by its own clock.
extension Duration {
    /// Creates a duration from the database's form.
    package init(microseconds: Int64) {
        self = .microseconds(microseconds)
    }

    /// The database's form, rounded down; what does not fit is the closest that does.
    package var microseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000)
        guard !isTooLong else { return seconds < 0 ? .min : .max }
        let rest = attoseconds / 1_000_000_000_000
        let down = attoseconds < 0 && attoseconds % 1_000_000_000_000 != 0 ? rest - 1 : rest
        let (sum, overflow) = whole.addingReportingOverflow(down)
        return overflow ? (seconds < 0 ? .min : .max) : sum
    }
}

extension Timestamp {
    /// An instant of the database, rounded down to milliseconds.
    package init(_ instant: Duration) {
        let microseconds = instant.microseconds
        let down = microseconds < 0 && microseconds % 1000 != 0 ? 1 : Int64(0)
        self.init(milliseconds: microseconds / 1000 - down)
    }
}
