// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// A fault of a text by itself; the reader adds the position and the text.
package struct Diagnostic: Error {
    package let code: ConfigurationDiagnostic.Code
    /// Follows the text in quotes: `is not a host name`.
    package let words: String
    package private(set) var hint: String?
    /// Whether the text may contain a secret, so that it is not quoted.
    package private(set) var hidesText = false

    package init(_ code: ConfigurationDiagnostic.Code, _ words: String, hint: String? = nil) {
        self.code = code
        self.words = words
        self.hint = hint
    }

    /// The same without its hint.
    package var withoutHint: Diagnostic {
        var diagnostic = self
        diagnostic.hint = nil
        return diagnostic
    }

    /// The same for a text that may contain a secret.
    package var hidingText: Diagnostic {
        var diagnostic = self
        diagnostic.hidesText = true
        return diagnostic
    }

    package init(_ words: String, hint: String? = nil) {
        self.init(.invalidValue, words, hint: hint)
    }
}

/// The diagnostics of one mapping, such as a target.
package struct MappingDiagnostics {
    package let object: ValidatedMapping
    package private(set) var diagnostics: [ConfigurationDiagnostic] = []
    private let pointer: String

    /// - Parameter pointer: the mapping's position in the configuration, a JSON Pointer (RFC 6901).
    package init(object: ValidatedMapping, at pointer: String) {
        self.object = object
        self.pointer = pointer
    }

    /// - Parameter key: the key, nil for the mapping.
    package mutating func add(
        _ code: ConfigurationDiagnostic.Code,
        at key: String?,
        _ words: String,
        hint: String? = nil
    ) {
        diagnostics.append(
            ConfigurationDiagnostic(
                code,
                at: key.map(object.place(of:)) ?? object.place,
                pointer: pointer + (key.map { "/\($0)" } ?? ""),
                words,
                hint: hint
            )
        )
    }

    /// - Parameters:
    ///   - sections: the mapping in this one, and those in it, that hold the key.
    ///   - key: the key.
    package mutating func add(
        _ code: ConfigurationDiagnostic.Code,
        in sections: String...,
        at key: String,
        _ words: String,
        hint: String? = nil
    ) {
        let section = sections.reduce(object) { $0.object($1) ?? $0 }
        let pointer = (sections + [key]).joined(separator: "/")
        add(code, at: section.place(of: key), pointer: pointer, words, hint: hint)
    }

    /// - Parameter pointer: the position in the mapping.
    package mutating func add(
        _ code: ConfigurationDiagnostic.Code,
        at place: ConfigurationDiagnostic.Place,
        pointer: String,
        _ words: String,
        hint: String? = nil
    ) {
        diagnostics.append(
            ConfigurationDiagnostic(code, at: place, pointer: "\(self.pointer)/\(pointer)", words, hint: hint)
        )
    }

    /// Adds a diagnostic for each key that is not allowed here.
    package mutating func refuse(_ keys: [String], _ why: String) {
        for key in keys {
            add(.conflict, at: key, "\(key) is not allowed here: \(why)", hint: "remove it")
        }
    }
}

extension String {
    /// The text as a diagnostic may repeat it: shortened, in quotes, and without control characters that would reach a
    /// terminal.
    package var quoted: String {
        var shown = "'"
        var count = 0
        for scalar in unicodeScalars {
            if count == 60 {
                shown += "…"
                break
            }
            count += 1
            if DisplayText.isPrintable(scalar) {
                shown.unicodeScalars.append(scalar)
            } else {
                shown += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return shown + "'"
    }
}
