// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Glibc
package import Schema

/// A regular expression over bytes, in the RE2 syntax of Go: `\d \w \s \b \A \z \x{…} \Q…\E`, `(?i)`, `(?:…)`,
/// `[[:word:]]` and all of POSIX. `.` is one byte other than a line end; `^` and `$` match at every line unless `(?-m)`
/// is set. Of Unicode's classes, general categories such as `\pL` are supported.
///
/// Not Swift's or PCRE's, because those backtrack: for some harmless-looking expressions a hostile peer can send a
/// kilobyte that blocks the loop for years. This one is a finite automaton that reads each byte once; back references,
/// which would prevent that, are rejected.
package struct ProbePattern: Sendable {
    /// The text of the expression.
    package let text: String
    private let compiled: CompiledPattern

    /// Compiles an expression of at most 4,096 bytes.
    ///
    /// - Throws: ``ProbePatternError`` with the problem.
    package init(_ text: String) throws(ProbePatternError) {
        self.text = text
        compiled = try CompiledPattern(try PatternTranslator(text).text)
    }

    /// The translation of an expression written for Go.
    package struct GoReading: Sendable, Hashable {
        /// The same expression, prefixed with `(?-m)` where `^` and `$` mean the start and end of the whole text.
        package let text: String
        /// Whether it repeats an anchor: `^+OK` matches `OK` at the start but not `+OK`, which is rarely intended.
        package let repeatsAnchor: Bool
    }

    /// Translates an expression written for Go.
    ///
    /// - Parameters:
    ///   - text: The expression.
    ///   - isMultiline: Whether the matched text can have several lines.
    /// - Throws: ``ProbePatternError`` that names the unsupported construct.
    package static func reading(
        ofGo text: String,
        isMultiline: Bool
    ) throws(ProbePatternError) -> GoReading {
        let translated = try PatternTranslator(text)
        let prefix = isMultiline && translated.hasDefaultAnchor ? "(?-m)" : ""
        _ = try ProbePattern(prefix + text)
        return GoReading(text: prefix + text, repeatsAnchor: translated.repeatsAnchor)
    }

    /// Returns whether the expression matches anywhere. Any thread.
    package func matches(_ bytes: [UInt8]) -> Bool { compiled.matches(bytes) }

    /// Returns whether the expression matches anywhere in a text's UTF-8. Any thread.
    package func matches(_ text: String) -> Bool { compiled.matches(Array(text.utf8)) }
}

extension ProbePattern: Hashable {
    /// Returns whether both have the same text.
    package static func == (left: ProbePattern, right: ProbePattern) -> Bool { left.text == right.text }

    /// Hashes the text.
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// A compiled expression of the C library.
///
/// Unchecked, because a `regex_t` is only read after `regcomp(3)`: `regexec(3)` is safe from any thread.
@safe private final class CompiledPattern: @unchecked Sendable {
    private var expression = unsafe regex_t()

    init(_ translated: [UInt8]) throws(ProbePatternError) {
        // Anchored at the start of the bytes, it needs one pass; a search would restart at each byte.
        let whole = Array("\\`([^\n]|\n)*(".utf8) + translated + Array(")".utf8)
        let flags = REG_EXTENDED | REG_NOSUB | REG_NEWLINE
        // Compile it alone first: the parentheses around it must not hide its errors.
        for text in [translated, whole] {
            let code = unsafe (text + [0]).withUnsafeBytes { bytes in
                unsafe regcomp(&expression, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), flags)
            }
            guard code == 0 else {
                var message = [CChar](repeating: 0, count: 128)
                _ = unsafe regerror(code, &expression, &message, message.count)
                let bytes = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
                // A failed regcomp(3) leaves nothing to free; deinit then frees the empty expression.
                unsafe expression = unsafe regex_t()
                throw ProbePatternError(message: String(decoding: bytes, as: UTF8.self))
            }
            if text != whole { unsafe regfree(&expression) }
        }
    }

    deinit {
        unsafe regfree(&expression)
    }

    func matches(_ bytes: [UInt8]) -> Bool {
        // REG_STARTEND passes a length, so a zero byte is an ordinary byte. The terminating one is for sanitizers,
        // which check the arguments of regexec(3) as C strings.
        unsafe (bytes + [0]).withUnsafeBufferPointer { buffer in
            var range = regmatch_t(rm_so: 0, rm_eo: regoff_t(bytes.count))
            guard let base = buffer.baseAddress else { return false }
            return unsafe base.withMemoryRebound(to: CChar.self, capacity: buffer.count) {
                unsafe regexec(&expression, $0, 1, &range, REG_STARTEND) == 0
            }
        }
    }
}

extension TextForm {
    /// A regular expression.
    package static let pattern = TextForm(
        .init(
            words: "a regular expression",
            bounds:
                "a regular expression (RE2 syntax; `.` is a byte, `^` and `$` match at every line), at most 1,024 bytes",
            expression: #"[^\u0000-\u001f\u007f]{1,1024}"#,
            example: #""^ok""#,
            counterexample: #""(""#,
            mayLookLikeAnother: true
        ),
        limit: 1_024
    ) { text throws(Diagnostic) in
        do throws(ProbePatternError) {
            return .special(try ProbePattern(text))
        } catch {
            throw Diagnostic("is not a regular expression: \(error.message)")
        }
    }
}

extension ProbePattern: SettingValue {
    package init?(checked value: ValidatedValue) {
        guard let pattern: Self = value.special() else { return nil }
        self = pattern
    }

    package func written(as type: FieldType) -> String? { nil }
}

/// The error for a text that is not a regular expression for probes.
package struct ProbePatternError: Error, Sendable, Hashable {
    /// The message: one line for people.
    package let message: String
}

extension ProbePatternError: CustomStringConvertible {
    /// The message.
    package var description: String { message }
}
