// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The size of an expression with its repeats written out, in characters and bracket expressions: the automaton has a state for each.
struct PatternSize {
    /// The sizes of what stands in each open group, the outermost first.
    private var groups = [0]
    /// The size of what a repeat would repeat.
    private var last = 0

    /// The maximum: regcomp(3) takes memory with the square of optional states, 260 MB for as many as these.
    private static let limit = 4_096

    static let error = ProbePatternError(
        message: "it is too large with its repeats written out: more than \(limit) characters"
    )

    /// Adds what one character of the expression was translated to.
    ///
    /// - Parameter openGroups: 1 where it opened a group, -1 where it closed one.
    mutating func take(_ text: ArraySlice<UInt8>, openGroups: Int) {
        // A repeat was counted by ``multiply(by:)``, and the others add no state.
        if let first = text.first, "{*+?|".utf8.contains(first) { return }
        if openGroups > 0 { return groups.append(0) }
        last = openGroups < 0 ? groups.removeLast() + 1 : Self.states(of: text)
        groups[groups.count - 1] += last
    }

    /// Repeats what came last.
    mutating func multiply(by count: Int) throws(ProbePatternError) {
        let repeated = last * max(1, count)
        groups[groups.count - 1] += repeated - last
        last = repeated
        guard groups.reduce(0, +) <= Self.limit else { throw Self.error }
    }

    /// A bracket expression counts as one.
    private static func states(of text: ArraySlice<UInt8>) -> Int {
        var (count, rest) = (0, text)
        while let byte = rest.popFirst() {
            count += 1
            if byte == UInt8(ascii: "\\") { _ = rest.popFirst() }
            guard byte == UInt8(ascii: "[") else { continue }
            if rest.first == UInt8(ascii: "^") { rest.removeFirst() }
            // A bracket that closes it does not come first.
            rest = rest.dropFirst().drop { $0 != UInt8(ascii: "]") }.dropFirst()
        }
        return count
    }
}
