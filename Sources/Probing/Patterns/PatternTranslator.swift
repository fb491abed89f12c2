// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Translates the expressions people write, RE2's as Go has them, into the words of `regex(7)`.
///
/// POSIX reads `\d` as the letter d, a backslash between brackets as itself, and refuses `^+`. Every construct is translated to what it
/// means in RE2, over bytes, or refused by its name: none is passed on to mean something else. Differences that a document states:
/// `^` and `$` match at every line's end unless `(?-m)` says otherwise, and `.` is one byte.
///
/// Source: https://github.com/google/re2/wiki/Syntax
struct PatternTranslator {
    /// The expression in POSIX's words.
    private(set) var text = ""
    /// Whether `^` or `$` stands where neither `(?m)` nor `(?-m)` was said.
    private(set) var hasDefaultAnchor = false
    /// Whether an anchor is repeated, as in `^+OK`, which matches `OK` and not `+OK`.
    private(set) var repeatsAnchor = false

    private struct Flags {
        var ignoresCase = false
        var dotMatchesLineEnd = false
        /// nil: nothing was said.
        var isMultiline: Bool?
    }

    private var rest: ArraySlice<Unicode.Scalar>
    private var flags = Flags()
    /// Those in force outside of each group that is open.
    private var outer: [Flags] = []
    private var repeats = 1

    /// An automaton has a state for each repeat of each character; repeats of repeats would take all memory.
    private static let repeatLimit = 1 << 16

    /// - Throws: ``ProbePatternError`` that names what cannot be translated.
    init(_ pattern: String) throws(ProbePatternError) {
        guard pattern.utf8.count <= 4_096 else { throw ProbePatternError(message: "longer than 4,096 bytes") }
        guard !pattern.utf8.contains(0) else { throw ProbePatternError(message: "a zero byte") }
        rest = Array(pattern.unicodeScalars)[...]
        while let next = rest.popFirst() { try take(next) }
        guard outer.isEmpty else { throw ProbePatternError(message: "a ( without its )") }
        // An empty expression matches everything; regcomp(3) would not take it everywhere.
        if text.isEmpty { text = "()" }
    }

    private mutating func take(_ next: Unicode.Scalar) throws(ProbePatternError) {
        switch next {
        case "\\": try escape()
        case "(": try group()
        case ")":
            guard let flags = outer.popLast() else { throw ProbePatternError(message: "a ) without its (") }
            self.flags = flags
            text += ")"
            try lazily()
        case "[": try set()
        case "^", "$":
            if flags.isMultiline == nil { hasDefaultAnchor = true }
            try anchor(flags.isMultiline == false ? (next == "^" ? "\\`" : "\\'") : String(next))
        case ".":
            // regcomp(3)'s own leaves out the zero byte.
            text += flags.dotMatchesLineEnd ? Self.anything : "[^\n]"
            try lazily()
        case "|": text += "|"
        case "*", "+", "?":
            text.unicodeScalars.append(next)
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
                throw ProbePatternError(message: "(?P=, (?P>, (?<= and (?<! are not known")
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
            // Which of several matches is found does not matter here.
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
                        "(?\(letter) is not known: of groups only (?:…), (?P<name>…), (?flags) and (?flags:…) with i, m, s and U"
                )
            }
        }
        throw ProbePatternError(message: "a (? without its )")
    }

    // MARK: Repetition

    /// What stands behind a repeat or a thing that can be repeated: a `?` there only chooses the shortest of several matches.
    private mutating func lazily(isRepeated: Bool = false) throws(ProbePatternError) {
        if isRepeated, rest.first == "?" { rest.removeFirst() }
    }

    /// `{n}`, `{n,}` or `{n,m}` at the front, taken away; nil when it is no repetition: a brace is a brace then.
    private mutating func bounds() throws(ProbePatternError) -> (low: Int, high: Int?)? {
        guard let end = rest.firstIndex(of: "}") else { return nil }
        let inner = rest[..<end]
        let parts = inner.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count <= 2, inner.allSatisfy({ $0 == "," || ("0"..."9").contains($0) }), !inner.isEmpty else {
            return nil
        }
        guard let first = parts.first, !first.isEmpty else {
            throw ProbePatternError(message: "{,n} is a repetition to some and text to others: write {0,n} or \\{,n}")
        }
        func number(_ digits: ArraySlice<Unicode.Scalar>) throws(ProbePatternError) -> Int {
            guard digits.count <= 5, let value = Int(String(String.UnicodeScalarView(digits))) else {
                throw ProbePatternError(message: "its repeats, all multiplied, are too many")
            }
            return value
        }
        let low = try number(first)
        let high: Int? = parts.count == 1 ? low : parts[1].isEmpty ? nil : try number(parts[1])
        if let high, high < low { throw ProbePatternError(message: "{\(low),\(high)} ends before it begins") }
        rest = rest[(end + 1)...]
        return (low, high)
    }

    private mutating func repetition(_ bounds: (low: Int, high: Int?)) throws(ProbePatternError) {
        repeats = repeats.multipliedReportingOverflow(by: max(1, bounds.high ?? bounds.low)).partialValue
        guard (1...Self.repeatLimit).contains(repeats), repeats * text.utf8.count <= Self.repeatLimit else {
            throw ProbePatternError(message: "its repeats, all multiplied, are too many")
        }
        text += bounds.high == bounds.low ? "{\(bounds.low)}" : "{\(bounds.low),\(bounds.high.map(String.init) ?? "")}"
        try lazily(isRepeated: true)
    }

    /// A place and no text: a repeat of it is the place, or nothing where it may be absent.
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

    /// Any byte; a list of what is not in it would leave out the line end.
    private static let anything = "([^\n]|\n)"

    private mutating func literal(_ scalar: Unicode.Scalar) throws(ProbePatternError) {
        guard scalar.value != 0 else { throw ProbePatternError(message: "a zero byte") }
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
        guard let letter = rest.popFirst() else { throw ProbePatternError(message: "a backslash at the end") }
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
            } else {
                try literal(character(letter))
            }
        }
    }

    /// The character of an escape whose first letter was taken.
    private mutating func character(_ letter: Unicode.Scalar) throws(ProbePatternError) -> Unicode.Scalar {
        switch letter {
        case "a": return "\u{7}"
        case "f": return "\u{C}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "v": return "\u{B}"
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
                throw ProbePatternError(message: "\\x wants two hexadecimal digits, or some in braces")
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
        case "0"..."9": throw ProbePatternError(message: "back references such as \\\(letter) are not allowed")
        case "p", "P":
            throw ProbePatternError(
                message:
                    "classes of Unicode such as \\\(letter)L are not known: name the characters, or [[:alpha:]] for those of ASCII"
            )
        case "C": throw ProbePatternError(message: "\\C is not known: . is one byte here")
        case "a"..."z", "A"..."Z": throw ProbePatternError(message: "the escape \\\(letter) is not known")
        default:
            guard letter.isASCII else { throw ProbePatternError(message: "the escape \\\(letter) is not known") }
            return letter
        }
    }

    // MARK: Sets

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
                if isNegated { try members.negate() }
                return text += try members.checked
            }
            isFirst = false
            if next == "[", rest.first == ":" {
                members.formUnion(try named())
                continue
            }
            if next == "[", let mark = rest.first, mark == "." || mark == "=" {
                throw ProbePatternError(message: "[\(mark)…\(mark)] is not known; write \\[ for the bracket")
            }
            if next == "\\", let letter = rest.first, let perl = PatternSet.perl(letter) {
                rest.removeFirst()
                members.formUnion(perl)
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
                throw ProbePatternError(message: "the range \(low)-\(high) ends before it begins")
            }
            members.insert(low...high)
        }
        throw ProbePatternError(message: "a [ without its ]")
    }

    private mutating func member(_ next: Unicode.Scalar) throws(ProbePatternError) -> Unicode.Scalar {
        guard next == "\\" else { return next }
        guard let letter = rest.popFirst() else { throw ProbePatternError(message: "a backslash at the end") }
        return try character(letter)
    }

    /// `[:alpha:]`, whose first bracket was taken.
    private mutating func named() throws(ProbePatternError) -> PatternSet {
        var name = ""
        rest.removeFirst()
        while let next = rest.popFirst(), next != "]" { name.unicodeScalars.append(next) }
        guard name.last == ":" else { throw ProbePatternError(message: "a [: without its :]") }
        guard let members = PatternSet(named: String(name.dropLast())) else {
            throw ProbePatternError(message: "the class [:\(name.dropLast()):] is not known")
        }
        return members
    }
}
