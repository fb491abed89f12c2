// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import PostgreSQL

/// Decides which statements initialize or migrate a schema. Pure: the driver executes the actions and returns the rows.
struct SchemaPlan {
    let schema: SchemaName
    let migrations: [Migration]
    /// What the operator runs, for messages.
    let command: String

    /// The newest version that this reachd knows.
    private var newest: Int { migrations.map(\.version).max() ?? 0 }

    // MARK: The two commands

    /// Creates everything in one transaction; on an existing fleet, only what is absent outside of its tables.
    func initialization(loginRole: String, identity: String, epoch: String) -> [SchemaAction] {
        beginning(loginRole: loginRole) { facts throws(SchemaFailure) in
            let login = try usableLogin(facts, loginRole)
            if facts.schemaOwner != nil, facts.hasObjects, !facts.hasFleet {
                throw problem(
                    .schemaOccupied,
                    "the schema \(schema.text) contains objects of another program",
                    next: "choose another name with --schema"
                )
            }
            var actions = roles(facts) + [self.schema(facts)] + settings(facts, loginRole, login) + ownership
            if facts.hasFleet {
                actions.append(existing)
            } else {
                actions += migrations.flatMap(application)
                actions += [seed(identity: identity, epoch: epoch), partitions]
            }
            return actions + [SchemaAction("COMMIT", name: "commit")]
        }
    }

    /// Applies the next migration in a transaction, and so on.
    func migration() -> [SchemaAction] {
        beginning(loginRole: nil) { facts throws(SchemaFailure) in
            guard facts.hasFleet else {
                throw problem(
                    .schemaMissing,
                    "database \(facts.database) has no fleet in schema \(schema.text)",
                    next: "run reachd fleet init --schema \(schema.text) --user ROLE"
                )
            }
            return ownership + [SchemaAction(Self.versions, next: nextMigration)]
        }
    }

    // MARK: Both

    private func beginning(
        loginRole: String?,
        continuing: @escaping (SchemaFacts) throws(SchemaFailure) -> [SchemaAction]
    ) -> [SchemaAction] {
        [
            SchemaAction("BEGIN", name: "begin"),
            SchemaAction(Self.limits, [.text("30s")]),
            // Released with the transaction, also when the client stops: the server ends an idle one.
            SchemaAction(
                Statement("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", name: "lock_schema"),
                [.text("reachd fleet \(schema.text)")]
            ),
            SchemaAction(SchemaFacts.statement, SchemaFacts.parameters(schema, loginRole: loginRole)) {
                rows throws(SchemaFailure) in
                let facts = try Self.read { () throws(DatabaseError) in try SchemaFacts(rows) }
                try checkServer(facts)
                return try continuing(facts)
            },
        ]
    }

    private static let limits = Statement(
        """
        SELECT set_config('lock_timeout', $1, true), set_config('statement_timeout', '0', true),
            set_config('idle_in_transaction_session_timeout', '10s', true)
        """,
        name: "set_limits"
    )

    private func checkServer(_ facts: SchemaFacts) throws(SchemaFailure) {
        guard facts.serverVersion >= 130_000 else {
            throw .problem(.serverTooOld(facts.serverVersion))
        }
        guard !facts.isStandby else {
            throw problem(.standby, "the server is a standby", next: SchemaProblem.connectToPrimary)
        }
    }

    /// Continues as the owner, who can change everything in the schema whoever runs the command.
    private var ownership: [SchemaAction] {
        [
            SchemaAction("SET LOCAL ROLE \(SQLIdentifier.quote(schema.owner))", name: "become_owner"),
            // Without its mention, the folder of temporary tables would be searched first, also by the functions.
            SchemaAction("SET LOCAL search_path = \(schema.quoted), pg_temp", name: "select_schema"),
            // A wait for a table blocks the nodes' statements behind it; they wait as long.
            SchemaAction(Self.limits, [.text("2s")]),
        ]
    }

    private static let versions = Statement(
        "SELECT coalesce(max(version), 0), coalesce(max(needs), 0) FROM schema_versions",
        name: "read_versions"
    )

    private static func read<Value>(_ body: () throws(DatabaseError) -> Value) throws(SchemaFailure) -> Value {
        do {
            return try body()
        } catch {
            throw .database(error)
        }
    }

    func problem(_ code: SchemaProblem.Code, _ message: String, next: String) -> SchemaFailure {
        .problem(SchemaProblem(code, message, next: next))
    }

    // MARK: Migrations

    private func application(of migration: Migration) -> [SchemaAction] {
        let statements = migration.statements(schema).map {
            SchemaAction(Statement($0.sql, name: "migration \(migration.version), \($0.name ?? "statement")"))
        }
        let record = SchemaAction(
            Statement("INSERT INTO schema_versions (version, needs) VALUES ($1, $2)", name: "record_version"),
            [.integer(Int64(migration.version)), .integer(Int64(migration.needs))],
            step: SchemaStep(.migration(migration.version), .done)
        )
        return statements + [record]
    }

    private func nextMigration(_ rows: DatabaseRows) throws(SchemaFailure) -> [SchemaAction] {
        let (version, needs) = try Self.read { () throws(DatabaseError) in
            (try rows.integer(0, 0), try rows.integer(0, 1))
        }
        let pending = migrations.filter { $0.version > version }.sorted { $0.version < $1.version }
        guard let first = pending.first else {
            guard needs <= newest else {
                throw .problem(.tooNew(version: version, needs: needs, supported: newest))
            }
            return [
                SchemaAction("COMMIT", name: "commit", step: SchemaStep(.migration(Int(clamping: version)), .existed))
            ]
        }
        // The version is read again: another run may apply the next one.
        let following = pending.count > 1 ? migration() : []
        return application(of: first) + [SchemaAction("COMMIT", name: "commit")] + following
    }

    private var existing: SchemaAction {
        SchemaAction(Self.versions) { rows throws(SchemaFailure) in
            let version = Int(clamping: try Self.read { () throws(DatabaseError) in try rows.integer(0, 0) })
            let steps = [SchemaStep(.migration(version), .existed)]
            let isBehind = version < newest
            return (steps + (isBehind ? [SchemaStep(.migration(newest), .warning)] : [])).map(
                SchemaAction.init(report:)
            )
        }
    }

    private func seed(identity: String, epoch: String) -> SchemaAction {
        SchemaAction(
            Statement("INSERT INTO log_head (identity, epoch) VALUES ($1, $2)", name: "create_identity"),
            [.text(identity), .text(epoch)],
            step: SchemaStep(.identity, .done)
        )
    }

    private var partitions: SchemaAction {
        SchemaAction(
            LogPartitions.create,
            [.integer(Int64(LogPartitions.daysAhead))],
            step: SchemaStep(.partitions, .done)
        )
    }
}
