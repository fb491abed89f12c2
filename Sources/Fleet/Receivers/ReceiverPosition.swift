// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring
internal import PostgreSQL

/// Where a receiver is to be continued.
package struct ReceiverPosition: Sendable, Hashable {
    /// The log's last number up to which the receiver needs nothing more.
    package let consumed: UInt64
    /// The same in the form of the notifier that stored it; nil when none has.
    package let progress: String?
    /// How ``progress`` changed since it was stored; nil: not.
    package let changes: String?
    /// Open problems that nodes notified the receiver of while they were cut off.
    package let carried: [CarriedProblem]
    /// The event behind which the newest of them were added; 0 for none.
    package let returned: UInt64
    /// The run of the log.
    package let epoch: String
    /// The number of the log's newest event.
    package let newest: UInt64

    /// Creates a position.
    package init(
        consumed: UInt64,
        progress: String?,
        changes: String? = nil,
        carried: [CarriedProblem] = [],
        returned: UInt64 = 0,
        epoch: String,
        newest: UInt64
    ) {
        self.consumed = consumed
        self.progress = progress
        self.changes = changes
        self.carried = carried
        self.returned = returned
        self.epoch = epoch
        self.newest = newest
    }

    /// Reads the row of ``ReceiverStatements/position``.
    init(_ rows: DatabaseRows, receiver: String) throws(DatabaseError) {
        self.init(
            consumed: UInt64(clamping: try rows.count(0, 0)),
            progress: try rows.optionalText(0, 1),
            changes: try rows.optionalText(0, 4),
            carried: try rows.texts(0, 5).compactMap { text in
                text.flatMap { CarriedProblem(stored: $0, receiver: receiver) }
            },
            returned: UInt64(clamping: try rows.count(0, 6)),
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

/// An open problem that a node notified a receiver of while it was cut off: whichever node serves the receiver reports its end.
package struct CarriedProblem: Sendable, Hashable {
    /// The receiver's name.
    package let receiver: String
    /// The target's id.
    package let target: String
    /// The state that the receiver was notified of.
    package let state: TargetState

    /// Creates a problem.
    package init(receiver: String, target: String, state: TargetState) {
        self.receiver = receiver
        self.target = target
        self.state = state
    }

    /// The form in `receivers.carried`.
    var stored: String { "\(state.rawValue) \(StorableText.text(target))" }

    /// Reads an element; nil for one that makes no sense.
    init?(stored: String, receiver: String) {
        let parts = stored.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, let state = TargetState(rawValue: String(parts[0])), !parts[1].isEmpty else {
            return nil
        }
        self.init(receiver: receiver, target: String(parts[1]), state: state)
    }
}
