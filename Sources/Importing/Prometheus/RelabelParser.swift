// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Probing

/// Parses regular expressions in RE2 syntax. `.` matches line ends, as Prometheus compiles them; Unicode classes such as
/// `\pL` are rejected.
struct RelabelParser {
    /// The number of groups.
    private(set) var groups = 0
    /// The groups by their names.
    private(set) var names: [String: Int] = [:]

    private struct Flags {
        var ignoresCase = false
        var dotMatchesLineEnd = true
        var isMultiline = false
        var isUngreedy = false
    }

    private var rest: ArraySlice<Unicode.Scalar>
    private var flags = Flags()
    private var depth = 0

    private static let maximumDepth = 100

    init(_ pattern: String) throws(RelabelPatternError) {
        guard pattern.utf8.count <= 4_096 else { throw RelabelPatternError(message: "it is longer than 4,096 bytes") }
        rest = Array(pattern.unicodeScalars)[...]
    }

    /// Parses the whole expression.
    mutating func parse() throws(RelabelPatternError) -> RelabelNode {
        let node = try alternatives()
        guard rest.isEmpty else { throw RelabelPatternError(message: ") without (") }
        return node
    }

    private mutating func alternatives() throws(RelabelPatternError) -> RelabelNode {
        var nodes = [try sequence()]
        while rest.first == "|" {
            rest.removeFirst()
            nodes.append(try sequence())
        }
        return nodes.count == 1 ? nodes[0] : .alternatives(nodes)
    }

    private mutating func sequence() throws(RelabelPatternError) -> RelabelNode {
        var nodes: [RelabelNode] = []
        while let next = rest.first, next != "|", next != ")" {
            rest.removeFirst()
            guard var node = try atom(next) else { continue }
            if case .sequence(let literals) = node, let last = literals.last {
                // A repeat after \Q…\E is that of the last character.
                nodes += literals.dropLast()
                node = last
            }
            nodes.append(try repeated(node))
        }
        return nodes.count == 1 ? nodes[0] : nodes.isEmpty ? .empty : .sequence(nodes)
    }

    // MARK: Repetition

    private mutating func repeated(_ node: RelabelNode) throws(RelabelPatternError) -> RelabelNode {
        var node = node
        var count = 0
        while let next = rest.first {
            let low: Int
            let high: Int?
            switch next {
            case "*": (low, high) = (0, nil)
            case "+": (low, high) = (1, nil)
            case "?": (low, high) = (0, 1)
            case "{":
                guard let (bounds, end) = try bounds() else { return node }
                (low, high) = bounds
                rest = rest[end...]
                rest.removeFirst()
            default: return node
            }
            if next != "{" { rest.removeFirst() }
            count += 1
            guard count == 1 else { throw RelabelPatternError(message: "a repeat is repeated") }
            let isLazy = rest.first == "?"
            if isLazy { rest.removeFirst() }
            node = .repeated(node, low: low, high: high, isGreedy: isLazy == flags.isUngreedy)
        }
        return node
    }

    /// The limits of `{n}`, `{n,}` or `{n,m}` at the front, and where it ends; nil when the brace is a literal.
    private func bounds() throws(RelabelPatternError) -> (bounds: (Int, Int?), end: Int)? {
        guard let end = rest.firstIndex(of: "}") else { return nil }
        let inner = rest[(rest.startIndex + 1)..<end]
        let parts = inner.split(separator: ",", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let first = parts.first, !first.isEmpty,
            inner.allSatisfy({ $0 == "," || ("0"..."9").contains($0) })
        else { return nil }
        let low = Self.number(first)
        let high = parts.count == 1 ? low : parts[1].isEmpty ? nil : Self.number(parts[1])
        guard low <= 1_000, (high ?? low) <= 1_000, (high ?? low) >= low else {
            throw RelabelPatternError(message: "a repeat is beyond 1,000, or its limits are reversed")
        }
        return ((low, high), end)
    }

    private static func number(_ digits: ArraySlice<Unicode.Scalar>) -> Int {
        digits.count > 5 ? .max : Int(String(String.UnicodeScalarView(digits))) ?? .max
    }

    // MARK: Atoms

    /// The next part; nil for one that only sets flags.
    private mutating func atom(_ next: Unicode.Scalar) throws(RelabelPatternError) -> RelabelNode? {
        switch next {
        case "(": return try group()
        case "[": return .scalar(try set())
        case ".": return .scalar(flags.dotMatchesLineEnd ? .any : .notLineEnd)
        case "^": return .place(flags.isMultiline ? .lineStart : .start)
        case "$": return .place(flags.isMultiline ? .lineEnd : .end)
        case "*", "+", "?": throw RelabelPatternError(message: "nothing to repeat before \(next)")
        case "\\": return try escape()
        default: return .scalar(literal(next))
        }
    }

    private func literal(_ scalar: Unicode.Scalar) -> RelabelSet {
        RelabelSet(ranges: [scalar.value...scalar.value], ignoresCase: flags.ignoresCase)
    }

    private mutating func group() throws(RelabelPatternError) -> RelabelNode? {
        depth += 1
        guard depth <= Self.maximumDepth else { throw RelabelPatternError(message: "its groups are nested too deeply") }
        defer { depth -= 1 }
        let outer = flags
        var number: Int?
        if rest.first == "?" {
            rest.removeFirst()
            if let name = try name() {
                groups += 1
                number = groups
                guard names.updateValue(groups, forKey: name) == nil else {
                    throw RelabelPatternError(message: "two groups have one name")
                }
            } else if try setFlags() {
                return nil
            }
        } else {
            groups += 1
            number = groups
        }
        let node = try alternatives()
        guard rest.popFirst() == ")" else { throw RelabelPatternError(message: "( without )") }
        flags = outer
        return .group(node, number)
    }

    /// The name in `?P<name>` or `?<name>`; nil when there are flags instead.
    private mutating func name() throws(RelabelPatternError) -> String? {
        guard rest.first == "P" || rest.first == "<" else { return nil }
        if rest.first == "P" { rest.removeFirst() }
        guard rest.popFirst() == "<", let end = rest.firstIndex(of: ">") else {
            throw RelabelPatternError(message: "(?P is only supported as (?P<name>…)")
        }
        let name = String(String.UnicodeScalarView(rest[..<end]))
        rest = rest[(end + 1)...]
        guard !name.isEmpty, name.allSatisfy({ $0 == "_" || $0.isLetter || $0.isNumber }) else {
            throw RelabelPatternError(message: "the name of a group has other characters than letters, digits and _")
        }
        return name
    }

    /// Reads flags; true if they are those of the rest, and not of a group.
    private mutating func setFlags() throws(RelabelPatternError) -> Bool {
        var isOn = true
        while let letter = rest.popFirst() {
            switch letter {
            case "i": flags.ignoresCase = isOn
            case "s": flags.dotMatchesLineEnd = isOn
            case "m": flags.isMultiline = isOn
            case "U": flags.isUngreedy = isOn
            case "-" where isOn: isOn = false
            case ":": return false
            case ")": return true
            default: throw RelabelPatternError(message: "(?\(letter) is not supported")
            }
        }
        throw RelabelPatternError(message: "(? without )")
    }

    private mutating func escape() throws(RelabelPatternError) -> RelabelNode? {
        guard let letter = rest.popFirst() else { throw RelabelPatternError(message: "trailing backslash") }
        switch letter {
        case "A": return .place(.start)
        case "z": return .place(.end)
        case "b": return .place(.wordBoundary)
        case "B": return .place(.noWordBoundary)
        case "Q":
            var nodes: [RelabelNode] = []
            while let next = rest.popFirst() {
                if next == "\\", rest.first == "E" {
                    rest.removeFirst()
                    break
                }
                nodes.append(.scalar(literal(next)))
            }
            return nodes.isEmpty ? nil : .sequence(nodes)
        default:
            if let ranges = RelabelSet.perl(letter) { return .scalar(RelabelSet(ranges: ranges)) }
            return .scalar(literal(try character(letter)))
        }
    }

    /// A character after a backslash.
    private mutating func character(_ letter: Unicode.Scalar) throws(RelabelPatternError) -> Unicode.Scalar {
        if let control = PatternEscape.control(letter) { return control }
        switch letter {
        case "x":
            var digits: [Unicode.Scalar] = []
            if rest.first == "{" {
                rest.removeFirst()
                while let next = rest.popFirst(), next != "}" { digits.append(next) }
            } else {
                digits = Array(rest.prefix(2))
                rest = rest.dropFirst(2)
            }
            let text = String(String.UnicodeScalarView(digits))
            guard digits.count >= 1, digits.count <= 8, text.utf8.allSatisfy({ $0 != 0x2B && $0 != 0x2D }),
                let scalar = UInt32(text, radix: 16).flatMap(Unicode.Scalar.init)
            else { throw RelabelPatternError(message: "\\x needs hexadecimal digits") }
            return scalar
        case "0"..."9", "a"..."z", "A"..."Z":
            throw RelabelPatternError(message: "the escape \\\(letter) is not supported")
        default: return letter
        }
    }

    // MARK: Sets

    private mutating func set() throws(RelabelPatternError) -> RelabelSet {
        var set = RelabelSet(ignoresCase: flags.ignoresCase)
        if rest.first == "^" {
            rest.removeFirst()
            set.isNegated = true
        }
        var isFirst = true
        while let next = rest.popFirst() {
            if next == "]", !isFirst { return set }
            isFirst = false
            if next == "[", rest.first == ":", let end = rest.firstIndex(of: "]"), end > rest.startIndex + 1,
                rest[end - 1] == ":"
            {
                let name = String(String.UnicodeScalarView(rest[(rest.startIndex + 1)..<(end - 1)]))
                guard let ranges = RelabelSet.named(name) else {
                    throw RelabelPatternError(message: "the class [:\(name):] is not supported")
                }
                set.ranges += ranges
                rest = rest[(end + 1)...]
                continue
            }
            if next == "\\", let letter = rest.first, let ranges = RelabelSet.perl(letter) {
                rest.removeFirst()
                set.ranges += ranges
                continue
            }
            let low = try member(next)
            guard rest.first == "-", let end = rest.dropFirst().first, end != "]" else {
                set.ranges.append(low.value...low.value)
                continue
            }
            rest = rest.dropFirst(2)
            let high = try member(end)
            guard low <= high else { throw RelabelPatternError(message: "the range \(low)-\(high) is reversed") }
            set.ranges.append(low.value...high.value)
        }
        throw RelabelPatternError(message: "[ without ]")
    }

    private mutating func member(_ next: Unicode.Scalar) throws(RelabelPatternError) -> Unicode.Scalar {
        guard next == "\\" else { return next }
        guard let letter = rest.popFirst() else { throw RelabelPatternError(message: "trailing backslash") }
        return try character(letter)
    }
}
