// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc

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

/// The search list and `ndots` of `resolv.conf(5)`. c-ares reads them too and has no function that says what it read:
/// `ares_save_options` leaves them out since 1.28.
struct SearchList: Equatable {
    /// The domains that a name is tried with, in order.
    private(set) var domains: [String]
    /// With so many dots or more a name is tried as it is first.
    private(set) var dots = 1

    private static let maximumDots = 15
    private static let maximumDomains = 32

    /// Reads a file's bytes: of several lines with a list the last one counts.
    ///
    /// - Parameters:
    ///   - localDomain: `LOCALDOMAIN`, which goes over the file.
    ///   - options: `RES_OPTIONS`, likewise.
    ///   - hostName: the machine's name, whose domain is the list where there is none.
    init(parsing file: [UInt8], localDomain: String? = nil, options: String? = nil, hostName: String = "") {
        domains = []
        var list: [String]?
        for words in ResolvConf.lines(of: file) {
            switch words.first {
            case "search": list = Array(words.dropFirst().prefix(Self.maximumDomains))
            case "domain": list = Array(words.dropFirst().prefix(1))
            case "options": read(words.dropFirst())
            default: continue
            }
        }
        if let localDomain {
            list = Array(ResolvConf.words(of: localDomain).prefix(Self.maximumDomains))
        }
        if let options { read(ResolvConf.words(of: options)[...]) }
        domains = list ?? hostName.firstIndex(of: ".").map { [String(hostName[$0...].dropFirst())] } ?? []
        domains.removeAll(where: \.isEmpty)
    }

    /// Reads a file's bytes, and what the environment and the machine's name say.
    static func system(parsing file: [UInt8]) -> SearchList {
        SearchList(
            parsing: file,
            localDomain: unsafe getenv("LOCALDOMAIN").map { unsafe String(cString: $0) },
            options: ResolvConf.environmentOptions,
            hostName: MachineName.current
        )
    }

    private mutating func read(_ options: ArraySlice<String>) {
        for option in options where option.hasPrefix("ndots:") {
            if let number = Int(option.dropFirst("ndots:".count)), number >= 0 { dots = min(number, Self.maximumDots) }
        }
    }
}

/// Rules about names that need no server.
enum HostName {
    /// Whether this can be asked for: 1 to 253 bytes in labels of 1 to 63 (RFC 1035, section 2.3.4), a dot at the end
    /// allowed; no NUL, which would cut it, and no backslash, which c-ares takes for an escape.
    static func isValid(_ name: String) -> Bool {
        var bytes = Substring(name).utf8
        if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        guard (1...253).contains(bytes.count), !bytes.contains(where: { $0 == 0 || $0 == UInt8(ascii: "\\") }) else {
            return false
        }
        return bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .allSatisfy { (1...63).contains($0.count) }
    }

    /// Whether it means this machine, whatever a server says: `localhost` and everything below (RFC 6761, section 6.3).
    static func isLocalhost(_ name: String) -> Bool {
        let lower = name.lowercased()
        let bare = lower.hasSuffix(".") ? String(lower.dropLast()) : lower
        return bare == "localhost" || bare.hasSuffix(".localhost")
    }
}
