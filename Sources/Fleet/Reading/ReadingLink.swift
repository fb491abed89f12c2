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
        case opening(any FleetConnection)
        case open(any FleetConnection, StatementLanes)

        var connection: (any FleetConnection)? {
            switch self {
            case .closed: nil
            case .opening(let connection), .open(let connection, _): connection
            }
        }
    }

    /// How many statements may wait for the connection.
    static let limit = 256
    static let idleTime: UInt64 = 60_000_000_000

    private let loop: EventLoop
    private let makeConnection: () -> any FleetConnection
    private let check: ConnectionCheck
    private var phase = Phase.closed
    private var waiting: [Waiting] = []
    private var delay: RetryDelay
    /// No attempt to connect before this time.
    private var retryAt: UInt64 = 0
    private var lastUse: UInt64 = 0
    private var idleTimer: TimerToken?
    /// The reason why the connection could not be opened, or was lost; nil while it can be used.
    private(set) var fault: FleetFault?

    /// Called when the connection is open.
    var opened: (any FleetConnection, StatementLanes) -> Void = { _, _ in }
    /// Called after a change of ``fault``.
    var faultChanged: () -> Void = {}
    /// Whether the connection stays open without a use.
    var isKept = false

    /// - Parameters:
    ///   - loop: the loop.
    ///   - makeConnection: makes a connection that is not open yet.
    ///   - check: decides whether a new connection's database can be used.
    ///   - random: for the delays between attempts to connect.
    init(
        loop: EventLoop,
        makeConnection: @escaping () -> any FleetConnection,
        check: @escaping ConnectionCheck = FleetSchema.checkConnection,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.loop = loop
        self.makeConnection = makeConnection
        self.check = check
        delay = RetryDelay(random: random)
    }

    /// Executes a statement; connects before if necessary.
    ///
    /// - Parameter completion: called once, possibly inside this call.
    func execute(_ statement: Statement, _ parameters: [DatabaseValue], completion: @escaping Completion) {
        lastUse = loop.clock.now()
        let one = Waiting(statement: statement, parameters: parameters, completion: completion)
        if case .open(let connection, let lanes) = phase { return send(one, connection, lanes) }
        if case .closed = phase, let fault, lastUse < retryAt { return completion(.failure(fault)) }
        guard waiting.count < Self.limit else {
            return completion(
                .failure(FleetFault(DatabaseError(.queueFull, "\(waiting.count) statements are waiting")))
            )
        }
        waiting.append(one)
        if case .closed = phase { open() }
    }

    /// Closes the connection and fails what waits.
    func close() {
        if let idleTimer { loop.cancel(idleTimer) }
        idleTimer = nil
        end(FleetFault(DatabaseError(.closed, "the node stops")))
    }

    private func send(_ one: Waiting, _ connection: any FleetConnection, _ lanes: StatementLanes) {
        lanes.execute(one.statement, one.parameters) { [weak self, weak connection] result in
            if case .failure(let error) = result, error.endsConnection { self?.lose(connection, FleetFault(error)) }
            one.completion(result.mapError { FleetFault($0) })
        }
    }

    private func open() {
        let connection = makeConnection()
        phase = .opening(connection)
        connection.connect { [weak self, weak connection] result in
            switch result {
            case .failure(let error): self?.lose(connection, FleetFault(error))
            case .success: self?.didConnect(connection)
            }
        }
    }

    private func didConnect(_ connection: (any FleetConnection)?) {
        guard let connection, phase.connection === connection else { return }
        let lanes = StatementLanes(loop: loop, executor: connection)
        connection.closed = { [weak self, weak connection] error in self?.lose(connection, FleetFault(error)) }
        check(lanes) { [weak self, weak connection] result in
            guard let self, let connection, phase.connection === connection else { return }
            switch result {
            case .failure(let fault): lose(connection, fault)
            case .success: didOpen(connection, lanes)
            }
        }
    }

    private func didOpen(_ connection: any FleetConnection, _ lanes: StatementLanes) {
        phase = .open(connection, lanes)
        delay.reset()
        set(nil)
        opened(connection, lanes)
        let waiting = waiting
        self.waiting = []
        for one in waiting { send(one, connection, lanes) }
        scheduleIdleCheck()
    }

    private func lose(_ connection: (any FleetConnection)?, _ fault: FleetFault) {
        // What ended is an earlier connection, perhaps.
        guard let connection, phase.connection === connection else { return }
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
