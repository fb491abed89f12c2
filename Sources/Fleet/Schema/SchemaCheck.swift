// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import PostgreSQL

/// A fleet's schema that a node can use.
package struct UsableSchema: Sendable, Hashable {
    /// Its name, which is also the channel of its notifications.
    package let name: String
    /// Its version; it may be newer than ``FleetSchema/version``.
    package let version: Int

    /// Creates one.
    package init(name: String, version: Int) {
        self.name = name
        self.version = version
    }
}

/// Checks after connecting whether a node can work with the database: one statement, and another one to explain a failure.
///
/// The login role's `search_path` selects the schema. On the executor's event loop.
package enum SchemaCheck {
    /// What the connection is for.
    package enum Purpose: Sendable, Hashable {
        /// All statements of a node.
        case write
        /// Lists and replay, also on a standby and with a schema that no longer accepts this reachd's writes.
        case read
    }

    /// Checks the database.
    ///
    /// - Parameters:
    ///   - executor: an open connection of the login role.
    ///   - purpose: what the connection is for.
    ///   - version: the schema version that the statements are written for.
    ///   - completion: called once, in a later turn of the loop. The outer failure is an error of the connection or the server, after
    ///     which the question remains open.
    package static func run(
        on executor: any StatementExecutor,
        purpose: Purpose = .write,
        version: Int = FleetSchema.version,
        completion: @escaping (Result<Result<UsableSchema, SchemaProblem>, DatabaseError>) -> Void
    ) {
        executor.execute(statement, []) { result in
            do throws(DatabaseError) {
                let found = try SchemaVersionRow(try result.get())
                completion(.success(found.decide(purpose: purpose, version: version)))
            } catch {
                guard [.missingObject, .permissionDenied, .unexpectedAnswer].contains(error.reason) else {
                    return completion(.failure(error))
                }
                explain(executor, completion)
            }
        }
    }

    private static func explain(
        _ executor: any StatementExecutor,
        _ completion: @escaping (Result<Result<UsableSchema, SchemaProblem>, DatabaseError>) -> Void
    ) {
        executor.execute(SchemaSearch.statement, []) { result in
            do throws(DatabaseError) {
                let problem = try SchemaSearch(try result.get()).explain()
                completion(.success(.failure(problem)))
            } catch {
                completion(.failure(error))
            }
        }
    }

    /// Fails when the search path finds no `schema_versions`, or the role may not read it.
    static let statement = Statement(
        """
        SELECT current_schema()::text, current_user::text, current_setting('server_version_num')::bigint,
            pg_is_in_recovery(), v.version, v.needs,
            coalesce(has_table_privilege(to_regclass('log')::oid, 'SELECT'), false),
            coalesce(has_table_privilege(to_regclass('log')::oid, 'INSERT')
                AND has_table_privilege(to_regclass('inbox')::oid, 'INSERT')
                AND has_table_privilege(to_regclass('nodes')::oid, 'UPDATE')
                AND has_any_column_privilege(to_regclass('log_head')::oid, 'UPDATE')
                AND has_function_privilege(to_regprocedure('create_log_partitions(integer)')::oid, 'EXECUTE'), false)
        FROM (SELECT max(version) AS version, max(needs) AS needs FROM schema_versions) v
        """,
        name: "check_schema"
    )
}

/// The row of the check.
struct SchemaVersionRow {
    let schema: String
    let user: String
    let serverVersion: Int64
    let isStandby: Bool
    let version: Int64
    let needs: Int64
    let mayRead: Bool
    let mayWrite: Bool

    /// Reads it.
    ///
    /// - Throws: `unexpected_answer`, also when the table is empty or another program's.
    init(_ rows: DatabaseRows) throws(DatabaseError) {
        schema = try rows.text(0, 0)
        user = try rows.text(0, 1)
        serverVersion = try rows.integer(0, 2)
        isStandby = try rows.bool(0, 3)
        version = try rows.integer(0, 4)
        needs = try rows.integer(0, 5)
        mayRead = try rows.bool(0, 6)
        mayWrite = try rows.bool(0, 7)
    }

    /// What it means for statements of a version.
    func decide(purpose: SchemaCheck.Purpose, version supported: Int) -> Result<UsableSchema, SchemaProblem> {
        if serverVersion < 130_000 { return .failure(.serverTooOld(serverVersion)) }
        if isStandby, purpose == .write {
            return .failure(
                SchemaProblem(.standby, "the server is a standby", next: SchemaProblem.connectToPrimary)
            )
        }
        if version < supported { return .failure(.tooOld(version: version, supported: supported, schema: schema)) }
        if purpose == .write, needs > supported {
            return .failure(.tooNew(version: version, needs: needs, supported: supported))
        }
        guard purpose == .write ? mayWrite : mayRead else {
            return .failure(.roleMissing(user: user, schema: schema))
        }
        return .success(UsableSchema(name: schema, version: Int(clamping: version)))
    }
}

/// What the catalogs say when the check's statement fails.
struct SchemaSearch {
    let user: String
    let database: String
    let serverVersion: Int64
    /// The schemas that the role's search path names, without PostgreSQL's defaults.
    let path: [String]
    /// Some schemas of this database that contain a fleet.
    let fleets: [String]

    static let statement = Statement(
        """
        SELECT current_user::text, current_database()::text, current_setting('server_version_num')::bigint,
            ARRAY(SELECT trim(BOTH ' "' FROM p) FROM unnest(string_to_array(current_setting('search_path'), ',')) p LIMIT 100),
            ARRAY(SELECT n.nspname::text FROM pg_namespace n
                WHERE (SELECT count(*) = 2 FROM pg_class c
                    WHERE c.relnamespace = n.oid AND c.relname IN ('schema_versions', 'log_head'))
                ORDER BY n.nspname LIMIT 100)
        """,
        name: "explain_schema"
    )

    /// Reads the row.
    ///
    /// - Throws: `unexpected_answer`.
    init(_ rows: DatabaseRows) throws(DatabaseError) {
        user = try rows.text(0, 0)
        database = try rows.text(0, 1)
        serverVersion = try rows.integer(0, 2)
        path = try rows.texts(0, 3).compactMap { $0 }.filter { !["", "$user", "public"].contains($0) }
        fleets = try rows.texts(0, 4).compactMap { $0 }
    }

    /// What is missing.
    func explain() -> SchemaProblem {
        if serverVersion < 130_000 { return .serverTooOld(serverVersion) }
        if let schema = path.first(where: { fleets.contains($0) }) ?? (path.isEmpty ? fleets.first : nil) {
            return .roleMissing(user: user, schema: schema)
        }
        let place = path.first.map { " in schema \($0)" } ?? ""
        return SchemaProblem(
            .schemaMissing,
            "database \(database) has no fleet\(place)",
            next: "run reachd fleet init --schema \(path.first ?? SchemaName.standard.text) --user \(user)"
        )
    }
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
