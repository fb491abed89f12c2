// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A part of a regular expression.
indirect enum RelabelNode: Sendable {
    case empty
    case scalar(RelabelSet)
    case place(Place)
    case sequence([RelabelNode])
    case alternatives([RelabelNode])
    /// A group, with its number if it captures.
    case group(RelabelNode, Int?)
    case repeated(RelabelNode, low: Int, high: Int?, isGreedy: Bool)

    /// A condition on a position.
    enum Place: Sendable {
        case start, end, lineStart, lineEnd, wordBoundary, noWordBoundary

        func holds(at position: Int, in text: [Unicode.Scalar]) -> Bool {
            let before = position > 0 ? text[position - 1] : nil
            let after = position < text.count ? text[position] : nil
            switch self {
            case .start: return before == nil
            case .end: return after == nil
            case .lineStart: return before == nil || before == "\n"
            case .lineEnd: return after == nil || after == "\n"
            case .wordBoundary, .noWordBoundary:
                let isBoundary =
                    (before.map(RelabelSet.word.contains) ?? false) != (after.map(RelabelSet.word.contains) ?? false)
                return isBoundary == (self == .wordBoundary)
            }
        }
    }
}

/// A set of characters.
struct RelabelSet: Sendable {
    var ranges: [ClosedRange<UInt32>] = []
    var isNegated = false
    var ignoresCase = false

    static let any = RelabelSet(isNegated: true)
    static let notLineEnd = RelabelSet(ranges: [0x0A...0x0A], isNegated: true)
    static let word = RelabelSet(ranges: named("word") ?? [])

    func contains(_ scalar: Unicode.Scalar) -> Bool { includes(scalar) != isNegated }

    private func includes(_ scalar: Unicode.Scalar) -> Bool {
        if ranges.contains(where: { $0.contains(scalar.value) }) { return true }
        guard ignoresCase else { return false }
        for form in [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping] {
            let scalars = form.unicodeScalars
            guard scalars.count == 1, let other = scalars.first, other != scalar else { continue }
            if ranges.contains(where: { $0.contains(other.value) }) { return true }
        }
        return false
    }

    /// The ranges of `\d`, `\s`, `\w` or their complements; nil for another letter.
    static func perl(_ letter: Unicode.Scalar) -> [ClosedRange<UInt32>]? {
        switch letter {
        case "d": named("digit")
        case "w": named("word")
        case "s": [0x09...0x0A, 0x0C...0x0D, 0x20...0x20]
        case "D": named("digit").map(complement)
        case "W": named("word").map(complement)
        case "S": complement([0x09...0x0A, 0x0C...0x0D, 0x20...0x20])
        default: nil
        }
    }

    /// The ranges of an ASCII class: `alpha`, `^alpha`.
    static func named(_ name: String) -> [ClosedRange<UInt32>]? {
        // Not twice: RE2 has no such class, and no range follows the last scalar.
        if name.hasPrefix("^"), !name.hasPrefix("^^") { return named(String(name.dropFirst())).map(complement) }
        switch name {
        case "alnum": return [0x30...0x39, 0x41...0x5A, 0x61...0x7A]
        case "alpha": return [0x41...0x5A, 0x61...0x7A]
        case "ascii": return [0...0x7F]
        case "blank": return [0x09...0x09, 0x20...0x20]
        case "cntrl": return [0...0x1F, 0x7F...0x7F]
        case "digit": return [0x30...0x39]
        case "graph": return [0x21...0x7E]
        case "lower": return [0x61...0x7A]
        case "print": return [0x20...0x7E]
        case "punct": return [0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E]
        case "space": return [0x09...0x0D, 0x20...0x20]
        case "upper": return [0x41...0x5A]
        case "word": return [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A]
        case "xdigit": return [0x30...0x39, 0x41...0x46, 0x61...0x66]
        default: return nil
        }
    }

    private static func complement(_ ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
        var result: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges {
            if range.lowerBound > next { result.append(next...(range.lowerBound - 1)) }
            next = range.upperBound + 1
        }
        return result + [next...0x10_FFFF]
    }
}
