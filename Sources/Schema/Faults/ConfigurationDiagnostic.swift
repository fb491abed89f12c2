// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// One fault of a configuration, with its position.
package struct ConfigurationDiagnostic: Error, Sendable, Hashable {
    /// The kind of fault; raw values are stable, for programs.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// The file cannot be read.
        case unreadable
        /// The file is too large, or has too many values.
        case tooLarge = "too_large"
        /// The text is not YAML, or not UTF-8.
        case syntax
        /// Lists and mappings are nested too deeply.
        case tooDeep = "too_deep"
        /// An alias without its anchor.
        case unknownAnchor = "unknown_anchor"
        /// More than one document in the file.
        case severalDocuments = "several_documents"
        /// An explicit YAML tag such as `!!binary`.
        case tag
        /// A key that is unknown in its mapping.
        case unknownKey = "unknown_key"
        /// A key that occurs twice in the same mapping.
        case duplicateKey = "duplicate_key"
        /// A required key that is absent.
        case missingKey = "missing_key"
        /// A list instead of text, text instead of a number, and the like.
        case wrongType = "wrong_type"
        /// The right type with an invalid value.
        case invalidValue = "invalid_value"
        /// A number, a size or a duration out of bounds.
        case outOfRange = "out_of_range"
        /// A duration without a unit.
        case missingUnit = "missing_unit"
        /// Two keys or values that exclude each other.
        case conflict
        /// Two targets with the same id.
        case duplicateID = "duplicate_id"
        /// A value that occurs twice in a list of different values.
        case duplicateValue = "duplicate_value"
        /// A target that clients may not name.
        case targetDenied = "target_denied"
        /// `${NAME}` of a variable that is not set and has no default.
        case unsetVariable = "unset_variable"
        /// `${` that is not a reference.
        case badReference = "bad_reference"
        /// An unknown `REACHD_` environment variable.
        case unknownVariable = "unknown_variable"
        /// There are more faults than are listed.
        case tooManyFaults = "too_many_faults"
    }

    /// The source of a faulty value.
    package enum Place: Sendable, Hashable {
        /// A file; lines and columns are counted from one, columns in code points; nil for the file as a whole.
        case file(String, YAMLPosition?)
        /// An environment variable.
        case environment(String)
        /// A command line option.
        case option(String)
        /// An object that discovery found, in words: `ingress default/web`.
        case source(String)
    }

    /// The kind of fault.
    package let code: Code
    /// The source of the value.
    package let place: Place
    /// The value's position in the configuration as a JSON Pointer (RFC 6901), empty for the whole.
    package let pointer: String
    /// The message, without the value of any variable.
    package let words: String
    /// What to do about it, if known.
    package let hint: String?

    /// Creates a diagnostic.
    package init(_ code: Code, at place: Place, pointer: String = "", _ words: String, hint: String? = nil) {
        self.code = code
        self.place = place
        self.pointer = pointer
        self.words = words
        self.hint = hint
    }
}

extension ConfigurationDiagnostic: CustomStringConvertible {
    /// `file:line:column: words; hint [code]`, the form that editors and compilers use.
    package var description: String {
        "\(place): \(words)\(hint.map { "; \($0)" } ?? "") [\(code.rawValue)]"
    }
}

extension ConfigurationDiagnostic.Place: CustomStringConvertible {
    /// `file:line:column`, the name of the variable, of the option or of the object.
    package var description: String {
        switch self {
        case .file(let path, let position?): "\(path):\(position.line):\(position.column)"
        case .file(let path, nil): path
        case .environment(let name): "environment variable \(name)"
        case .option(let name): "option \(name)"
        case .source(let object): object
        }
    }
}

extension ConfigurationDiagnostic.Place {
    /// The place in words, for a message at another one: `on line 4` of the same file, else `in FILE:4`; nil for none of a file.
    package func words(seenFrom other: Self) -> String? {
        guard case .file(let path, let position?) = self else { return nil }
        if case .file(path, _) = other { return "on line \(position.line)" }
        return "in \(path):\(position.line)"
    }
}

/// A position in a YAML text, as editors count: both numbers start at one, columns are code points.
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
