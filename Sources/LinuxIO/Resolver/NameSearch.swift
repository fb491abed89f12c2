// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The names to try for one name, in the order of `resolv.conf(5)`, and what they came to.
struct NameSearch {
    private var candidates: ArraySlice<String>
    private var sawNoData = false

    /// - Parameters:
    ///   - name: As it was asked for; a dot at its end means: this name and no other.
    ///   - domains: The search list.
    ///   - dots: With so many dots or more the name is tried as it is first, else last (`ndots`).
    init(name: String, domains: [String], dots: Int) {
        guard name.utf8.last != UInt8(ascii: ".") else {
            candidates = [name]
            return
        }
        // `search .` is how one writes an empty list: the name as it is comes once anyway.
        let extended = domains.filter { $0 != "." }.map { "\(name).\($0)" }
        let isQualified = name.utf8.count(where: { $0 == UInt8(ascii: ".") }) >= dots
        candidates = ArraySlice(isQualified ? [name] + extended : extended + [name])
    }

    /// What to do about the answer for the current candidate.
    enum Step: Equatable {
        case ask(String)
        case finish(ResolverAnswer.Outcome)
    }

    /// The first name to ask for.
    mutating func start() -> Step { next() }

    /// Goes on after an answer: the next candidate where this one has no addresses, the end otherwise. A server that
    /// fails ends it too: the other candidates would only wait for the same server.
    mutating func advance(after outcome: ResolverAnswer.Outcome) -> Step {
        switch outcome {
        case .noSuchName, .badName: next()
        case .noData: next(noData: true)
        default: .finish(outcome)
        }
    }

    private mutating func next(noData: Bool = false) -> Step {
        sawNoData = sawNoData || noData
        guard let candidate = candidates.popFirst() else { return .finish(sawNoData ? .noData : .noSuchName) }
        return .ask(candidate)
    }
}
