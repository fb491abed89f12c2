// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import LinuxIO
import PostgreSQL
import TestSupport

/// A connection to a test's server on a loop of its own, with methods to await.
final class SchemaClient: Sendable {
    /// The identity of new fleets.
    static let identity = "0123456789abcdef0123456789abcdef"

    private let loop: EventLoop
    private let parts: ThreadConfined<Parts>
    /// Ended when its last client goes.
    private let server: PostgreSQLServer?

    /// What lives on the loop's thread.
    private final class Parts {
        let resolver: Resolver
        let connection: DatabaseConnection
        var schema: FleetSchema?

        init(resolver: Resolver, connection: DatabaseConnection) {
            self.resolver = resolver
            self.connection = connection
        }
    }

    private init(_ settings: DatabaseSettings, _ server: PostgreSQLServer?) throws {
        self.server = server
        let loop = try EventLoop(name: "test-schema")
        self.loop = loop
        let made = Recorder<Result<ThreadConfined<Parts>, ResolverError>>()
        loop.executeAndWait {
            made.record(
                Result { () throws(ResolverError) in
                    let resolver = try Resolver(loop: loop)
                    let connection = DatabaseConnection(loop: loop, resolver: resolver, settings: settings)
                    return ThreadConfined(Parts(resolver: resolver, connection: connection), to: loop)
                }
            )
        }
        parts = try made.events[0].get()
    }

    deinit { loop.close() }

    /// An open connection of a role over the server's Unix socket.
    static func open(
        _ server: PostgreSQLServer,
        _ user: String = "admin",
        database: String = "reachd"
    ) async throws -> SchemaClient {
        let uri = "postgresql:///\(database)?host=\(server.folder.path)&port=\(server.port)&user=\(user)"
        return try await open(uri: uri, server)
    }

    /// An open connection.
    static func open(uri: String, _ server: PostgreSQLServer? = nil) async throws -> SchemaClient {
        var settings = try DatabaseSettings(uri: uri)
        settings.statementTimeout = .seconds(60)
        let client = try SchemaClient(settings, server)
        _ = try await withCheckedContinuation { continuation in
            client.loop.execute { [parts = client.parts] in
                parts.value.connection.connect { continuation.resume(returning: $0) }
            }
        }.get()
        return client
    }

    /// Starts work on the connection's thread and awaits its result.
    func perform<Value: Sendable>(
        _ work: @escaping @Sendable (DatabaseConnection, @escaping (Value) -> Void) -> Void
    ) async -> Value {
        await withCheckedContinuation { continuation in
            loop.execute { [parts] in work(parts.value.connection) { continuation.resume(returning: $0) } }
        }
    }

    /// Executes a statement.
    @discardableResult
    func execute(_ sql: String, _ parameters: [DatabaseValue] = []) async throws(DatabaseError) -> DatabaseRows {
        try await withCheckedContinuation { continuation in
            loop.execute { [parts] in
                parts.value.connection.execute(sql, parameters) { continuation.resume(returning: $0) }
            }
        }.get()
    }

    /// The reason why a statement fails; nil when it succeeds.
    func failure(_ sql: String, _ parameters: [DatabaseValue] = []) async -> DatabaseError.Reason? {
        do {
            try await execute(sql, parameters)
            return nil
        } catch {
            return error.reason
        }
    }

    /// Whether each membership states the inheritance of privileges: PostgreSQL 16 or later.
    var membershipsInherit: Bool {
        get async throws { try await execute("SELECT current_setting('server_version_num')::int >= 160000").bool(0, 0) }
    }

    /// The texts of a statement's first column.
    func list(_ sql: String) async throws -> [String] {
        let rows = try await execute(sql)
        return try (0..<rows.rowCount).map { try rows.text($0, 0) }
    }

    /// Initializes a fleet.
    @discardableResult
    func initialize(
        _ schema: String = "reachd",
        _ loginRole: String = "berlin",
        identity: String = identity,
        migrations: [Migration] = Migration.all
    ) async throws -> [SchemaStep] {
        let name = try SchemaName(schema)
        return try await withCheckedContinuation { continuation in
            loop.execute { [parts] in
                let schema = FleetSchema(connection: parts.value.connection, migrations: migrations)
                parts.value.schema = schema
                schema.initialize(schema: name, loginRole: loginRole, identity: identity) {
                    continuation.resume(returning: $0)
                }
            }
        }.get()
    }

    /// The code of the problem with which initialization fails; nil when it succeeds.
    func initializationProblem(
        _ schema: String = "reachd",
        _ loginRole: String = "berlin",
        identity: String = identity,
        migrations: [Migration] = Migration.all
    ) async throws -> SchemaProblem? {
        do {
            try await initialize(schema, loginRole, identity: identity, migrations: migrations)
            return nil
        } catch let problem as SchemaProblem {
            return problem
        }
    }

    /// Initializes a fleet with two overlapping calls; the codes of their problems in the order of the completions.
    func initializeTwice() async throws -> [SchemaProblem.Code?] {
        let name = try SchemaName("reachd")
        let results = Recorder<SchemaProblem.Code?>()
        loop.execute { [parts] in
            let schema = FleetSchema(connection: parts.value.connection)
            parts.value.schema = schema
            for _ in 0..<2 {
                schema.initialize(schema: name, loginRole: "berlin", identity: Self.identity) { result in
                    switch result {
                    case .success: results.record(nil)
                    case .failure(let problem): results.record(problem.code)
                    }
                }
            }
        }
        try await results.next(after: 1)
        return results.events
    }

    /// Migrates a fleet.
    @discardableResult
    func migrate(_ migrations: [Migration], _ schema: String = "reachd") async throws -> [SchemaStep] {
        try await migration(migrations, schema).get()
    }

    /// The result of a migration.
    func migration(
        _ migrations: [Migration],
        _ schema: String = "reachd"
    ) async throws -> Result<[SchemaStep], SchemaProblem> {
        let name = try SchemaName(schema)
        return await withCheckedContinuation { continuation in
            loop.execute { [parts] in
                let schema = FleetSchema(connection: parts.value.connection, migrations: migrations)
                parts.value.schema = schema
                schema.migrate(schema: name) { continuation.resume(returning: $0) }
            }
        }
    }

    /// Checks the schema as a node does.
    ///
    /// - Parameter serverVersion: what the server's version is replaced with.
    func check(
        _ purpose: SchemaCheck.Purpose = .write,
        version: Int = FleetSchema.version,
        serverVersion: Int? = nil
    ) async throws(DatabaseError) -> SchemaCheck {
        try await withCheckedContinuation { continuation in
            loop.execute { [parts] in
                let executor = RewritingExecutor(parts.value.connection, serverVersion)
                FleetSchema.check(on: executor, purpose: purpose, version: version) {
                    continuation.resume(returning: $0)
                }
            }
        }.get()
    }

    /// The code of the check's problem; nil when the schema is usable.
    func checkProblem(
        _ purpose: SchemaCheck.Purpose = .write,
        version: Int = FleetSchema.version,
        serverVersion: Int? = nil
    ) async throws -> SchemaProblem? {
        switch try await check(purpose, version: version, serverVersion: serverVersion) {
        case .usable: nil
        case .unusable(let problem): problem
        }
    }
}

extension SchemaCheck {
    /// The usable schema.
    func get() throws(SchemaProblem) -> UsableSchema {
        switch self {
        case .usable(let schema): return schema
        case .unusable(let problem): throw problem
        }
    }
}

/// A connection to a server that pretends another version.
private final class RewritingExecutor: StatementExecutor {
    private let connection: DatabaseConnection
    private let version: Int?

    init(_ connection: DatabaseConnection, _ version: Int?) {
        self.connection = connection
        self.version = version
    }

    func execute(
        _ statement: Statement,
        _ parameters: [DatabaseValue],
        completion: @escaping (Result<DatabaseRows, DatabaseError>) -> Void
    ) {
        var sql = statement.sql
        if let version, let place = sql.firstRange(of: "current_setting('server_version_num')") {
            sql.replaceSubrange(place, with: "\(version)")
        }
        connection.execute(Statement(sql, name: statement.name), parameters, completion: completion)
    }
}
