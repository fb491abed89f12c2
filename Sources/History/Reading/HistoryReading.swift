// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring

/// Reads what was kept of targets. May wait for the disk; any thread, one at a time.
package protocol HistoryReading: Sendable {
    /// How what is read is written. Waits for no disk.
    var rollupStatus: RollupStatus { get }

    /// Changes of a target's state.
    ///
    /// - Parameters:
    ///   - target: the target's id.
    ///   - query: which.
    /// - Returns: The page; nil when the query's cursor is of another log.
    func transitions(of target: String, _ query: TransitionQuery) throws(HistoryError) -> TransitionPage?

    /// What parts of a target's time came to.
    ///
    /// - Parameters:
    ///   - ordinal: the target's place in the registry.
    ///   - target: its id.
    ///   - ranges: in milliseconds since 1970, each from a minute to a minute; from an hour or a day where the smaller are not
    ///     kept any more.
    ///   - now: the time.
    func parts(
        of ordinal: UInt64,
        target: String,
        ranges: [Range<Int64>],
        now: Timestamp
    ) throws(HistoryError) -> [RollupBucket]

    /// What the time up to now came to.
    ///
    /// - Parameters:
    ///   - ordinal: the target's place in the registry.
    ///   - target: its id.
    ///   - lengths: how long each window is.
    ///   - now: the time.
    func windows(
        of ordinal: UInt64,
        target: String,
        lengths: [Duration],
        now: Timestamp
    ) throws(HistoryError) -> [HistoryWindow]
}
