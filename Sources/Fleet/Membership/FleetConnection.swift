// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import PostgreSQL

/// A connection to the fleet's database: a ``DatabaseConnection``, or a test's imitation of one. On one event loop's thread.
package protocol FleetConnection: StatementExecutor {
    /// Called for each notification of the channels that the session listens to.
    var notified: ((DatabaseNotification) -> Void)? { get set }
    /// Called once when an open connection ends without ``close()``, after the completions of its statements.
    var closed: ((DatabaseError) -> Void)? { get set }
    /// Opens the connection; the completion is called once.
    func connect(completion: @escaping (Result<DatabaseServer, DatabaseError>) -> Void)
    /// Closes the connection and fails what is pending; a second call does nothing.
    func close()
}

extension DatabaseConnection: FleetConnection {}

/// Checks whether this version of reachd may use a database, by statements on the given connection. The completion is called once,
/// on the loop's thread.
package typealias ConnectionCheck = (
    _ executor: any StatementExecutor,
    _ completion: @escaping (Result<Void, FleetFault>) -> Void
) -> Void

extension FleetSchema {
    /// The check of a node's connections: whether the schema accepts this version's writes.
    static func checkConnection(
        _ executor: any StatementExecutor,
        _ completion: @escaping (Result<Void, FleetFault>) -> Void
    ) {
        check(on: executor) { result in
            switch result {
            case .success(.usable): completion(.success(()))
            case .success(.unusable(let problem)):
                completion(.failure(FleetFault(code: problem.code.rawValue, message: "\(problem)")))
            case .failure(let error): completion(.failure(FleetFault(error)))
            }
        }
    }
}
