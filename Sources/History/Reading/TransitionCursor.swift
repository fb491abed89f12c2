// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Where a list of changes goes on: before the event with a number, in one log.
package struct TransitionCursor: Sendable, Hashable {
    /// The log's identity.
    package let log: String
    /// The number.
    package let sequence: UInt64

    /// Creates a cursor.
    package init(log: String, sequence: UInt64) {
        self.log = log
        self.sequence = sequence
    }

    /// Reads what ``text`` wrote; nil for anything else.
    package init?(parsing text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...32).contains(parts[0].utf8.count), (1...16).contains(parts[1].utf8.count),
            let sequence = UInt64(parts[1], radix: 16), sequence > 0
        else { return nil }
        self.init(log: String(parts[0]), sequence: sequence)
    }

    /// As text, which only this type reads.
    package var text: String { "\(log).\(String(sequence, radix: 16))" }
}
