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

/// Whether a node can work with the database that it connected to.
package enum SchemaCheck: Sendable, Hashable {
    /// It can.
    case usable(UsableSchema)
    /// It cannot until an operator does something.
    case unusable(SchemaProblem)

    /// What a connection is for.
    package enum Purpose: Sendable, Hashable {
        /// All statements of a node.
        case write
        /// Lists and replay, also on a standby and with a schema that no longer accepts this reachd's writes.
        case read
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
                AND has_function_privilege(to_regprocedure('create_log_partitions(integer)')::oid, 'EXECUTE'), false),
            current_setting('transaction_read_only') = 'on'
        FROM (SELECT max(version) AS version, max(needs) AS needs FROM schema_versions) v
        """,
        name: "check_schema"
    )
}

extension FleetSchema {
    /// Checks after connecting whether a node can work with the database: one statement, and another one to explain a failure.
    ///
    /// The login role's `search_path` selects the schema. On the executor's event loop.
    ///
    /// - Parameters:
    ///   - executor: an open connection of the login role.
    ///   - purpose: what the connection is for.
    ///   - version: the schema version that the statements are written for.
    ///   - completion: called once, in a later turn of the loop. A failure is one of the connection or the server, after which the
    ///     question remains open.
    package static func check(
        on executor: any StatementExecutor,
        purpose: SchemaCheck.Purpose = .write,
        version: Int = FleetSchema.version,
        completion: @escaping (Result<SchemaCheck, DatabaseError>) -> Void
    ) {
        executor.execute(SchemaCheck.statement, []) { result in
            do throws(DatabaseError) {
                let row = try SchemaVersionRow(try result.get())
                completion(.success(row.decide(purpose: purpose, version: version)))
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
        _ completion: @escaping (Result<SchemaCheck, DatabaseError>) -> Void
    ) {
        executor.execute(SchemaSearch.statement, []) { result in
            do throws(DatabaseError) {
                completion(.success(.unusable(try SchemaSearch(try result.get()).explain())))
            } catch {
                completion(.failure(error))
            }
        }
    }
}

/// The row of the check.
struct SchemaVersionRow {
    let schema: String
    let user: String
    let serverVersion: Int64
    let isStandby: Bool
    let isReadOnly: Bool
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
        isReadOnly = try rows.bool(0, 8)
    }

    /// What it means for statements of a version.
    func decide(purpose: SchemaCheck.Purpose, version supported: Int) -> SchemaCheck {
        if serverVersion < 130_000 { return .unusable(.serverTooOld(serverVersion)) }
        if isStandby, purpose == .write {
            return .unusable(
                SchemaProblem(.standby, "the server is a standby", next: SchemaProblem.connectToPrimary)
            )
        }
        if isReadOnly, purpose == .write {
            return .unusable(
                SchemaProblem(
                    .standby,
                    "the database is read-only",
                    next: "check default_transaction_read_only of the server, the database and the role \(user)"
                )
            )
        }
        if version < supported { return .unusable(.tooOld(version: version, supported: supported, schema: schema)) }
        if purpose == .write, needs > supported {
            return .unusable(.tooNew(version: version, needs: needs, supported: supported))
        }
        guard purpose == .write ? mayWrite : mayRead else {
            return .unusable(.roleMissing(user: user, schema: schema))
        }
        return .usable(UsableSchema(name: schema, version: Int(clamping: version)))
    }
}
