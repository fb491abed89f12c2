// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Something that an operator should read in the service's log.
package struct HistoryNote: Sendable, Hashable {
    /// How bad it is.
    package enum Level: Sendable, Hashable {
        /// Good to know.
        case info
        /// Something is not as it should be.
        case warning
        /// Something is lost.
        case error
    }

    /// How bad it is.
    package let level: Level
    /// What happened.
    package let text: String

    init(_ level: Level, _ text: String) {
        self.level = level
        self.text = text
    }
}
