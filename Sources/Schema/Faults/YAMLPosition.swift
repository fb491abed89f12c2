// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A place in a YAML text, as editors count: both numbers start at one, columns are code points.
package struct YAMLPosition: Sendable, Hashable {
    /// The line.
    package let line: Int
    /// The column.
    package let column: Int

    /// Creates a position.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The beginning of the text.
    package static let start = YAMLPosition(line: 1, column: 1)
}
