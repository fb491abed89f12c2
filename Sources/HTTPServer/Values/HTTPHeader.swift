// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// One header field; names compare without regard to case.
public struct HTTPHeader: Sendable, Hashable {
    /// The field's name.
    public let name: String
    /// The field's value, free of control characters.
    public let value: String

    /// Creates a field.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
