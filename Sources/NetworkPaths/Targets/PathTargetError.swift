// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A text that names no target.
public struct PathTargetError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, and what would be right.
    public let message: String

    /// Creates an error.
    public init(message: String) {
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
