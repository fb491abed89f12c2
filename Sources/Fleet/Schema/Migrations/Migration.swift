// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import PostgreSQL

/// A change of the schema: statements that are executed in one transaction.
///
/// Migrations only add in a first release (expand), and remove what no supported node uses in a later one (contract).
package struct Migration: Sendable {
    /// The version of the schema after it.
    package let version: Int
    /// The oldest version whose nodes may write afterwards.
    package let needs: Int
    /// The statements. They run as the owner role with the fleet's schema first in `search_path`; a table that they create is granted
    /// to the roles of the schema by them as well.
    package let statements: @Sendable (SchemaName) -> [Statement]

    /// Creates a migration.
    package init(version: Int, needs: Int, statements: @escaping @Sendable (SchemaName) -> [Statement]) {
        self.version = version
        self.needs = needs
        self.statements = statements
    }

    /// All migrations, by ascending version.
    package static let all = [initial, rollups, heartbeats, incidents]

    /// Version 1.
    package static let initial = Migration(version: 1, needs: 1) { schema in
        InitialTables.statements + InitialFunctions.statements(schema) + InitialPrivileges.statements(schema)
    }

    /// Version 2: the tables of rollups.
    package static let rollups = Migration(version: 2, needs: 1) { RollupTables.statements($0) }

    /// Version 3: the table of heartbeats. Nodes of earlier versions store none in it.
    private static let heartbeats = Migration(version: 3, needs: 1) { HeartbeatTable.statements($0) }

    /// Version 4: the tables of incidents.
    private static let incidents = Migration(version: 4, needs: 1) { IncidentTables.statements($0) }
}
