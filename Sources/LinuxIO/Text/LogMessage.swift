// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A message for the program's log, from a library that has no logger of its own.
package struct LogMessage: Sendable, Hashable {
    /// The severity.
    package enum Level: Sendable, Hashable {
        /// A normal event that an operator may want to know.
        case info
        /// A fault that was worked around.
        case warning
        /// A fault by which data or a function is lost.
        case error
    }

    /// The severity.
    package let level: Level
    /// What happened, and what to do about it.
    package let text: String
    /// Structured fields of the log entry, by name; no secrets.
    package let facts: [String: String]

    /// Creates a message.
    package init(_ level: Level, _ text: String, facts: [String: String] = [:]) {
        self.level = level
        self.text = text
        self.facts = facts
    }
}
