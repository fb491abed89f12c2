// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What is wrong with a text that should be JSON, and where.
package struct JSONError: Error, Sendable, Hashable {
    /// What was wrong; raw values are stable.
    package enum Code: String, Sendable, Hashable {
        /// The text breaks JSON's grammar, or what is read of it is invalid.
        case syntax
        /// Objects and arrays are nested too deeply.
        case tooDeep = "too_deep"
        /// There are too many values.
        case tooLarge = "too_large"
    }

    /// What was wrong.
    package let code: Code
    /// Where, in bytes from the beginning.
    package let offset: Int
    /// Where, from 1.
    package let line: Int
    /// Where in the line, in code points from 1.
    package let column: Int
    /// In words.
    package let message: String
}

/// What bounds the reading of a text.
package struct JSONLimits: Sendable, Hashable {
    /// How many objects and arrays may be open at once.
    package var depth: Int
    /// How many values are read; those that are skipped do not count.
    package var values: Int
    /// Whether line ends are errors: what is read is to be a line of a stream.
    package var isOneLine: Bool
    /// Whether texts that are skipped are checked as those that are read: for what is kept, and sent on as it is.
    package var checksSkipped: Bool

    /// Bounds of a text whose bytes are counted.
    package init(depth: Int = 128, values: Int = .max, isOneLine: Bool = false, checksSkipped: Bool = false) {
        self.depth = depth
        self.values = values
        self.isOneLine = isOneLine
        self.checksSkipped = checksSkipped
    }
}
