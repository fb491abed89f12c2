// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import LinuxIO
internal import Monitoring
internal import PostgreSQL

/// The connection for reading, which is opened when it is first needed and closed when it was not needed for a minute. On the
/// loop's thread.
///
/// It is not the connection of the lease: a long list delays no renewal.
final class ReadingLink {
    typealias Completion = (Result<DatabaseRows, FleetFault>) -> Void

    private struct Waiting {
        let statement: Statement
        let parameters: [DatabaseValue]
        let completion: Completion
    }

    private enum Phase {
        case closed
        case opening(DatabaseConnection)
        case open(DatabaseConnection, StatementLanes)
    }

    /// How many statements may wait for the connection.
    private static let limit = 256
    private static let idleTime: UInt64 = 60_000_000_000

    private let loop: EventLoop
    private let resolver: Resolver
    private let settings: DatabaseSettings
    private var phase = Phase.closed
    private var waiting: [Waiting] = []
    private var delay = RetryDelay(random: SystemRandomNumberGenerator())
    /// No attempt to connect before this time.
    private var retryAt: UInt64 = 0
    private var lastUse: UInt64 = 0
    private var idleTimer: TimerToken?
    /// The reason why the connection could not be opened, or was lost; nil while it can be used.
    private(set) var fault: FleetFault?

    /// Called when the connection is open.
    var opened: (DatabaseConnection) -> Void = { _ in }
    /// Called after a change of ``fault``.
    var faultChanged: () -> Void = {}
    /// Whether the connection stays open without a use.
    var isKept = false

    init(loop: EventLoop, resolver: Resolver, settings: DatabaseSettings) {
        self.loop = loop
        self.resolver = resolver
        self.settings = settings
    }

    /// Executes a statement; connects before if necessary.
    ///
    /// - Parameter completion: called once, possibly inside this call.
    func execute(_ statement: Statement, _ parameters: [DatabaseValue], completion: @escaping Completion) {
        lastUse = loop.clock.now()
        if case .open(_, let lanes) = phase { return send(statement, parameters, on: lanes, completion) }
        if case .closed = phase, let fault, lastUse < retryAt { return completion(.failure(fault)) }
        guard waiting.count < Self.limit else {
            return completion(
                .failure(FleetFault(DatabaseError(.queueFull, "\(waiting.count) statements are waiting")))
            )
        }
        waiting.append(Waiting(statement: statement, parameters: parameters, completion: completion))
        if case .closed = phase { open() }
    }

    /// Closes the connection and fails what waits.
    func close() {
        if let idleTimer { loop.cancel(idleTimer) }
        idleTimer = nil
        end(FleetFault(DatabaseError(.closed, "the node stops")))
    }

    private func send(
        _ statement: Statement,
        _ parameters: [DatabaseValue],
        on lanes: StatementLanes,
        _ completion: @escaping Completion
    ) {
        lanes.execute(statement, parameters) { [weak self] result in
            if case .failure(let error) = result, error.endsConnection { self?.lose(lanes, FleetFault(error)) }
            completion(result.mapError { FleetFault($0) })
        }
    }

    private func open() {
        let connection = DatabaseConnection(loop: loop, resolver: resolver, settings: settings)
        phase = .opening(connection)
        connection.connect { [weak self, weak connection] result in
            guard let self, let connection, case .opening(let current) = phase, current === connection else { return }
            switch result {
            case .failure(let error): lose(FleetFault(error))
            case .success: check(connection)
            }
        }
    }

    private func check(_ connection: DatabaseConnection) {
        let lanes = StatementLanes(loop: loop, executor: connection)
        connection.closed = { [weak self] error in self?.lose(lanes, FleetFault(error)) }
        FleetSchema.checkConnection(lanes) { [weak self, weak connection] result in
            guard let self, let connection, case .opening(let current) = phase, current === connection else { return }
            switch result {
            case .failure(let fault): lose(fault)
            case .success: didOpen(connection, lanes)
            }
        }
    }

    private func didOpen(_ connection: DatabaseConnection, _ lanes: StatementLanes) {
        phase = .open(connection, lanes)
        delay.reset()
        set(nil)
        opened(connection)
        let waiting = waiting
        self.waiting = []
        for one in waiting { send(one.statement, one.parameters, on: lanes, one.completion) }
        scheduleIdleCheck()
    }

    private func lose(_ lanes: StatementLanes, _ fault: FleetFault) {
        switch phase {
        case .open(_, let current) where current === lanes: lose(fault)
        case .opening: lose(fault)
        default: break
        }
    }

    private func lose(_ fault: FleetFault) {
        retryAt = loop.clock.now() + delay.next()
        set(fault)
        end(fault)
    }

    private func end(_ fault: FleetFault) {
        let ended = phase
        phase = .closed
        switch ended {
        case .closed: break
        case .opening(let connection):
            connection.closed = nil
            connection.close()
        case .open(let connection, let lanes):
            connection.closed = nil
            lanes.close(DatabaseError(.closed, fault.message))
            connection.close()
        }
        let waiting = waiting
        self.waiting = []
        for one in waiting { one.completion(.failure(fault)) }
    }

    private func set(_ fault: FleetFault?) {
        guard fault != self.fault else { return }
        self.fault = fault
        faultChanged()
    }

    private func scheduleIdleCheck() {
        if let idleTimer { loop.cancel(idleTimer) }
        idleTimer = loop.schedule(after: Self.idleTime) { [weak self] in
            guard let self else { return }
            idleTimer = nil
            guard case .open = phase else { return }
            if isKept || loop.clock.now() - lastUse < Self.idleTime { return scheduleIdleCheck() }
            end(FleetFault(DatabaseError(.closed, "the connection was not needed")))
        }
    }
}
