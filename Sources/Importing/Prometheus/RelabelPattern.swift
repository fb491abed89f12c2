// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A regular expression of Prometheus' relabelling: RE2 syntax, matched against a whole text, with groups.
///
/// Not ``ProbePattern``, which answers only whether bytes match: here the groups count, and of several matches the one
/// that Go prefers. All alternatives advance together (Pike's machine), so that a match takes at most
/// ``size`` × (length of the text + 1) steps.
///
/// Source: https://github.com/google/re2/wiki/Syntax, https://pkg.go.dev/regexp#Regexp.Expand
struct RelabelPattern: Sendable {
    enum Instruction: Sendable {
        case scalar(RelabelSet)
        /// Continues at both places; the first is preferred.
        case split(Int, Int)
        case jump(Int)
        /// Remembers the place as the start (even) or the end (odd) of a group.
        case save(Int)
        case require(RelabelNode.Place)
        case match
    }

    /// The groups by their names.
    private let names: [String: Int]
    private let slots: Int
    private var program: [Instruction] = []

    private static let maximumSize = 4_000

    /// The number of steps of the expression at one position of the text: each instruction, and each place that a saved one copies.
    private(set) var size = 0
    /// How many nodes were compiled, with those of repetitions, which may be empty.
    private var emitted = 0

    /// Compiles an expression.
    ///
    /// - Throws: ``RelabelPatternError`` for an invalid or too large one.
    init(_ text: String) throws(RelabelPatternError) {
        var parser = try RelabelParser(text)
        let node = try parser.parse()
        names = parser.names
        slots = 2 * (parser.groups + 1)
        try emit(.group(node, 0))
        try append(.match)
        size = program.reduce(0) { size, instruction in
            if case .save = instruction { size + slots } else { size + 1 }
        }
    }

    // MARK: Compiling

    private mutating func append(_ instruction: Instruction) throws(RelabelPatternError) {
        guard program.count < Self.maximumSize else { throw RelabelPatternError(message: "it is too large") }
        program.append(instruction)
    }

    private mutating func emit(_ node: RelabelNode) throws(RelabelPatternError) {
        emitted += 1
        guard emitted <= 8 * Self.maximumSize else { throw RelabelPatternError(message: "it is too large") }
        switch node {
        case .empty: break
        case .scalar(let set): try append(.scalar(set))
        case .place(let place): try append(.require(place))
        case .sequence(let nodes): for node in nodes { try emit(node) }
        case .group(let node, let number):
            guard let number else { return try emit(node) }
            try append(.save(2 * number))
            try emit(node)
            try append(.save(2 * number + 1))
        case .alternatives(let nodes):
            var ends: [Int] = []
            for (index, node) in nodes.enumerated() {
                guard index < nodes.count - 1 else {
                    try emit(node)
                    break
                }
                let split = program.count
                try append(.split(split + 1, 0))
                try emit(node)
                ends.append(program.count)
                try append(.jump(0))
                program[split] = .split(split + 1, program.count)
            }
            for end in ends { program[end] = .jump(program.count) }
        case .repeated(let node, let low, let high, let isGreedy):
            for _ in 0..<low { try emit(node) }
            guard let high else { return try loop(node, isGreedy) }
            var splits: [Int] = []
            for _ in low..<max(low, high) {
                splits.append(program.count)
                try append(.jump(0))
                try emit(node)
            }
            for split in splits { program[split] = choice(split + 1, program.count, isGreedy) }
        }
    }

    private mutating func loop(_ node: RelabelNode, _ isGreedy: Bool) throws(RelabelPatternError) {
        let split = program.count
        try append(.jump(0))
        try emit(node)
        try append(.jump(split))
        program[split] = choice(split + 1, program.count, isGreedy)
    }

    private func choice(_ inside: Int, _ after: Int, _ isGreedy: Bool) -> Instruction {
        isGreedy ? .split(inside, after) : .split(after, inside)
    }

    // MARK: Matching

    /// The parts of a text that the groups match, the whole first; nil if the whole text does not match.
    func groups(in text: String) -> [String?]? {
        let scalars = Array(text.unicodeScalars)
        var threads = Threads(program.count)
        add(0, Array(repeating: nil, count: slots), at: 0, scalars, &threads)
        for (index, scalar) in scalars.enumerated() {
            let current = threads.list
            threads = Threads(program.count)
            for (place, saved) in current {
                guard case .scalar(let set) = program[place], set.contains(scalar) else { continue }
                add(place + 1, saved, at: index + 1, scalars, &threads)
            }
            if threads.list.isEmpty { return nil }
        }
        let ends = threads.list.first { if case .match = program[$0.place] { true } else { false } }
        guard let saved = ends?.saved else { return nil }
        return (0..<slots / 2).map { group in
            guard let start = saved[2 * group], let end = saved[2 * group + 1], start <= end else { return nil }
            return String(String.UnicodeScalarView(scalars[start..<end]))
        }
    }

    /// The places that are reached at one position of the text, the preferred first.
    private struct Threads {
        var list: [(place: Int, saved: [Int?])] = []
        private var isReached: [Bool]

        init(_ count: Int) { isReached = Array(repeating: false, count: count) }

        mutating func reach(_ place: Int) -> Bool {
            if isReached[place] { return false }
            isReached[place] = true
            return true
        }
    }

    private func add(
        _ place: Int,
        _ saved: [Int?],
        at position: Int,
        _ text: [Unicode.Scalar],
        _ threads: inout Threads
    ) {
        // A list instead of recursion: an expression can have thousands of alternatives.
        var rest = [(place, saved)]
        while let (place, saved) = rest.popLast() {
            guard threads.reach(place) else { continue }
            switch program[place] {
            case .jump(let next): rest.append((next, saved))
            case .split(let first, let second):
                rest.append((second, saved))
                rest.append((first, saved))
            case .save(let slot):
                var saved = saved
                saved[slot] = position
                rest.append((place + 1, saved))
            case .require(let wanted):
                if wanted.holds(at: position, in: text) { rest.append((place + 1, saved)) }
            case .scalar, .match: threads.list.append((place, saved))
            }
        }
    }

    // MARK: Replacing

    /// A template with the groups in place of `$1`, `${1}`, `$name` and `${name}`; `$$` is a dollar sign.
    func expand(_ template: String, _ groups: [String?]) -> String {
        var result = ""
        var rest = template[...]
        while let dollar = rest.firstIndex(of: "$") {
            result += rest[..<dollar]
            rest = rest[rest.index(after: dollar)...]
            if rest.first == "$" {
                result += "$"
                rest = rest.dropFirst()
                continue
            }
            let isBraced = rest.first == "{"
            let body = isBraced ? rest.dropFirst() : rest
            let name = body.prefix { $0 == "_" || $0.isLetter || $0.isNumber }
            let after = body[name.endIndex...]
            guard !name.isEmpty, !isBraced || after.first == "}" else {
                result += "$"
                continue
            }
            rest = isBraced ? after.dropFirst() : after
            let isNumber = name.utf8.allSatisfy { (0x30...0x39).contains($0) }
            let number = isNumber ? Int(name) : names[String(name)]
            if let number, groups.indices.contains(number) { result += groups[number] ?? "" }
        }
        return result + rest
    }
}

/// The error for a text that is not a regular expression for relabelling.
struct RelabelPatternError: Error, Hashable {
    /// The message: one line for people.
    let message: String
}
