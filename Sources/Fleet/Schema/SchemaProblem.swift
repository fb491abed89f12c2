// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import LinuxIO
internal import PostgreSQL

/// Why a fleet's schema cannot be used, created or migrated, with the next step.
package struct SchemaProblem: Error, Sendable, Hashable {
    /// The closed list of reasons; the raw values are stable codes.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        // What a node finds after connecting.

        /// The database contains no fleet, or not in the schema that the login role selects.
        case schemaMissing = "schema_missing"
        /// The schema is older than this reachd needs.
        case schemaTooOld = "schema_too_old"
        /// The schema no longer accepts writes of this reachd.
        case schemaTooNew = "schema_too_new"
        /// The login role was not set up for the fleet, or lost its privileges.
        case roleMissing = "role_missing"
        /// The server is older than PostgreSQL 13.
        case serverTooOld = "server_too_old"
        /// The server is a standby, or the database is read-only.
        case standby

        // What initialization and migration find in addition.

        /// The schema's, the role's or the fleet's name has an invalid form.
        case invalidName = "invalid_name"
        /// The schema contains objects of another program.
        case schemaOccupied = "schema_occupied"
        /// The login role does not exist, cannot log in or does not inherit privileges.
        case loginRole = "login_role"
        /// The login role serves another fleet in the same database.
        case loginRoleInUse = "login_role_in_use"
        /// The role that runs the command may not do a part of it.
        case notPermitted = "not_permitted"
        /// Another run, or a transaction that uses the tables, did not end in time.
        case busy
        /// The connection ended; whether the last step was committed is unknown.
        case interrupted
        /// Any other error of the database.
        case failed
    }

    /// The reason.
    package let code: Code
    /// What is wrong, with the value; one line, without secrets.
    package let message: String
    /// What to do next; one line.
    package let nextStep: String

    /// Creates a problem; control characters and line ends in the texts become spaces.
    package init(_ code: Code, _ message: String, next: String) {
        self.code = code
        self.message = DisplayText.line(message, limit: DatabaseError.messageLimit)
        nextStep = DisplayText.line(next, limit: DatabaseError.messageLimit)
    }

    /// A value of the caller's in a message.
    static func shown(_ text: String) -> String {
        "\"\(DisplayText.line(text, limit: 80))\""
    }

    /// An error of the database during initialization or migration.
    ///
    /// - Parameters:
    ///   - error: the error; its message names the statement.
    ///   - command: what to run again.
    init(_ error: DatabaseError, command: String) {
        let again = "run \(command) again"
        switch error.reason {
        case .permissionDenied:
            self.init(.notPermitted, error.message, next: "\(again) as a superuser, or as a role with \(Self.needed)")
        case .serverTooOld:
            self.init(.serverTooOld, error.message, next: Self.upgradeServer)
        case .readOnly:
            self.init(.standby, error.message, next: Self.connectToPrimary)
        case .lockTimeout, .serialization:
            self.init(.busy, "another transaction did not end in time: \(error.message)", next: again)
        case .timeout, .shuttingDown, .connectionLost, .closed:
            self.init(.interrupted, error.message, next: "\(again); completed steps are kept")
        default:
            // Roles belong to the whole server: a run in another of its databases may create the same one.
            let isRace = ["23505", "42710", "42P06"].contains(error.sqlState)
            self.init(isRace ? .busy : .failed, "\(error)", next: isRace ? again : "correct the cause, then \(again)")
        }
    }

    /// What the role that runs the commands needs.
    static let needed =
        "CREATEROLE, CREATE on the database, ADMIN OPTION on the nodes' role (from PostgreSQL 16 on), and membership in the "
        + "fleet's owner role"
    static let upgradeServer = "use PostgreSQL 13 or later"
    static let connectToPrimary =
        "connect to the primary, for example with several hosts and target_session_attrs=read-write in the URI"
}

extension SchemaProblem {
    static func serverTooOld(_ version: Int64) -> SchemaProblem {
        SchemaProblem(.serverTooOld, "the server's version \(version) is below 13", next: upgradeServer)
    }

    static func tooOld(version: Int64, supported: Int, schema: String) -> SchemaProblem {
        SchemaProblem(
            .schemaTooOld,
            "the schema \(schema) has version \(version); this reachd needs version \(supported)",
            next: "run reachd fleet migrate --schema \(schema)"
        )
    }

    static func tooNew(version: Int64, needs: Int64, supported: Int) -> SchemaProblem {
        SchemaProblem(
            .schemaTooNew,
            "the schema has version \(version) and needs version \(needs) or later; this reachd has version \(supported)",
            next: "update reachd"
        )
    }

    static func roleMissing(user: String, schema: String) -> SchemaProblem {
        SchemaProblem(
            .roleMissing,
            "the role \(user) is not set up for the fleet in schema \(schema)",
            next: "run reachd fleet init --schema \(schema) --user \(user)"
        )
    }
}

extension SchemaProblem: CustomStringConvertible {
    /// The message and the next step.
    package var description: String { "\(message); \(nextStep)" }
}
