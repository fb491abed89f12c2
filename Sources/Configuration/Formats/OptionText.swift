// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import NetworkPaths
package import Schema

/// Command line options for settings that have several keys in the configuration; read by the same schema.
package enum OptionText {
    /// Reads `wl*|altname:modem-*=wifi`: `match` and `type` of `interfaces`.
    package static func interfaceRule(_ text: String, option: String) throws(ConfigurationDiagnostic) -> InterfaceRule {
        let (left, right) = try split(text, option, "PATTERN=TYPE, for example wl*=wifi")
        let match = try read(left, ConfigurationSchema.interfaceRule, "match", option)
        let type = try read(right, ConfigurationSchema.interfaceRule, "type", option)
        guard let patterns: [InterfaceRule.Pattern] = match.special(), case .text(let word) = type else {
            throw ConfigurationDiagnostic(.invalidValue, at: .option(option), "\(text.quoted) is not PATTERN=TYPE")
        }
        return InterfaceRule(patterns: patterns, type: InterfaceType(rawValue: word))
    }

    /// Reads `10.0.0.0/8,2001:db8::/32=traffic` or `default=manual`: `match` and `mode` of `connections`.
    package static func connection(_ text: String, option: String) throws(ConfigurationDiagnostic) -> DeclaredConnection
    {
        let (left, right) = try split(text, option, "MATCH=MODE, for example 10.0.0.0/8=traffic")
        var prefixes: [IPPrefix] = []
        var coversAll = false
        for part in left.split(separator: ",", omittingEmptySubsequences: false) {
            let covered = try read(String(part), .text(.coverage), option)
            guard case .coverage(let prefix) = covered else { continue }
            if let prefix { prefixes.append(prefix) } else { coversAll = true }
        }
        guard case .text(let word) = try read(right, ConfigurationSchema.connection, "mode", option),
            let mode = DeclaredConnection.Mode(rawValue: word)
        else { throw ConfigurationDiagnostic(.invalidValue, at: .option(option), "\(right.quoted) is not a mode") }
        return DeclaredConnection(name: left, prefixes: coversAll ? nil : prefixes, mode: mode)
    }

    /// Reads a firewall mark, decimal or hexadecimal with `0x`.
    package static func mark(_ text: String, option: String) throws(ConfigurationDiagnostic) -> UInt32 {
        guard case .integer(let number) = try read(text, ConfigurationSchema.root, "mark", option),
            let mark = UInt32(exactly: number)
        else {
            throw ConfigurationDiagnostic(.invalidValue, at: .option(option), "\(text.quoted) is not a firewall mark")
        }
        return mark
    }

    /// Reads a duration with its unit.
    ///
    /// - Parameter bounds: what is accepted, in milliseconds; by default a millisecond to an hour.
    package static func duration(
        _ text: String,
        option: String,
        milliseconds bounds: ClosedRange<Int> = 1...3_600_000
    ) throws(ConfigurationDiagnostic) -> Duration {
        guard case .duration(let duration) = try read(text, .duration(milliseconds: bounds), option) else {
            throw ConfigurationDiagnostic(.invalidValue, at: .option(option), "\(text.quoted) is not a duration")
        }
        return duration
    }

    private static func split(
        _ text: String,
        _ option: String,
        _ form: String
    ) throws(ConfigurationDiagnostic) -> (String, String) {
        guard let sign = text.lastIndex(of: "=") else {
            throw ConfigurationDiagnostic(
                .invalidValue,
                at: .option(option),
                "\(text.quoted) is not of the form \(form)"
            )
        }
        return (String(text[..<sign]), String(text[text.index(after: sign)...]))
    }

    private static func read(
        _ text: String,
        _ schema: ObjectSchema,
        _ key: String,
        _ option: String
    ) throws(ConfigurationDiagnostic) -> ValidatedValue {
        try read(text, schema.field(key)?.type ?? .text(.line), option)
    }

    private static func read(
        _ text: String,
        _ type: FieldType,
        _ option: String
    ) throws(ConfigurationDiagnostic) -> ValidatedValue {
        do throws(Diagnostic) {
            return try type.read(ScalarText(text: text, raw: text, isBare: true, place: .option(option)))
        } catch {
            let words = "\(text.quoted) \(error.words)"
            throw ConfigurationDiagnostic(error.code, at: .option(option), words, hint: error.hint)
        }
    }
}
