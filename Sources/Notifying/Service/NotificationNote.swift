// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Something that an operator should read in the service's log; without secrets.
public struct NotificationNote: Sendable, Hashable {
    /// How bad it is.
    public enum Level: Sendable, Hashable {
        /// Good to know.
        case info
        /// Something is not as it should be.
        case warning
        /// Something is lost.
        case error
    }

    /// How bad it is.
    public let level: Level
    /// What happened.
    public let text: String
    /// What it is about.
    public let facts: [String: String]
}
