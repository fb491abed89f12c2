// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Something that an operator should read in the service's log; without secrets.
package struct NotificationNote: Sendable, Hashable {
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
    /// What it is about.
    package let facts: [String: String]
}
