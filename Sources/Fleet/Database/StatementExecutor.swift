// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import PostgreSQL

/// Executes statements on the fleet's database: a connection, or a test's imitation of one. On one event loop's thread.
package protocol StatementExecutor: AnyObject {
    /// Executes one statement, which is one transaction.
    ///
    /// - Parameters:
    ///   - statement: the statement, with `$1` … for its parameters.
    ///   - parameters: the values.
    ///   - completion: called once, in a later turn of the loop.
    func execute(
        _ statement: Statement,
        _ parameters: [DatabaseValue],
        completion: @escaping (Result<DatabaseRows, DatabaseError>) -> Void
    )
}

extension DatabaseConnection: StatementExecutor {
    package func execute(
        _ statement: Statement,
        _ parameters: [DatabaseValue],
        completion: @escaping (Result<DatabaseRows, DatabaseError>) -> Void
    ) {
        execute(statement, parameters, within: nil, completion: completion)
    }
}
