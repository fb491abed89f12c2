// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Schema

/// A YAML text that is no YAML, or more of it than is taken.
package struct YAMLError: Error, Sendable, Hashable {
    /// What was wrong; raw values are stable.
    package enum Code: String, Sendable, Hashable {
        /// The text breaks YAML's grammar, or is not UTF-8.
        case syntax
        /// An alias names an anchor that was not there before it.
        case unknownAnchor = "unknown_anchor"
        /// Lists and mappings are nested too deeply.
        case tooDeep = "too_deep"
        /// There are too many values, after aliases are replaced by what they stand for.
        case tooLarge = "too_large"
        /// The text holds a second document.
        case severalDocuments = "several_documents"
        /// There was no memory for the parser.
        case noMemory = "no_memory"
    }

    /// What was wrong.
    package let code: Code
    /// Where.
    package let position: YAMLPosition
    /// In words.
    package let message: String

    /// Creates an error.
    package init(_ code: Code, at position: YAMLPosition, _ message: String) {
        self.code = code
        self.position = position
        self.message = message
    }
}
