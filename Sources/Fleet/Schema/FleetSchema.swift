// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Monitoring
package import PostgreSQL

/// Creates and migrates a fleet's schema over a connection that was opened as its owner or as a superuser.
///
/// On the connection's event loop; one call at a time, and no other statement of the connection meanwhile. Every transaction is bounded:
/// the server ends it when this process stops for 10 s, and waits at most 2 s for a table that nodes use.
package final class FleetSchema {
    private let connection: DatabaseConnection
    private let migrations: [Migration]
    private var run: SchemaRun?

    /// The deadline of one statement, such as the creation of an index on a large table.
    package var statementTimeout: Duration = .seconds(600)

    /// The version of the schema that this reachd's statements are written for.
    package static let version = Migration.all.map(\.version).max() ?? 0

    /// Uses an open connection.
    package init(connection: DatabaseConnection, migrations: [Migration] = Migration.all) {
        self.connection = connection
        self.migrations = migrations
    }

    /// Creates the group roles, the schema and its tables, and sets up the nodes' login role, in one transaction.
    ///
    /// What exists is left as it is, so that a second call changes nothing and a call with another login role only adds that. An existing
    /// schema is not migrated.
    ///
    /// - Parameters:
    ///   - schema: the schema's name.
    ///   - loginRole: the role that the nodes connect as; it exists.
    ///   - identity: the fleet's identity, 32 lower-case hexadecimal digits; of no effect on an existing fleet.
    ///   - epoch: the first epoch of its log.
    ///   - progress: called for each step when it ran; the steps of a transaction that fails are undone.
    ///   - completion: called once with all steps; from inside this call when a parameter is invalid.
    package func initialize(
        schema: SchemaName,
        loginRole: String,
        identity: String,
        epoch: String = EventID.randomEpoch(),
        progress: @escaping (SchemaStep) -> Void = { _ in },
        completion: @escaping (Result<[SchemaStep], SchemaProblem>) -> Void
    ) {
        let command = "reachd fleet init --schema \(schema.text) --user \(loginRole)"
        var problem: SchemaProblem?
        if !SQLIdentifier.isValid(loginRole) {
            problem = SchemaProblem(
                .invalidName,
                "the login role \(SchemaProblem.shown(loginRole)) is not a name of 1 to \(SQLIdentifier.limit) bytes",
                next: "name the nodes' role with --user"
            )
        } else if !Self.isIdentity(identity) || EventID(parsing: "\(epoch)-0") == nil {
            problem = SchemaProblem(
                .invalidName,
                "the identity \(SchemaProblem.shown(identity)) is not 32 lower-case hexadecimal digits, or the epoch is invalid",
                next: "create a random one"
            )
        }
        let plan = SchemaPlan(schema: schema, migrations: migrations, command: command)
        start(
            problem.map { .failure($0) }
                ?? .success(plan.initialization(loginRole: loginRole, identity: identity, epoch: epoch)),
            command,
            progress,
            completion
        )
    }

    /// Applies the migrations that a fleet lacks, each in a transaction. Migrations that succeeded before one that failed are kept.
    ///
    /// - Parameters:
    ///   - schema: the schema's name.
    ///   - progress: called for each step when it ran; the steps of a transaction that fails are undone.
    ///   - completion: called once with all steps; from inside this call when another one is running.
    package func migrate(
        schema: SchemaName,
        progress: @escaping (SchemaStep) -> Void = { _ in },
        completion: @escaping (Result<[SchemaStep], SchemaProblem>) -> Void
    ) {
        let command = "reachd fleet migrate --schema \(schema.text)"
        let plan = SchemaPlan(schema: schema, migrations: migrations, command: command)
        start(.success(plan.migration()), command, progress, completion)
    }

    private func start(
        _ plan: Result<[SchemaAction], SchemaProblem>,
        _ command: String,
        _ progress: @escaping (SchemaStep) -> Void,
        _ completion: @escaping (Result<[SchemaStep], SchemaProblem>) -> Void
    ) {
        guard run == nil else {
            // Its transaction would mix with the other's.
            return completion(.failure(SchemaProblem(.busy, "another call is running", next: "run \(command) again")))
        }
        switch plan {
        case .failure(let problem): completion(.failure(problem))
        case .success(let actions):
            let run = SchemaRun(connection: connection, timeout: statementTimeout, command: command, progress: progress)
            self.run = run
            run.start(actions) { [weak self] result in
                self?.run = nil
                completion(result)
            }
        }
    }

    private static func isIdentity(_ text: String) -> Bool {
        text.utf8.count == 32 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
