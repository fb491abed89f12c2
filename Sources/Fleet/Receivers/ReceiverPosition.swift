// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import PostgreSQL

/// Where a receiver is to be continued.
package struct ReceiverPosition: Sendable, Hashable {
    /// The log's last number up to which the receiver needs nothing more.
    package let consumed: UInt64
    /// The same in the form of the notifier that stored it; nil when none has.
    package let progress: String?
    /// How ``progress`` changed since it was stored; nil: not.
    package let changes: String?
    /// The run of the log.
    package let epoch: String
    /// The number of the log's newest event.
    package let newest: UInt64

    /// Creates a position.
    package init(
        consumed: UInt64,
        progress: String?,
        changes: String? = nil,
        epoch: String,
        newest: UInt64
    ) {
        self.consumed = consumed
        self.progress = progress
        self.changes = changes
        self.epoch = epoch
        self.newest = newest
    }

    /// Reads the row of ``ReceiverStatements/position``.
    init(_ rows: DatabaseRows) throws(DatabaseError) {
        self.init(
            consumed: UInt64(clamping: try rows.count(0, 0)),
            progress: try rows.optionalText(0, 1),
            changes: try rows.optionalText(0, 4),
            epoch: try rows.shortText(0, 2),
            newest: UInt64(clamping: try rows.count(0, 3))
        )
    }
}

/// An offset to store.
package struct ReceiverProgress: Sendable, Hashable {
    /// The receiver, with the token under which it is served.
    package let grant: ReceiverGrant
    /// The log's last number up to which the receiver needs nothing more.
    package let consumed: UInt64
    /// The same in the notifier's own form; nil: as it is stored, but for ``changes``.
    package let progress: String?
    /// How the stored form changed since it was stored; nil: not.
    package let changes: String?

    /// Creates an offset.
    package init(_ grant: ReceiverGrant, consumed: UInt64, progress: String?, changes: String? = nil) {
        self.grant = grant
        self.consumed = consumed
        self.progress = progress
        self.changes = changes
    }
}
