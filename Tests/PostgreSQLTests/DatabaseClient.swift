// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import PostgreSQL
import Synchronization
import TestSupport
import Testing

/// A connection on a loop of its own, with methods to await.
final class DatabaseClient: Sendable {
    let loop: EventLoop
    let notifications = Recorder<DatabaseNotification>()
    let ends = Recorder<DatabaseError>()
    private let parts: ThreadConfined<Parts>

    /// What lives on the loop's thread.
    private final class Parts {
        let resolver: Resolver
        let connection: DatabaseConnection

        init(resolver: Resolver, connection: DatabaseConnection) {
            self.resolver = resolver
            self.connection = connection
        }
    }

    /// Creates a connection that is not open.
    ///
    /// - Parameter hosts: The lines of the hosts file.
    init(_ settings: DatabaseSettings, hosts: String = "") throws {
        let loop = try EventLoop(name: "test-database")
        self.loop = loop
        let folder = try TemporaryFolder()
        let files = ResolverConfigurationFiles(
            resolvConf: try folder.write("nameserver 127.0.0.1\n", to: "resolv.conf"),
            hosts: try folder.write(hosts, to: "hosts"),
            nameServiceSwitch: try folder.write("hosts: files\n", to: "nsswitch.conf")
        )
        let made = Recorder<Result<ThreadConfined<Parts>, ResolverError>>()
        loop.executeAndWait {
            made.record(
                Result { () throws(ResolverError) in
                    let resolver = try Resolver(loop: loop, files: files)
                    let connection = DatabaseConnection(loop: loop, resolver: resolver, settings: settings)
                    return ThreadConfined(Parts(resolver: resolver, connection: connection), to: loop)
                }
            )
        }
        parts = try made.events[0].get()
        loop.execute { [parts, notifications, ends] in
            parts.value.connection.notified = { notifications.record($0) }
            parts.value.connection.closed = { ends.record($0) }
        }
    }

    deinit {
        // The resolver keeps itself alive until it is closed. The connection closes with the last reference to it.
        loop.execute { [parts] in parts.value.resolver.close() }
        loop.close()
    }

    /// Opens the connection.
    func connect() async throws -> DatabaseServer { try await connectChecked() }

    /// The same with the type of its errors.
    func connectChecked() async throws(DatabaseError) -> DatabaseServer {
        try await completion { connection, completion in connection.connect(completion: completion) }
    }

    /// Awaits the completion of a call; a missing one is an issue and `closed`.
    private func completion<Value: Sendable>(
        of call: @escaping @Sendable (DatabaseConnection, @escaping (Result<Value, DatabaseError>) -> Void) -> Void
    ) async throws(DatabaseError) -> Value {
        let results = Recorder<Result<Value, DatabaseError>>()
        loop.execute { [parts] in
            call(parts.value.connection) { results.record($0) }
        }
        // A hang limit.
        guard let result = try? await results.next(limit: .seconds(600)) else {
            Issue.record("the completion was not called")
            throw DatabaseError(.closed, "the completion was not called")
        }
        // In a later turn a second call would be recorded.
        loop.executeAndWait {}
        #expect(results.count == 1)
        return try result.get()
    }

    /// The error of opening the connection.
    func connectError() async -> DatabaseError? {
        do {
            _ = try await connectChecked()
            return nil
        } catch {
            return error
        }
    }

    /// Executes a statement.
    @discardableResult
    func execute(
        _ sql: String,
        _ parameters: [DatabaseValue] = [],
        within: Duration? = .seconds(30)
    ) async throws(DatabaseError) -> DatabaseRows {
        try await completion { connection, completion in
            connection.execute(sql, parameters, within: within, completion: completion)
        }
    }

    /// The error of a statement.
    func executeError(
        _ sql: String,
        _ parameters: [DatabaseValue] = [],
        within: Duration? = .seconds(30)
    ) async -> DatabaseError? {
        do {
            try await execute(sql, parameters, within: within)
            return nil
        } catch {
            return error
        }
    }

    /// Executes statements in one job of the loop and records the results in the order of the completions.
    func executeAll(_ statements: [String], within: Duration? = .seconds(30)) -> Recorder<(String, DatabaseError?)> {
        let results = Recorder<(String, DatabaseError?)>()
        loop.execute { [parts] in
            for sql in statements {
                parts.value.connection.execute(sql, within: within) { result in
                    switch result {
                    case .success: results.record((sql, nil))
                    case .failure(let error): results.record((sql, error))
                    }
                }
            }
        }
        return results
    }

    /// Closes the connection.
    func close() {
        loop.executeAndWait { [parts] in parts.value.connection.close() }
    }

    /// Settings whose deadlines a busy machine meets.
    static func settings(_ uri: String, passwordFile: String? = nil) throws -> DatabaseSettings {
        var settings = try DatabaseSettings(uri: uri, passwordFile: passwordFile)
        settings.attemptTimeout = .seconds(30)
        settings.connectTimeout = .seconds(60)
        settings.statementTimeout = .seconds(30)
        return settings
    }

    /// An open connection of a server.
    static func open(_ uri: String, passwordFile: String? = nil) async throws -> DatabaseClient {
        let client = try DatabaseClient(DatabaseClient.settings(uri, passwordFile: passwordFile))
        _ = try await client.connect()
        return client
    }
}
