// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import PostgreSQL

/// Stands between a coordinator and its connection, and disturbs it: closes the connection in the middle of a statement, or holds
/// statements as if the process was stopped. On the loop's thread.
final class DisturbedExecutor: StatementExecutor {
    /// What happens to a statement that writes.
    enum Fault: Sendable, CaseIterable {
        /// The connection is closed before it is sent.
        case closeBefore
        /// The connection is closed after it was sent; whether the server executes it is open.
        case closeAfter
        /// It and all after it are held until ``DisturbedExecutor/release()``.
        case hold
        /// The server's process is stopped after it was sent.
        case stopServer
        /// It is executed, and the answer is late.
        case timeOut
    }

    private let connection: DatabaseConnection
    private let disturb: (Fault) -> Void
    private var plan: (fault: Fault, after: Int)?
    private var held: [() -> Void] = []
    private(set) var isHolding = false
    /// The limits with which the inbox was read.
    private(set) var inboxLimits: [DatabaseValue] = []

    /// - Parameter disturb: called when a fault happens; it closes the connection or stops the server's process.
    init(_ connection: DatabaseConnection, disturb: @escaping (Fault) -> Void) {
        self.connection = connection
        self.disturb = disturb
    }

    /// Plans a fault of a later statement that writes; 0 is the next one.
    func plan(_ fault: Fault, after count: Int) { plan = (fault, count) }

    func cancelPlan() { plan = nil }

    func execute(
        _ statement: Statement,
        _ parameters: [DatabaseValue],
        completion: @escaping (Result<DatabaseRows, DatabaseError>) -> Void
    ) {
        let send = { [connection] in
            connection.execute(statement, parameters, within: .seconds(20), completion: completion)
        }
        if isHolding { return held.append(send) }
        if statement.name == "inbox" { inboxLimits += parameters.suffix(1) }
        guard let (fault, after) = plan, ["write_round", "assign_shards"].contains(statement.name ?? "") else {
            return send()
        }
        guard after == 0 else {
            plan = (fault, after - 1)
            return send()
        }
        plan = nil
        switch fault {
        case .closeBefore:
            disturb(fault)
            send()
        case .closeAfter, .stopServer:
            send()
            disturb(fault)
        case .timeOut:
            connection.execute(statement, parameters, within: .seconds(20)) { _ in
                completion(.failure(DatabaseError(.timeout, "a test's")))
            }
            disturb(fault)
        case .hold:
            isHolding = true
            held.append(send)
            disturb(fault)
        }
    }

    /// Sends what was held.
    func release() {
        isHolding = false
        let held = held
        self.held = []
        for send in held { send() }
    }
}
