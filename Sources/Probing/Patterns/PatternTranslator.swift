// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Translates regular expressions in the syntax of RE2 and Go into that of `regex(7)`.
///
/// POSIX reads `\d` as the letter d and a backslash in brackets as itself, and rejects `^+`. Every construct is
/// translated to its meaning in RE2, over bytes, or rejected by name; none changes its meaning. The documented
/// differences: `^` and `$` match at every line unless `(?-m)` is set, and `.` is one byte.
///
/// Source: https://github.com/google/re2/wiki/Syntax
struct PatternTranslator {
    /// The expression in POSIX syntax.
    private(set) var text: [UInt8] = []
    /// Whether `^` or `$` occurs where neither `(?m)` nor `(?-m)` is set.
    private(set) var hasDefaultAnchor = false
    /// Whether an anchor is repeated, as in `^+OK`, which matches `OK` and not `+OK`.
    private(set) var repeatsAnchor = false

    private struct Flags {
        var ignoresCase = false
        var dotMatchesLineEnd = false
        /// nil: not set.
        var isMultiline: Bool?
    }

    private var rest: ArraySlice<Unicode.Scalar>
    private var flags = Flags()
    /// The flags outside of each open group.
    private var outer: [Flags] = []
    private var size = PatternSize()

    /// - Throws: ``ProbePatternError`` that names the unsupported construct.
    init(_ pattern: String) throws(ProbePatternError) {
        guard pattern.utf8.count <= 4_096 else { throw ProbePatternError(message: "it is longer than 4,096 bytes") }
        guard !pattern.utf8.contains(0) else { throw ProbePatternError(message: "it contains a zero byte") }
        rest = Array(pattern.unicodeScalars)[...]
        while let next = rest.popFirst() {
            let (end, depth) = (text.count, outer.count)
            try take(next)
            size.take(text[end...], openGroups: outer.count - depth)
        }
        guard outer.isEmpty else { throw ProbePatternError(message: "( without )") }
        // An empty expression matches everything; regcomp(3) does not accept it everywhere.
        if text.isEmpty { text += "()" }
    }

    private mutating func take(_ next: Unicode.Scalar) throws(ProbePatternError) {
        switch next {
        case "\\": try escape()
        case "(": try group()
        case ")":
            guard let flags = outer.popLast() else { throw ProbePatternError(message: ") without (") }
            self.flags = flags
            text += ")"
            try lazily()
        case "[": try set()
        case "^", "$":
            if flags.isMultiline == nil { hasDefaultAnchor = true }
            try anchor(flags.isMultiline == false ? (next == "^" ? "\\`" : "\\'") : String(next))
        case ".":
            // The `.` of regcomp(3) excludes the zero byte.
            text += flags.dotMatchesLineEnd ? Self.anything : "[^\n]"
            try lazily()
        case "|": text += "|"
        case "*", "+", "?":
            text += String(next)
            try lazily(isRepeated: true)
        case "{":
            if let bounds = try bounds() { return try repetition(bounds) }
            text += "\\{"
            try lazily()
        default: try literal(next)
        }
    }

    // MARK: Groups and flags

    private mutating func group() throws(ProbePatternError) {
        guard rest.first == "?" else {
            outer.append(flags)
            text += "("
            return
        }
        rest.removeFirst()
        if rest.first == "P" || rest.first == "<" {
            if rest.first == "P" { rest.removeFirst() }
            let isName = rest.popFirst() == "<" && !(rest.first == "=" || rest.first == "!")
            guard isName, let end = rest.firstIndex(of: ">"), end > rest.startIndex else {
                throw ProbePatternError(message: "(?P=, (?P>, (?<= and (?<! are not supported")
            }
            rest = rest[(end + 1)...]
            outer.append(flags)
            text += "("
            return
        }
        var changed = flags
        var isOn = true
        while let letter = rest.popFirst() {
            switch letter {
            case "i": changed.ignoresCase = isOn
            case "s": changed.dotMatchesLineEnd = isOn
            case "m": changed.isMultiline = isOn
            // Irrelevant here: it only selects among several matches.
            case "U": break
            case "-" where isOn: isOn = false
            case ":":
                outer.append(flags)
                flags = changed
                text += "("
                return
            case ")":
                flags = changed
                return
            default:
                throw ProbePatternError(
                    message:
                        "(?\(letter) is not supported (allowed: (?:…), (?P<name>…), (?flags), (?flags:…), flags i m s U)"
                )
            }
        }
        throw ProbePatternError(message: "(? without )")
    }

    // MARK: Repetition

    /// Skips a `?` after a repeat, which only selects the shortest of several matches.
    private mutating func lazily(isRepeated: Bool = false) throws(ProbePatternError) {
        if isRepeated, rest.first == "?" { rest.removeFirst() }
    }

    /// Consumes `{n}`, `{n,}` or `{n,m}` at the front; nil when the brace is a literal.
    private mutating func bounds() throws(ProbePatternError) -> (low: Int, high: Int?)? {
        guard let end = rest.firstIndex(of: "}") else { return nil }
        let inner = rest[..<end]
        let parts = inner.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count <= 2, inner.allSatisfy({ $0 == "," || ("0"..."9").contains($0) }), !inner.isEmpty else {
            return nil
        }
        guard let first = parts.first, !first.isEmpty else {
            throw ProbePatternError(message: "{,n} is ambiguous; write {0,n} or \\{,n}")
        }
        func number(_ digits: ArraySlice<Unicode.Scalar>) throws(ProbePatternError) -> Int {
            guard digits.count <= 5, let value = Int(String(String.UnicodeScalarView(digits))) else {
                throw PatternSize.error
            }
            return value
        }
        let low = try number(first)
        let high: Int? = parts.count == 1 ? low : parts[1].isEmpty ? nil : try number(parts[1])
        if let high, high < low { throw ProbePatternError(message: "{\(low),\(high)} has its limits reversed") }
        rest = rest[(end + 1)...]
        return (low, high)
    }

    private mutating func repetition(_ bounds: (low: Int, high: Int?)) throws(ProbePatternError) {
        try size.multiply(by: bounds.high ?? bounds.low + 1)
        text += bounds.high == bounds.low ? "{\(bounds.low)}" : "{\(bounds.low),\(bounds.high.map(String.init) ?? "")}"
        try lazily(isRepeated: true)
    }

    /// Appends an anchor. Repeating it has no effect, except that an optional one matches anywhere.
    private mutating func anchor(_ place: String) throws(ProbePatternError) {
        var isNeeded = true
        while let next = rest.first, next == "*" || next == "+" || next == "?" || next == "{" {
            if next == "{" {
                let before = rest
                rest.removeFirst()
                guard let bounds = try bounds() else {
                    rest = before
                    break
                }
                if bounds.low == 0 { isNeeded = false }
            } else {
                rest.removeFirst()
                if next != "+" { isNeeded = false }
            }
            repeatsAnchor = true
            try lazily(isRepeated: true)
        }
        text += isNeeded ? place : "()"
    }

    // MARK: Characters

    /// Any byte; a negated list would exclude the line end.
    private static let anything = "([^\n]|\n)"

    private mutating func literal(_ scalar: Unicode.Scalar) throws(ProbePatternError) {
        guard scalar.value != 0 else { throw ProbePatternError(message: "it contains a zero byte") }
        var forms = [String(scalar)]
        if flags.ignoresCase {
            for form in [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping]
            where form.unicodeScalars.count == 1 && !forms.contains(form) {
                forms.append(form)
            }
        }
        let escaped = forms.map { "^.[]$()|*+?{}\\".contains($0) ? "\\\($0)" : $0 }
        // A character of several bytes is repeated as a whole.
        text += escaped.count == 1 && scalar.isASCII ? escaped[0] : "(\(escaped.joined(separator: "|")))"
    }

    private mutating func escape() throws(ProbePatternError) {
        guard let letter = rest.popFirst() else { throw ProbePatternError(message: "trailing backslash") }
        switch letter {
        case "A": try anchor("\\`")
        case "z": try anchor("\\'")
        case "b", "B": try anchor("\\\(letter)")
        case "Q":
            while let next = rest.popFirst() {
                if next == "\\", rest.first == "E" {
                    rest.removeFirst()
                    break
                }
                try literal(next)
            }
        case "E": break
        default:
            if let members = PatternSet.perl(letter) {
                text += members.text
            } else if letter == "p" || letter == "P" {
                text += try category(isNegated: letter == "P").checked
            } else {
                try literal(character(letter))
            }
        }
    }

    /// Parses an escape after its first letter.
    private mutating func character(_ letter: Unicode.Scalar) throws(ProbePatternError) -> Unicode.Scalar {
        if let control = PatternEscape.control(letter) { return control }
        switch letter {
        case "x":
            var digits = ""
            if rest.first == "{" {
                rest.removeFirst()
                while let next = rest.popFirst(), next != "}" { digits.unicodeScalars.append(next) }
            } else {
                digits.unicodeScalars.append(contentsOf: rest.prefix(2))
                rest = rest.dropFirst(2)
                if digits.unicodeScalars.count < 2 { digits = "" }
            }
            let isNumber =
                !digits.isEmpty && digits.utf8.allSatisfy { $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }
            guard isNumber, let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) else {
                throw ProbePatternError(message: "\\x needs two hexadecimal digits, or more in braces")
            }
            return scalar
        case "0",
            "1"..."7" where rest.first.map { ("0"..."7").contains($0) } ?? false:
            var value = letter.value - 0x30
            for _ in 0..<2 {
                guard let digit = rest.first, ("0"..."7").contains(digit) else { break }
                value = value * 8 + digit.value - 0x30
                rest.removeFirst()
            }
            return Unicode.Scalar(value) ?? "\u{FFFD}"
        case "0"..."9": throw ProbePatternError(message: "back references such as \\\(letter) are not supported")
        case "C": throw ProbePatternError(message: "\\C is not supported; use . for one byte")
        case "a"..."z", "A"..."Z": throw ProbePatternError(message: "the escape \\\(letter) is not supported")
        default:
            guard letter.isASCII else { throw ProbePatternError(message: "the escape \\\(letter) is not supported") }
            return letter
        }
    }

    // MARK: Sets

    /// Parses a general category of Unicode after its `\p`: `L`, `{Lu}`, `{^Lu}`.
    private mutating func category(isNegated: Bool) throws(ProbePatternError) -> PatternSet {
        guard let letter = rest.popFirst() else { throw ProbePatternError(message: "trailing \\p") }
        var name = String(letter)
        if letter == "{" {
            guard let end = rest.firstIndex(of: "}") else { throw ProbePatternError(message: "\\p{ without }") }
            name = String(String.UnicodeScalarView(rest[..<end]))
            rest = rest[(end + 1)...]
        }
        let isNegative = name.hasPrefix("^") != isNegated
        if name.hasPrefix("^") { name.removeFirst() }
        guard var members = PatternSet(category: isNegative ? "^\(name)" : name) else {
            throw ProbePatternError(
                message:
                    "of Unicode's classes only general categories such as \\p{Lu} are supported; list the characters of "
                    + "\\p{\(name)} as ranges, such as [\\x{370}-\\x{3FF}]"
            )
        }
        if flags.ignoresCase { members.ignoreCase() }
        return members
    }

    private mutating func set() throws(ProbePatternError) {
        var members = PatternSet()
        var isNegated = false
        if rest.first == "^" {
            isNegated = true
            rest.removeFirst()
        }
        var isFirst = true
        while let next = rest.popFirst() {
            if next == "]", !isFirst {
                if flags.ignoresCase { members.ignoreCase() }
                if isNegated { members.negate() }
                return text += try members.checked
            }
            isFirst = false
            if next == "[", rest.first == ":" {
                members.formUnion(try named())
                continue
            }
            if next == "[", let mark = rest.first, mark == "." || mark == "=" {
                throw ProbePatternError(message: "[\(mark)…\(mark)] is not supported; write \\[ for a literal bracket")
            }
            if next == "\\", let letter = rest.first, let perl = PatternSet.perl(letter) {
                rest.removeFirst()
                members.formUnion(perl)
                continue
            }
            if next == "\\", let letter = rest.first, letter == "p" || letter == "P" {
                rest.removeFirst()
                members.formUnion(try category(isNegated: letter == "P"))
                continue
            }
            let low = try member(next)
            guard rest.first == "-", rest.dropFirst().first.map({ $0 != "]" }) ?? false else {
                members.insert(low...low)
                continue
            }
            rest.removeFirst()
            guard let end = rest.popFirst() else { break }
            let high = try member(end)
            guard low <= high else {
                throw ProbePatternError(message: "the range \(low)-\(high) is reversed")
            }
            members.insert(low...high)
        }
        throw ProbePatternError(message: "[ without ]")
    }

    private mutating func member(_ next: Unicode.Scalar) throws(ProbePatternError) -> Unicode.Scalar {
        guard next == "\\" else { return next }
        guard let letter = rest.popFirst() else { throw ProbePatternError(message: "trailing backslash") }
        return try character(letter)
    }

    /// Parses `[:alpha:]` after its first bracket.
    private mutating func named() throws(ProbePatternError) -> PatternSet {
        var name = ""
        rest.removeFirst()
        while let next = rest.popFirst(), next != "]" { name.unicodeScalars.append(next) }
        guard name.last == ":" else { throw ProbePatternError(message: "[: without :]") }
        guard let members = PatternSet(named: String(name.dropLast())) else {
            throw ProbePatternError(message: "the class [:\(name.dropLast()):] is not supported")
        }
        return members
    }
}

/// Appends a text's UTF-8.
private func += (bytes: inout [UInt8], text: String) { bytes += Array(text.utf8) }
