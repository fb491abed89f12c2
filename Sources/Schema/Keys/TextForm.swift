// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// A form of text that a key can have: how it is read, and its description for people and editors.
///
/// Forms are static members, declared in the module of the type that they are read to.
package struct TextForm: Sendable {
    /// The description of a form for people and editors.
    package struct Description: Sendable {
        /// The expected text, in words, for a diagnostic: `an IP address`.
        package let words: String
        /// The allowed texts, in words, with bounds.
        package let bounds: String
        /// A regular expression that matches every text of the form that is written without a variable. It is no
        /// narrower than the function that reads the form, and wider where only a program can check.
        package let expression: String
        /// A text of the form, in YAML.
        package let example: String
        /// A common mistake that is not of the form, in YAML.
        package let counterexample: String
        /// Whether YAML may read a text of the form as a number or a boolean, which makes no difference to reachd.
        package let mayLookLikeAnother: Bool

        /// Describes a form.
        package init(
            words: String,
            bounds: String,
            expression: String,
            example: String,
            counterexample: String,
            mayLookLikeAnother: Bool = false
        ) {
            self.words = words
            self.bounds = bounds
            self.expression = expression
            self.example = example
            self.counterexample = counterexample
            self.mayLookLikeAnother = mayLookLikeAnother
        }
    }

    /// The description for people and editors.
    package let description: Description
    /// The maximum number of bytes; nil if the function that reads it has its own limit.
    private let limit: Int?
    private let takesLines: Bool
    private let namesFile: @Sendable (String) -> Bool
    private let reading: @Sendable (String) throws(Diagnostic) -> ValidatedValue

    /// Declares a form.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of bytes.
    ///   - takesLines: whether a text may have control characters, including line ends.
    ///   - namesFile: whether a text of the form is the name of a file, which HTTP clients may not name.
    ///   - reading: reads a text that is not empty and within the limit.
    package init(
        _ description: Description,
        limit: Int? = nil,
        takesLines: Bool = false,
        namesFile: @escaping @Sendable (String) -> Bool = { _ in false },
        _ reading: @escaping @Sendable (String) throws(Diagnostic) -> ValidatedValue
    ) {
        self.description = description
        self.limit = limit
        self.takesLines = takesLines
        self.namesFile = namesFile
        self.reading = reading
    }

    /// Whether a text of the form is the name of a file.
    package func isFile(_ text: String) -> Bool { namesFile(text) }

    /// Reads a text of the form.
    package func read(_ text: String) throws(Diagnostic) -> ValidatedValue {
        guard !text.isEmpty else { throw Diagnostic("is empty", hint: "write a value or remove the key") }
        if !takesLines, !text.unicodeScalars.allSatisfy(DisplayText.isAllowedInLine) {
            throw Diagnostic("has control characters")
        }
        if let limit, text.utf8.count > limit { throw Diagnostic("is longer than \(limit) bytes") }
        return try reading(text)
    }
}
