// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import PostgreSQL

/// Why the fleet's database cannot be used, for `/status`, metrics and the log.
package struct FleetFault: Error, Sendable, Hashable {
    /// A stable code: that of a ``DatabaseError/Reason``, of the schema check, or `not_initialized`.
    package let code: String
    /// One line for people, without secrets.
    package let message: String

    /// Creates a fault.
    package init(code: String, message: String) {
        self.code = code
        self.message = message
    }

    /// The fault behind an error of the database.
    package init(_ error: DatabaseError) {
        self.init(code: error.reason.rawValue, message: error.message)
    }

    /// The database has the tables of a fleet but not its head row.
    static let notInitialized = FleetFault(
        code: "not_initialized",
        message: "the database contains no fleet; run reachd fleet init"
    )
}
