// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The number of a report: a sequence number of the node's event log, and an index among the reports that belong to it.
///
/// The database stores it as one integer and ignores reports up to it. A node numbers its reports so that each has one number, however
/// often it is sent, and later ones have higher numbers:
///
/// - index 0: the local event itself;
/// - from 1: pages of all states as of that event, which are not complete;
/// - from ``firstComplete``: the last of the states, and confirmations that follow the event.
package struct LocalPosition: Sendable, Hashable, Comparable {
    /// The sequence number in the node's log.
    package let sequence: UInt64
    /// The index.
    package let index: UInt64

    static let indexBits: UInt64 = 24
    static let lastIndex: UInt64 = 1 << indexBits - 1
    static let firstComplete: UInt64 = 1 << (indexBits - 1)
    static let lastSequence: UInt64 = 1 << (63 - indexBits) - 1

    /// Before all reports.
    static let zero = LocalPosition(sequence: 0, index: 0)

    /// Creates a position; values beyond the limits become the limits.
    init(sequence: UInt64, index: UInt64) {
        self.sequence = min(sequence, Self.lastSequence)
        self.index = min(index, Self.lastIndex)
    }

    /// Reads the stored form; nil for a negative number.
    init?(stored: Int64) {
        guard stored >= 0 else { return nil }
        self.init(sequence: UInt64(stored) >> Self.indexBits, index: UInt64(stored) & Self.lastIndex)
    }

    /// The stored form.
    var stored: Int64 { Int64(sequence << Self.indexBits | index) }

    /// Whether a list of all states was reported only in part.
    var isPartial: Bool { 1..<Self.firstComplete ~= index }

    /// Orders positions as they are reported.
    package static func < (left: LocalPosition, right: LocalPosition) -> Bool {
        (left.sequence, left.index) < (right.sequence, right.index)
    }
}
