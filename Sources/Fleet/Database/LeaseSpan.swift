// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How far ahead the end of a lease can be.
///
/// An end that is farther ahead was stored before the database's clock was set back. It counts as past: otherwise a node that ended
/// before that would be live, or the coordinator, until the clock reaches that time again.
enum LeaseSpan {
    /// More than every lease that a document can set, so that a shorter lease takes nothing from those that were renewed before.
    private static let shortest = Duration.seconds(60)

    /// Whether a lease has not ended.
    ///
    /// - Parameters:
    ///   - end: when it ends.
    ///   - now: the present time.
    ///   - lease: the present length of leases.
    static func isValid(until end: Duration, at now: Duration, lease: Duration) -> Bool {
        end > now && end - now <= max(shortest, lease * 2)
    }

    /// An expression for the end of a lease, 0 for one that is too far ahead. The parameters are expressions in microseconds.
    static func end(_ until: String, now: String, lease: String) -> String {
        "CASE WHEN \(until) > \(now) + greatest(\(shortest.microseconds), 2 * \(lease)) THEN 0 ELSE \(until) END"
    }
}
