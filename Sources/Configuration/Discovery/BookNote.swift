// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A line for the log.
package struct BookNote: Sendable, Hashable {
    /// How much it matters; the words are those of logs.
    package enum Level: String, Sendable, Hashable {
        case info, warning, error
    }

    /// How much it matters.
    package let level: Level
    /// What happened, and what to do about it.
    package let text: String

    /// Creates a line.
    package init(_ level: Level, _ text: String) {
        self.level = level
        self.text = text
    }
}
