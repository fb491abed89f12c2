// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import HTTPServer
import Monitoring

/// The conditions `If-Match` and `If-None-Match` of a change (RFC 9110, section 13).
///
/// A validator names a version of all that is reported of a target, including results of probes, and is weak. A change
/// must not overwrite an unseen declaration: so `If-Match` holds while the target is declared as in the validator's
/// version, whatever its state since. The RFC's strong comparison would never hold.
struct WriteCondition: Sendable {
    private enum Wanted: Sendable {
        case anything
        /// The texts inside the quotes.
        case tags([Substring])
    }

    private let match: Wanted?
    private let noneMatch: Wanted?

    init(_ request: HTTPRequest) {
        match = request.header("If-Match").map(Self.wanted)
        noneMatch = request.header("If-None-Match").map(Self.wanted)
    }

    /// - Parameters:
    ///   - record: the target's record; nil if it does not exist.
    ///   - run: the registry's run.
    ///   - version: its current version.
    func holds(for record: StatusRecord?, run: String, version: UInt64) -> Bool {
        holds(
            record.map { (declared: $0.target?.version ?? 0, shown: $0.version) },
            run: run,
            newest: version
        )
    }

    /// - Parameters:
    ///   - incident: the incident; it is declared as in a validator's version unless a person changed it since.
    ///   - run: the registry's run.
    ///   - newest: the newest revision of any incident.
    func holds(for incident: Incident, run: String, newest: UInt64) -> Bool {
        holds((declared: incident.editRevision, shown: incident.revision), run: run, newest: newest)
    }

    /// - Parameter revision: the version of a fleet's target; nil if it does not exist.
    func holds(for revision: FleetRevision?) -> Bool {
        let version = UInt64(clamping: revision?.version ?? 0)
        return holds(
            revision.map { _ in (declared: version, shown: version) },
            run: revision?.epoch ?? "",
            newest: UInt64(clamping: revision?.newest ?? 0)
        )
    }

    private func holds(_ target: (declared: UInt64, shown: UInt64)?, run: String, newest: UInt64) -> Bool {
        if let match {
            guard let target else { return false }
            if case .tags(let tags) = match {
                guard
                    tags.contains(where: {
                        Self.version(in: $0, of: run).map { $0 >= target.declared && $0 <= newest } ?? false
                    })
                else { return false }
            }
        }
        if let noneMatch, let target {
            guard case .tags(let tags) = noneMatch,
                !tags.contains(where: { Self.version(in: $0, of: run) == target.shown })
            else { return false }
        }
        return true
    }

    private static func wanted(_ field: String) -> Wanted {
        var tags: [Substring] = []
        for part in field.split(separator: ",") {
            var tag = part.drop { $0 == " " || $0 == "\t" }
            while let last = tag.last, last == " " || last == "\t" { tag = tag.dropLast() }
            if tag == "*" { return .anything }
            if tag.hasPrefix("W/") { tag = tag.dropFirst(2) }
            guard tag.utf8.count >= 2, tag.first == "\"", tag.last == "\"" else { continue }
            tags.append(tag.dropFirst().dropLast())
        }
        return .tags(tags)
    }

    /// The version that a validator names: `<run>-<version>`, with more after another `-` for what else the body shows. Those of
    /// another run, or invalid ones, name none.
    private static func version(in tag: Substring, of run: String) -> UInt64? {
        guard tag.hasPrefix(run + "-") else { return nil }
        let digits = tag.dropFirst(run.count + 1).prefix { $0 != "-" }
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt64(digits)
    }
}
