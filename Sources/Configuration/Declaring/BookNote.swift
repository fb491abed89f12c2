// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A line for the log.
public struct BookNote: Sendable, Hashable {
    /// How much it matters; the words are those of logs.
    public enum Level: String, Sendable, Hashable {
        case info, warning, error
    }

    /// How much it matters.
    public let level: Level
    /// What happened, and what to do about it.
    public let text: String

    init(_ level: Level, _ text: String) {
        self.level = level
        self.text = text
    }
}
