// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The members of a bracket expression.
struct PatternSet {
    private var ascii: Set<UInt8> = []
    /// Characters beyond ASCII.
    private var others: [ClosedRange<UInt32>] = []
    /// Whether every byte beyond ASCII is a member.
    private var hasAllOthers = false

    init() {}

    /// Creates the class `alpha` or `^alpha`; nil for an unknown name (https://github.com/google/re2/wiki/Syntax, ASCII
    /// character classes).
    init?(named name: String) {
        let isNegated = name.hasPrefix("^")
        let ranges: [ClosedRange<UInt8>]
        switch isNegated ? String(name.dropFirst()) : name {
        case "alnum": ranges = [0x30...0x39, 0x41...0x5A, 0x61...0x7A]
        case "alpha": ranges = [0x41...0x5A, 0x61...0x7A]
        case "ascii": ranges = [0...0x7F]
        case "blank": ranges = [0x09...0x09, 0x20...0x20]
        case "cntrl": ranges = [0...0x1F, 0x7F...0x7F]
        case "digit": ranges = [0x30...0x39]
        case "graph": ranges = [0x21...0x7E]
        case "lower": ranges = [0x61...0x7A]
        case "print": ranges = [0x20...0x7E]
        case "punct": ranges = [0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E]
        case "space": ranges = [0x09...0x0D, 0x20...0x20]
        case "upper": ranges = [0x41...0x5A]
        case "word": ranges = [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A]
        case "xdigit": ranges = [0x30...0x39, 0x41...0x46, 0x61...0x66]
        default: return nil
        }
        self.init(ranges, isNegated: isNegated)
    }

    private init(_ ranges: [ClosedRange<UInt8>], isNegated: Bool) {
        ascii = Set(ranges.flatMap(Array.init))
        if isNegated { complement() }
    }

    /// Returns the set of `\d`, `\s`, `\w` or their complements; nil for another letter.
    static func perl(_ letter: Unicode.Scalar) -> PatternSet? {
        switch letter {
        case "d": PatternSet(named: "digit")
        case "D": PatternSet(named: "^digit")
        case "w": PatternSet(named: "word")
        case "W": PatternSet(named: "^word")
        case "s": PatternSet([0x09...0x0A, 0x0C...0x0D, 0x20...0x20], isNegated: false)
        case "S": PatternSet([0x09...0x0A, 0x0C...0x0D, 0x20...0x20], isNegated: true)
        default: nil
        }
    }

    /// Creates the set of a general category of Unicode, such as `L`, or `^L` for all others; nil for an unknown name.
    init?(category name: String) {
        let isNegated = name.hasPrefix("^")
        guard let ranges = PatternCategory.ranges(isNegated ? String(name.dropFirst()) : name) else { return nil }
        for range in ranges { insert(range.lowerBound, range.upperBound) }
        if isNegated { negate() }
    }

    mutating func insert(_ range: ClosedRange<Unicode.Scalar>) {
        insert(range.lowerBound.value, range.upperBound.value)
    }

    private mutating func insert(_ low: UInt32, _ high: UInt32) {
        if low < 0x80 { ascii.formUnion(UInt8(low)...UInt8(min(high, 0x7F))) }
        if high >= 0x80 { others.append(max(low, 0x80)...high) }
    }

    mutating func formUnion(_ other: PatternSet) {
        ascii.formUnion(other.ascii)
        others += other.others
        hasAllOthers = hasAllOthers || other.hasAllOthers
    }

    mutating func ignoreCase() {
        for byte in ascii where (0x41...0x5A).contains(byte & ~0x20) { ascii.insert(byte ^ 0x20) }
        for value in PatternBytes.normalized(others).joined() {
            guard let properties = Unicode.Scalar(value)?.properties, properties.isCased else { continue }
            for form in [properties.lowercaseMapping, properties.uppercaseMapping] {
                if let other = form.unicodeScalars.first?.value, form.unicodeScalars.count == 1, other != value {
                    insert(other, other)
                }
            }
        }
    }

    /// Without a character beyond ASCII, each byte beyond it is a member then, otherwise each other character.
    mutating func negate() {
        if others.isEmpty || hasAllOthers { return complement() }
        others = PatternBytes.complement(others)
        ascii = Set(0...0x7F).subtracting(ascii)
    }

    private mutating func complement() {
        ascii = Set(0...0x7F).subtracting(ascii)
        hasAllOthers = !hasAllOthers
        others = []
    }

    /// The set in the syntax of `regex(7)`.
    ///
    /// - Throws: ``ProbePatternError`` for a set that POSIX cannot express.
    var checked: [UInt8] {
        get throws(ProbePatternError) {
            guard hasAllOthers == ascii.contains(0) || ascii.isSuperset(of: Self.control) else {
                throw ProbePatternError(message: "a zero byte in brackets is not supported")
            }
            return text
        }
    }

    var text: [UInt8] {
        var parts: [[UInt8]] = []
        if hasAllOthers {
            // A negated list excludes the line end by itself (REG_NEWLINE).
            parts.append(Array("[^\(Self.list(Set(1...0x7F).subtracting(ascii).union([0x0A])))]".utf8))
            if ascii.contains(0x0A) { parts.append([0x0A]) }
        } else if !ascii.isEmpty {
            parts.append(Array(Self.bracket(ascii).utf8))
        }
        if !hasAllOthers { parts += PatternBytes.alternatives(others) }
        return parts.count == 1 && others.isEmpty ? parts[0] : PatternBytes.group(parts)
    }

    private static let control = Set(UInt8(0)...0x1F).union([0x7F])

    private static func bracket(_ bytes: Set<UInt8>) -> String {
        // In regcomp(3)'s syntax only the class can include the zero byte, and a lone caret would start a negated list.
        if bytes.contains(0) { return "[\(list(bytes.subtracting(control), named: "[:cntrl:]"))]" }
        return bytes == [UInt8(ascii: "^")] ? "\\^" : "[\(list(bytes))]"
    }

    /// Returns the inside of a bracket expression: `]` first, `^` not first, `[` and `-` last.
    private static func list(_ bytes: Set<UInt8>, named: String = "") -> String {
        let special = Array("]^[-".utf8)
        var text = (bytes.contains(UInt8(ascii: "]")) ? "]" : "") + named
        var rest = bytes.subtracting(special)
        for run in [UInt8(0x30)...0x39, 0x41...0x5A, 0x61...0x7A, 0x01...0x08, 0x0E...0x1F]
        where rest.isSuperset(of: run) {
            text += "\(Unicode.Scalar(run.lowerBound))-\(Unicode.Scalar(run.upperBound))"
            rest.subtract(run)
        }
        for byte in rest.sorted() { text.unicodeScalars.append(Unicode.Scalar(byte)) }
        if bytes.contains(UInt8(ascii: "^")) {
            // After another member; without one, a bracket comes first.
            if text.isEmpty, bytes.contains(UInt8(ascii: "[")) { return "[^" + (bytes.contains(0x2D) ? "-" : "") }
            if text.isEmpty { return bytes.contains(0x2D) ? "-^" : "^" }
            text += "^"
        }
        if bytes.contains(UInt8(ascii: "[")) { text += "[" }
        if bytes.contains(UInt8(ascii: "-")) { text += "-" }
        return text
    }
}
