// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import LinuxIO
import PostgreSQL
import TestSupport

/// A fleet's database in memory, and its connections. On one event loop's thread.
final class ImitatedDatabase {
    struct Row {
        var incarnation: Int64
        var epoch: String
        var reported: Int64
        var until: Int64
        var isDeparted = false
    }

    let loop: EventLoop
    var nodes: [String: Row] = [:]
    /// The local numbers and kinds of stored reports.
    var inbox: [(local: Int64, kind: String)] = []
    /// Whether each of the statements that stored reports notified.
    var notifications: [Bool] = []
    var assignments: [[String?]] = []
    var assignmentVersion = 1
    var hasHead = true
    var epoch = "a1"

    /// Why connections are refused; nil when they are not.
    var refusal: DatabaseError?
    /// Answers of statements by their names instead of the ordinary ones.
    var failures: [String: DatabaseError] = [:]
    /// Further answers of statements by their names, in turn; the last one again and again.
    var answers: [String: [Result<DatabaseRows, DatabaseError>]] = [:]
    /// Whether statements are accepted and not answered.
    var isFrozen = false
    /// The names of the statements in the order of their arrival.
    private(set) var statements: [String] = []
    /// When connections were attempted, by the loop's clock.
    private(set) var attempts: [UInt64] = []
    private(set) var connections: [ImitatedConnection] = []

    init(loop: EventLoop) { self.loop = loop }

    func makeConnection() -> ImitatedConnection {
        attempts.append(loop.clock.now())
        let connection = ImitatedConnection(database: self)
        connections.append(connection)
        return connection
    }

    /// Ends all connections.
    func cut() {
        for connection in connections { connection.end(DatabaseError(.connectionLost, "cut")) }
    }

    func forgetStatements() { statements = [] }

    /// The database's time in microseconds.
    var now: Int64 { 1_700_000_000_000_000 + Int64(loop.clock.now() / 1_000) }

    func answer(_ statement: Statement, _ parameters: [DatabaseValue]) -> Result<DatabaseRows, DatabaseError> {
        let name = statement.name ?? ""
        statements.append(name)
        if let failure = failures[name] { return .failure(failure) }
        if let turn = answers[name], let first = turn.first {
            if turn.count > 1 { answers[name] = Array(turn.dropFirst()) }
            return first
        }
        switch name {
        case "register_node": return .success(register(parameters))
        case "renew_lease": return .success(renew(parameters))
        case "read_incarnation":
            return .success(Rows.make(nodes[text(parameters[0])].map { [["\($0.incarnation)"]] } ?? []))
        case "read_own_assignments": return .success(Rows.make(assignments))
        case "begin_local_epoch": return .success(beginEpoch(parameters))
        case "store_reports": return .success(store(parameters))
        default: return .success(Rows.make([["1"]]))
        }
    }

    private func register(_ parameters: [DatabaseValue]) -> DatabaseRows {
        let (name, epoch) = (text(parameters[0]), text(parameters[5]))
        let old = nodes[name]
        let row = Row(
            incarnation: (old?.incarnation ?? 0) + 1,
            epoch: epoch,
            reported: old?.epoch == epoch ? old?.reported ?? 0 : 0,
            until: now + integer(parameters[6])
        )
        nodes[name] = row
        return Rows.make([["\(row.incarnation)", "\(row.reported)"]])
    }

    private func renew(_ parameters: [DatabaseValue]) -> DatabaseRows {
        let name = text(parameters[0])
        guard nodes[name]?.incarnation == integer(parameters[1]), hasHead else { return Rows.make([]) }
        let isDeparting = parameters[8] == .bool(true)
        nodes[name]?.until = isDeparting ? now : now + integer(parameters[2])
        nodes[name]?.isDeparted = isDeparting
        return Rows.make([
            [
                "\(now)", "\(nodes[name]?.reported ?? 0)", "f", "fleet", epoch, "0", "0", "\(assignmentVersion)", "0",
                "0",
                "0", nil, "0", "t", "0", "{}", "0", "f",
            ]
        ])
    }

    private func beginEpoch(_ parameters: [DatabaseValue]) -> DatabaseRows {
        let name = text(parameters[0])
        guard var row = nodes[name], row.incarnation == integer(parameters[1]) else { return Rows.make([]) }
        if row.epoch != text(parameters[2]) || row.reported > integer(parameters[3]) { row.reported = 0 }
        row.epoch = text(parameters[2])
        nodes[name] = row
        return Rows.make([["\(row.reported)"]])
    }

    private func store(_ parameters: [DatabaseValue]) -> DatabaseRows {
        let name = text(parameters[0])
        guard var row = nodes[name], row.incarnation == integer(parameters[1]), row.epoch == text(parameters[2]),
            case .integers(let numbers) = parameters[3], case .texts(let kinds) = parameters[4]
        else { return Rows.make([]) }
        for case (let number?, let kind?) in zip(numbers, kinds) where number > row.reported {
            inbox.append((number, kind))
        }
        notifications.append(parameters.last == .bool(true))
        row.reported = max(row.reported, numbers.compactMap(\.self).max() ?? 0)
        nodes[name] = row
        return Rows.make([["\(row.reported)"]])
    }

    private func text(_ value: DatabaseValue) -> String { if case .text(let text) = value { text } else { "" } }
    private func integer(_ value: DatabaseValue) -> Int64 { if case .integer(let number) = value { number } else { 0 } }
}

/// A connection to an ``ImitatedDatabase``, with the deadlines of a real one.
final class ImitatedConnection: FleetConnection {
    var closed: ((DatabaseError) -> Void)?
    var notified: ((DatabaseNotification) -> Void)?
    private let database: ImitatedDatabase
    private var isOpen = false
    private var pending: [(Result<DatabaseRows, DatabaseError>) -> Void] = []

    init(database: ImitatedDatabase) { self.database = database }

    func connect(completion: @escaping (Result<DatabaseServer, DatabaseError>) -> Void) {
        _ = database.loop.schedule(at: 0) { [self] in
            if let refusal = database.refusal { return completion(.failure(refusal)) }
            isOpen = true
            completion(.success(Rows.server))
        }
    }

    func execute(
        _ statement: Statement,
        _ parameters: [DatabaseValue],
        completion: @escaping (Result<DatabaseRows, DatabaseError>) -> Void
    ) {
        pending.append(completion)
        if database.isFrozen {
            _ = database.loop.schedule(after: 2_000_000_000) { [weak self] in
                self?.end(DatabaseError(.timeout, "no answer"))
            }
        } else {
            let answer = isOpen ? database.answer(statement, parameters) : .failure(DatabaseError(.closed, "closed"))
            _ = database.loop.schedule(at: 0) { [weak self] in
                guard let self, !pending.isEmpty else { return }
                pending.removeFirst()(answer)
            }
        }
    }

    /// Ends the connection as a fault does.
    func end(_ error: DatabaseError) {
        guard isOpen else { return }
        isOpen = false
        let all = pending
        pending = []
        for completion in all { completion(.failure(error)) }
        closed?(error)
    }

    func close() {
        isOpen = false
        let all = pending
        pending = []
        for completion in all { completion(.failure(DatabaseError(.closed, "closed"))) }
    }
}
