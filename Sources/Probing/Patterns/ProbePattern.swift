// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Glibc
package import Schema

/// A regular expression over bytes, in RE2's syntax as Go has it: `\d \w \s \b \A \z \x{…} \Q…\E`, `(?i)`, `(?:…)`, `[[:word:]]`
/// and all of POSIX. `.` is one byte and not a line end; `^` and `$` match at every line's unless `(?-m)` says otherwise. Classes
/// of Unicode such as `\pL` are refused.
///
/// Not Swift's or PCRE's, because those try alternatives one after the other: there are harmless-looking expressions
/// for which a hostile peer can send a kilobyte that keeps the loop busy for years. This one is a finite automaton that
/// sees each byte once; back references, which would undo that, are refused.
package struct ProbePattern: Sendable {
    /// The text it was made from.
    package let text: String
    private let compiled: CompiledPattern

    /// Compiles an expression of at most 4,096 bytes.
    ///
    /// - Throws: ``ProbePatternError`` with what is wrong.
    package init(_ text: String) throws(ProbePatternError) {
        self.text = text
        compiled = try CompiledPattern(try PatternTranslator(text).text)
    }

    /// What an expression that was written for Go is here.
    package struct GoReading: Sendable, Hashable {
        /// The same expression, with `(?-m)` before it where `^` and `$` mean the whole text's start and end.
        package let text: String
        /// Whether it repeats an anchor: `^+OK` matches `OK` at the start and not `+OK`, which is seldom what was meant.
        package let repeatsAnchor: Bool
    }

    /// Reads an expression that was written for Go.
    ///
    /// - Parameters:
    ///   - text: The expression.
    ///   - isMultiline: Whether the text that it is for can have several lines.
    /// - Throws: ``ProbePatternError`` that names what cannot be said here.
    package static func reading(
        ofGo text: String,
        isMultiline: Bool
    ) throws(ProbePatternError) -> GoReading {
        let translated = try PatternTranslator(text)
        let prefix = isMultiline && translated.hasDefaultAnchor ? "(?-m)" : ""
        _ = try ProbePattern(prefix + text)
        return GoReading(text: prefix + text, repeatsAnchor: translated.repeatsAnchor)
    }

    /// Whether the expression matches anywhere. Any thread.
    package func matches(_ bytes: [UInt8]) -> Bool { compiled.matches(bytes) }

    /// Whether the expression matches anywhere in a text's UTF-8. Any thread.
    package func matches(_ text: String) -> Bool { compiled.matches(Array(text.utf8)) }
}

extension ProbePattern: Hashable {
    /// Whether both were made from the same text.
    package static func == (left: ProbePattern, right: ProbePattern) -> Bool { left.text == right.text }

    /// Hashes the text.
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// A compiled expression of the C library.
///
/// Unchecked, because a `regex_t` is only read after `regcomp(3)`: `regexec(3)` is safe from any thread.
@safe private final class CompiledPattern: @unchecked Sendable {
    private var expression = unsafe regex_t()

    init(_ translated: String) throws(ProbePatternError) {
        // From the start of the bytes over anything: one pass, where a search would begin anew at each byte.
        let whole = "\\`([^\n]|\n)*(\(translated))"
        let flags = REG_EXTENDED | REG_NOSUB | REG_NEWLINE
        // Alone first: what is wrong with it must not be hidden by the parentheses around it.
        for text in [translated, whole] {
            let code = unsafe regcomp(&expression, text, flags)
            guard code == 0 else {
                var message = [CChar](repeating: 0, count: 128)
                _ = unsafe regerror(code, &expression, &message, message.count)
                let bytes = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
                // A failed regcomp(3) leaves nothing to free; deinit will find the empty expression.
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
        // REG_STARTEND takes a length, so a zero byte is a byte like any other. The one at the end is for those who
        // look at what is passed to regexec(3) without knowing that, as sanitizers do.
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

/// Why a text is not a regular expression that probes use.
package struct ProbePatternError: Error, Sendable, Hashable {
    /// One line for people.
    package let message: String
}

extension ProbePatternError: CustomStringConvertible {
    /// The message.
    package var description: String { message }
}
