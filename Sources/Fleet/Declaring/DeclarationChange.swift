// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import PostgreSQL

/// A change of declarations, which is written in one statement if they are still those that it was made for.
struct DeclarationChange: Sendable {
    /// A source with what is stored about it.
    struct Source: Sendable {
        let name: String
        /// The version of the document.
        let version: Int64?
        /// The digest of the document.
        let digest: String
        /// The host that applies it.
        let host: String
    }

    /// The source of `fleet apply`; nil for API clients.
    let source: Source?
    /// The version of all declarations that the change was made for.
    let version: Int64
    /// New targets, and new declarations of existing ones.
    var declarations: [FleetDeclaration] = []
    /// The ids of targets to remove, which are of the same source.
    var removed: [String] = []
    /// The settings; nil to leave them as they are.
    var settings: FleetSettings?
    /// What is logged.
    var events: [DeclarationEvent] = []

    /// The placements that the declarations need.
    var placements: [Placement] { Array(Set(declarations.map(\.placement))) }

    /// Adds placements that do not exist.
    ///
    /// - Returns: the numbers of all placements; those that would be too many are missing.
    static func add(_ placements: [Placement]) -> FleetQuestion<[Placement: Int64]> {
        let parameters: [DatabaseValue] = [
            .integers(placements.map { Int64($0.watchers) }), .integers(placements.map { Int64($0.quorum) }),
            .texts(placements.map { DatabaseValue.texts($0.locations).literal }),
            .integer(Placement.maximumCount),
        ]
        return FleetQuestion(DeclarationStatements.placements, parameters) { rows throws(DatabaseError) in
            var numbers: [Placement: Int64] = [:]
            for row in 0..<rows.rowCount {
                if let placement = try Placement(rows, row, 1) { numbers[placement] = try rows.integer(row, 0) }
            }
            return numbers
        }
    }

    /// Writes the change; returns false, and has written nothing, when other declarations were written since.
    ///
    /// - Parameter numbers: the numbers of ``placements``.
    func write(_ numbers: [Placement: Int64]) -> FleetQuestion<Bool> {
        let placements = declarations.map { numbers[$0.placement] ?? 0 }
        let dependencies = declarations.flatMap { declaration in declaration.parents.map { ($0, declaration.id) } }
        let parameters: [DatabaseValue] = [
            .optional(source?.name), .texts(declarations.map(\.id)), .integers(placements),
            .integers(zip(declarations, placements).map { Int64(Shard(of: $0.id, placement: Int($1)).number) }),
            .texts(declarations.map(\.text)), .integers(declarations.map(\.interval.microseconds)),
            .booleans(declarations.map(\.isPartialUp)), .texts(declarations.map(\.group)),
            .texts(declarations.map { DatabaseValue.texts($0.tags).literal }), .texts(removed),
            .texts(dependencies.map(\.0)), .texts(dependencies.map(\.1)),
            .optional(settings?.text), .integer(version),
            .texts(events.map(\.type.rawValue)), .texts(events.map(\.target)), .texts(events.map(\.group)),
            .texts(events.map(\.tags)), .texts(events.map(\.data)), .integer(.random(in: 0 ... .max)),
            source?.version.map(DatabaseValue.integer) ?? .null, .optional(source?.digest), .optional(source?.host),
        ]
        return FleetQuestion(DeclarationStatements.apply, parameters) { rows throws(DatabaseError) in
            rows.rowCount == 1
        }
    }
}

extension DatabaseValue {
    fileprivate static func optional(_ text: String?) -> DatabaseValue { text.map(DatabaseValue.text) ?? .null }
}

extension Placement {
    /// How many different placements a fleet can have; they are never removed.
    static let maximumCount: Int64 = 1_000
}
