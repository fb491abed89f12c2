// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import PostgreSQL

/// What the database returns for the renewal of a lease: the state that every node needs to know.
///
/// Instants are durations since the Unix epoch by the database's clock.
package struct LeaseAnswer: Sendable, Hashable {
    /// The database's time.
    package let now: Duration
    /// The stored position up to which this node's reports were received.
    let reported: LocalPosition
    /// Whether an operator drains the node.
    package let isDraining: Bool
    /// The fleet's identity, which no restore of a backup changes.
    package let identity: String
    /// The epoch of the fleet's log.
    package let epoch: String
    /// The newest sequence number of the fleet's log.
    package let sequence: Int64
    /// The stamp of the statement that wrote it.
    package let stamp: Int64
    /// The version of the assignments.
    package let assignment: Int64
    /// The version of the declarations.
    package let declared: Int64
    /// The version of the fleet's settings.
    package let settingsVersion: Int64
    /// The coordinator's token.
    package let coordinatorToken: Int64
    /// The coordinator; nil before the first one.
    package let coordinator: NodeIdentity?
    /// Whether the coordinator's lease has ended.
    package let isVacant: Bool
    /// The number of the newest disagreement about a target.
    let disputes: Int64
    /// The receivers of notifications that this node serves.
    package let receivers: [ReceiverGrant]
    /// The number of the newest command; 0 for none.
    let newestCommand: Int64
    /// Whether commits await a standby, as the coordinator found it last.
    package let isDurable: Bool

    /// Reads the row of ``MembershipStatements/renew``.
    ///
    /// - Returns: nil when there is no row: the node with this incarnation does not exist.
    /// - Throws: `unexpected_answer` when a value is out of its range or the result has another form.
    init?(_ rows: DatabaseRows) throws(DatabaseError) {
        guard rows.rowCount > 0 else { return nil }
        guard rows.rowCount == 1 else {
            throw DatabaseError(.unexpectedAnswer, "the renewal returned \(rows.rowCount) rows")
        }
        now = try rows.instant(0, 0)
        reported = try rows.position(0, 1)
        isDraining = try rows.bool(0, 2)
        identity = try rows.shortText(0, 3)
        epoch = try rows.shortText(0, 4)
        sequence = try rows.count(0, 5)
        stamp = try rows.integer(0, 6)
        assignment = try rows.count(0, 7)
        declared = try rows.count(0, 8)
        settingsVersion = try rows.count(0, 9)
        coordinatorToken = try rows.count(0, 10)
        if try rows.isNull(0, 11) {
            coordinator = nil
        } else {
            coordinator = NodeIdentity(name: try rows.text(0, 11), incarnation: try rows.count(0, 12))
        }
        isVacant = try rows.bool(0, 13)
        disputes = try rows.count(0, 14)
        receivers = try rows.texts(0, 15).compactMap { $0.flatMap(ReceiverGrant.init(stored:)) }
        newestCommand = try rows.count(0, 16)
        isDurable = try rows.bool(0, 17)
    }
}
