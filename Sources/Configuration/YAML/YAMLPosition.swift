// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A place in a YAML text, as editors count: both numbers start at one, columns are code points.
public struct YAMLPosition: Sendable, Hashable {
    /// The line.
    public let line: Int
    /// The column.
    public let column: Int

    /// Creates a position.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The beginning of the text.
    public static let start = YAMLPosition(line: 1, column: 1)
}
