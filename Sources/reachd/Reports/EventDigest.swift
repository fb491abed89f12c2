// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON

/// Makes few lines of many events: what one cause did is one line.
protocol EventDigest {
    /// Takes an event.
    ///
    /// - Parameter now: Nanoseconds of a clock that is never set.
    /// - Returns: The lines to print.
    mutating func take(_ type: String, _ data: JSONValue, now: UInt64) -> [String]

    /// Returns the lines whose time has come.
    ///
    /// - Parameter now: As above; the maximum for all that was gathered.
    mutating func settle(now: UInt64) -> [String]
}
