// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// One header field; names compare without regard to case.
package struct HTTPHeader: Sendable, Hashable {
    /// The field's name.
    package let name: String
    /// The field's value, free of control characters.
    package let value: String

    /// Creates a field.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
