// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import PostgreSQL

/// A target as the fleet's database stores it: its declaration, and what the fleet itself needs of it.
package struct FleetDeclaration: Sendable, Hashable {
    /// The target's id.
    package let id: String
    /// Which locations watch it, and how many must report it down.
    package let placement: Placement
    /// The declaration, a JSON object in the form of the configuration.
    package let text: String
    /// The interval of its probe, or the time in which results confirm a change when that is longer: three of these are what a new owner
    /// has until a predecessor's vote does not count any more.
    package let interval: Duration
    /// Whether the target stays `up` while only some locations reach it (`partial: up`).
    package let isPartialUp: Bool
    /// Its group; nil for none.
    package let group: String?
    /// Its labels, as `name:value`, sorted.
    package let tags: [String]
    /// The ids of the targets that it depends on, sorted.
    package let parents: [String]

    /// Creates a declaration.
    package init(
        id: String,
        placement: Placement,
        text: String,
        interval: Duration,
        isPartialUp: Bool = false,
        group: String? = nil,
        tags: [String] = [],
        parents: [String] = []
    ) {
        self.id = id
        self.placement = placement
        self.text = text
        self.interval = interval
        self.isPartialUp = isPartialUp
        self.group = group
        self.tags = tags
        self.parents = parents.sorted()
    }
}

extension FleetDeclaration {
    /// A row of ``DeclarationStatements/page``; nil when its placement makes no sense.
    init?(_ rows: DatabaseRows, _ row: Int) throws(DatabaseError) {
        guard let placement = try Placement(rows, row, 3) else { return nil }
        self.init(
            id: try rows.text(row, 0),
            placement: placement,
            text: try rows.text(row, 2),
            interval: Duration(microseconds: try rows.integer(row, 6)),
            isPartialUp: try rows.bool(row, 7),
            group: try rows.optionalText(row, 8),
            tags: try rows.texts(row, 9).compactMap(\.self),
            parents: try rows.texts(row, 10).compactMap(\.self)
        )
    }
}

extension Placement {
    /// Reads watchers, quorum and locations from three columns; nil when they make no sense.
    init?(_ rows: DatabaseRows, _ row: Int, _ column: Int) throws(DatabaseError) {
        let watchers = Int(clamping: try rows.integer(row, column))
        let quorum = Int(clamping: try rows.integer(row, column + 1))
        let locations = try rows.texts(row, column + 2).compactMap(\.self)
        guard let placement = try? Placement(watchers: watchers, quorum: quorum, locations: locations) else {
            return nil
        }
        self = placement
    }
}
