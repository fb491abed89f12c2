// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import PostgreSQL

/// A node's own settings of its fleet; what all nodes must agree on is ``FleetSettings`` in the database.
package struct FleetNodeSettings: Sendable, Hashable {
    /// The database's connection URI; nil: this reachd belongs to no fleet.
    package var database: String?
    /// A file with the password of the database's role.
    package var passwordFile: String?
    /// The node's unique name; nil: the host name.
    package var node: String?
    /// The location that the node probes from.
    package var location = "default"
    /// Where other nodes' clients reach this node.
    package var url: String?
    /// The greatest number of targets that the fleet assigns to the node.
    package var capacity = 100_000
    /// Whether the node may be the coordinator.
    package var coordinates = true
    /// Whether the database's notifications reach the node; a pooler in transaction mode does not pass them on.
    package var listens = true

    /// Creates settings without a fleet.
    package init() {}

    /// How to reach the database; nil without a fleet.
    ///
    /// - Throws: `invalid_settings`.
    package func connection() throws(DatabaseError) -> DatabaseSettings? {
        guard let database else { return nil }
        return try DatabaseSettings(uri: database, passwordFile: passwordFile)
    }
}
