// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Why a text is not a URL that probes use.
public struct HTTPURLError: Error, Sendable, Hashable {
    /// One line for people.
    public let message: String
}

extension HTTPURLError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
