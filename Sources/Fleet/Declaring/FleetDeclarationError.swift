// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import PostgreSQL

/// Why a document was not applied; nothing of it was.
package enum FleetDeclarationError: Error, Sendable, Hashable {
    /// The database has no fleet.
    case notInitialized
    /// The document has more targets than ``FleetDeclarer/maximumTargets``.
    case tooMany(Int)
    /// The fleet would have more targets than its settings allow.
    case tooManyInFleet(Int, Int)
    /// The fleet would have too many different placements.
    case tooManyPlacements
    /// The document of this source has no version, and the stored one has.
    case versionMissing(String, stored: FleetSource)
    /// The document of this source has a lower version than the stored one.
    case versionOlder(String, Int64, stored: FleetSource)
    /// The document of this source has the version of the stored one, and other content.
    case versionReused(String, stored: FleetSource)
    /// Targets of other sources, or of API clients, depend on removed ones: the first of these, each with some of its dependents.
    case parentsInUse([String: [String]])
    /// Another process applied a document at the same time.
    case outdated
    /// The database failed.
    case database(DatabaseError)
    /// The database has no schema that this program can use.
    case schema(SchemaProblem)

    /// The stable code.
    package var code: String {
        switch self {
        case .notInitialized: "not_initialized"
        case .tooMany: "too_many_targets"
        case .tooManyInFleet: "max_targets"
        case .tooManyPlacements: "too_many_watches"
        case .versionMissing: "version_missing"
        case .versionOlder: "version_older"
        case .versionReused: "version_reused"
        case .parentsInUse: "parents_in_use"
        case .outdated: "contended"
        case .database(let error): error.reason.rawValue
        case .schema(let problem): problem.code.rawValue
        }
    }

    /// Whether the database is at fault, and not the document.
    package var isOfDatabase: Bool {
        switch self {
        case .database, .schema: true
        default: false
        }
    }

    /// When the same document may be applied after all.
    package enum Retry: Sendable, Hashable {
        /// When the database is back, or another process is done.
        case soon
        /// When people change something else in the fleet.
        case later
        /// Not before the document is changed.
        case never
    }

    /// When the same document may be applied after all.
    package var retry: Retry {
        switch self {
        case .notInitialized, .outdated, .database, .schema: .soon
        case .tooManyInFleet, .tooManyPlacements, .parentsInUse: .later
        case .tooMany, .versionMissing, .versionOlder, .versionReused: .never
        }
    }

    /// What happened and what to do, in words.
    package var words: String {
        switch self {
        case .notInitialized: "the database has no fleet: run reachd fleet init"
        case .tooMany(let count): "there are \(count) targets, more than \(FleetDeclarer.maximumTargets)"
        case .tooManyInFleet(let count, let maximum):
            "the fleet would have \(count) targets, and its setting max_targets allows \(maximum)"
        case .tooManyPlacements:
            "the targets need more than \(Placement.maximumCount) different values of watch, with those of all earlier targets"
        case .versionMissing(let name, let stored):
            "the source \(name) has version \(stored.version ?? 0) in the fleet (applied \(stored.place)), and the file has no "
                + "version: give it a higher one, or pass --force"
        case .versionOlder(let name, let version, let stored):
            "version \(version) of the source \(name) is older than \(stored.version ?? 0) in the fleet (applied "
                + "\(stored.place)): apply the newer file, or pass --force"
        case .versionReused(let name, let stored):
            "version \(stored.version ?? 0) of the source \(name) has other content in the fleet (applied \(stored.place)): "
                + "raise version, or pass --force"
        case .parentsInUse(let parents):
            parents.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value.joined(separator: ", ")))" }
                .joined(separator: ", ")
                + ": the file no longer has these targets, and those of other sources depend on them: "
                + "change or remove the dependents first, or keep the targets in the file"
        case .outdated: "the fleet's declarations were changed at the same time; run the command again"
        case .database(let error): error.description
        case .schema(let problem): problem.description
        }
    }
}
