// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Why a text is not a path.
public struct JSONPathError: Error, Sendable, Hashable {
    /// One line for people.
    public let message: String
}

extension JSONPathError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
