// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import PostgreSQL
import TestSupport

@testable import Fleet

/// A node that can be the coordinator: a loop, a connection that can be lost, and the coordinator itself. The test plays its renewals.
final class CoordinatorHost: Sendable {
    let identity: NodeIdentity
    let loop: EventLoop
    let changes = Recorder<Bool>()
    let faults = Recorder<DisturbedExecutor.Fault>()
    let messages = Recorder<LogMessage>()
    private let uri: String
    private let parts: ThreadConfined<Parts>

    /// What lives on the loop's thread.
    private final class Parts {
        let resolver: Resolver
        let coordinator: Coordinator
        var connection: DatabaseConnection?
        var executor: DisturbedExecutor?
        var process: Int32 = 0

        init(resolver: Resolver, coordinator: Coordinator) {
            self.resolver = resolver
            self.coordinator = coordinator
        }
    }

    init(_ name: String, uri: String, settings: FleetSettings = FleetSettings(lease: .seconds(3600))) throws {
        identity = NodeIdentity(name: name, incarnation: 1)
        self.uri = uri
        let loop = try EventLoop(name: "test-\(name)")
        self.loop = loop
        let folder = try TemporaryFolder()
        let files = ResolverConfigurationFiles(
            resolvConf: try folder.write("nameserver 127.0.0.1\n", to: "resolv.conf"),
            hosts: try folder.write("", to: "hosts"),
            nameServiceSwitch: try folder.write("hosts: files\n", to: "nsswitch.conf")
        )
        let made = Recorder<Result<ThreadConfined<Parts>, ResolverError>>()
        loop.executeAndWait {
            made.record(
                Result { () throws(ResolverError) in
                    let resolver = try Resolver(loop: loop, files: files)
                    let coordinator = Coordinator(loop: loop, settings: settings)
                    return ThreadConfined(Parts(resolver: resolver, coordinator: coordinator), to: loop)
                }
            )
        }
        parts = try made.events[0].get()
        loop.execute { [parts, changes, messages] in
            parts.value.coordinator.changed = { changes.record($0) }
            parts.value.coordinator.log = { messages.record($0) }
        }
    }

    deinit {
        loop.execute { [parts] in
            parts.value.coordinator.detach()
            parts.value.connection?.close()
            parts.value.resolver.close()
        }
        loop.close()
    }

    // MARK: The connection

    /// Opens a new connection and gives it to the coordinator.
    func connect() async throws {
        let result: Result<DatabaseServer, DatabaseError> = await withCheckedContinuation { continuation in
            loop.execute { [parts, uri] in
                do throws(DatabaseError) {
                    let settings = try DatabaseSettings(uri: uri)
                    let new = DatabaseConnection(loop: self.loop, resolver: parts.value.resolver, settings: settings)
                    parts.value.connection = new
                    new.connect { continuation.resume(returning: $0) }
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        _ = try result.get()
        let process = try await execute("SELECT pg_backend_pid()").integer(0, 0)
        await onLoop { [faults] parts in
            guard let connection = parts.connection else { return }
            parts.process = Int32(clamping: process)
            let executor = DisturbedExecutor(connection) { [weak parts, weak connection] fault in
                switch fault {
                case .closeBefore, .closeAfter: connection?.close()
                case .stopServer: _ = kill(parts?.process ?? 0, SIGSTOP)
                case .hold, .timeOut: break
                }
                faults.record(fault)
            }
            parts.executor = executor
            parts.coordinator.attach(executor)
        }
    }

    /// Executes a statement on the connection, beside the coordinator's.
    @discardableResult
    func execute(_ sql: String, _ parameters: [DatabaseValue] = []) async throws(DatabaseError) -> DatabaseRows {
        try await execute(Statement(sql), parameters)
    }

    @discardableResult
    func execute(
        _ statement: Statement,
        _ parameters: [DatabaseValue]
    ) async throws(DatabaseError) -> DatabaseRows {
        let result: Result<DatabaseRows, DatabaseError> = await withCheckedContinuation { continuation in
            loop.execute { [parts] in
                guard let connection = parts.value.connection else {
                    return continuation.resume(returning: .failure(DatabaseError(.closed, "not connected")))
                }
                connection.execute(statement, parameters, within: .seconds(20)) { continuation.resume(returning: $0) }
            }
        }
        return try result.get()
    }

    // MARK: Faults

    func plan(_ fault: DisturbedExecutor.Fault, after count: Int) async {
        await onLoop { $0.executor?.plan(fault, after: count) }
    }

    func cancelPlan() async { await onLoop { $0.executor?.cancelPlan() } }

    /// Ends a fault: sends what was held, continues the server's process, connects again.
    func recover(from fault: DisturbedExecutor.Fault) async throws {
        switch fault {
        case .closeBefore, .closeAfter: try await connect()
        case .hold: await onLoop { $0.executor?.release() }
        case .stopServer: await onLoop { _ = kill($0.process, SIGCONT) }
        case .timeOut: break
        }
    }

    // MARK: The coordinator

    /// Reads what a renewal tells, and passes it on.
    func renew(roundTrip: Duration = .zero) async throws {
        let rows = try await execute(
            """
            SELECT token, coordinator, incarnation, \(LeaseSpan.end("until", now: "now", lease: "$1::bigint")) < now
            FROM log_head, (SELECT \(DatabaseClock.now) AS now) t
            """,
            [.integer(await read(\.settings.lease)?.microseconds ?? 0)]
        )
        let name = try rows.optionalText(0, 1)
        let incarnation = try rows.integer(0, 2)
        let facts = LeaseFacts(
            identity: identity,
            isVacant: try rows.bool(0, 3),
            coordinator: name.map { NodeIdentity(name: $0, incarnation: incarnation) },
            token: try rows.integer(0, 0),
            roundTrip: roundTrip
        )
        await onLoop { $0.coordinator.renewed(facts) }
    }

    /// Passes on that the coordinator's lease has ended, whether it is so or not.
    func claim() async {
        let facts = LeaseFacts(identity: identity, isVacant: true)
        await onLoop { $0.coordinator.renewed(facts) }
    }

    var isCoordinator: Bool {
        get async { await read(\.isCoordinator) ?? false }
    }

    var statistics: CoordinatorStatistics {
        get async { await read(\.statistics) ?? CoordinatorStatistics() }
    }

    func resign() async {
        await withCheckedContinuation { continuation in
            loop.execute { [parts] in parts.value.coordinator.resign { continuation.resume() } }
        }
    }

    /// Lets it become the coordinator again.
    func reinstate() async { await onLoop { $0.coordinator.isEligible = true } }

    /// The last limit with which the inbox was read; 0 before the first time.
    var lastInboxLimit: Int64 {
        get async {
            let last = Recorder<Int64>()
            await onLoop { parts in
                guard case .integer(let limit)? = parts.executor?.inboxLimits.last else { return }
                last.record(limit)
            }
            return last.events.first ?? 0
        }
    }

    private func read<Value: Sendable>(_ body: @escaping @Sendable (Coordinator) -> Value) async -> Value? {
        await withCheckedContinuation { continuation in
            let isTaken = loop.execute { [parts] in
                continuation.resume(returning: .some(body(parts.value.coordinator)))
            }
            if !isTaken { continuation.resume(returning: nil) }
        }
    }

    private func onLoop(_ body: @escaping @Sendable (Parts) -> Void) async {
        await withCheckedContinuation { continuation in
            loop.execute { [parts] in
                body(parts.value)
                continuation.resume()
            }
        }
    }
}
