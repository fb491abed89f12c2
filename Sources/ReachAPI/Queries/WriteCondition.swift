// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

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
        case versions([UInt64])
    }

    private var match: Wanted?
    private var noneMatch: Wanted?

    init(_ request: HTTPRequest, run: String) {
        match = request.header("If-Match").map { Self.wanted($0, run) }
        noneMatch = request.header("If-None-Match").map { Self.wanted($0, run) }
    }

    /// - Parameters:
    ///   - record: the target's record; nil if it does not exist.
    ///   - version: the registry's current version.
    func holds(for record: StatusRecord?, version: UInt64) -> Bool {
        if let match {
            guard let record else { return false }
            if case .versions(let versions) = match {
                let declared = record.target?.version ?? 0
                guard versions.contains(where: { $0 >= declared && $0 <= version }) else { return false }
            }
        }
        if let noneMatch, let record {
            guard case .versions(let versions) = noneMatch, !versions.contains(record.version) else { return false }
        }
        return true
    }

    /// Validators of another run, or invalid ones, name no version.
    private static func wanted(_ field: String, _ run: String) -> Wanted {
        var versions: [UInt64] = []
        for part in field.split(separator: ",") {
            var tag = part.drop { $0 == " " || $0 == "\t" }
            while let last = tag.last, last == " " || last == "\t" { tag = tag.dropLast() }
            if tag == "*" { return .anything }
            if tag.hasPrefix("W/") { tag = tag.dropFirst(2) }
            guard tag.utf8.count >= 2, tag.first == "\"", tag.last == "\"" else { continue }
            let text = tag.dropFirst().dropLast()
            guard text.hasPrefix(run + "-") else { continue }
            let digits = text.dropFirst(run.count + 1)
            guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let version = UInt64(digits) else { continue }
            versions.append(version)
        }
        return .versions(versions)
    }
}
