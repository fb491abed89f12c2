// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import PostgreSQL

/// An executor that a test completes statement by statement.
final class ManualExecutor: StatementExecutor {
    private(set) var names: [String] = []
    private var pending: [(Result<DatabaseRows, DatabaseError>) -> Void] = []

    func execute(
        _ statement: Statement,
        _ parameters: [DatabaseValue],
        completion: @escaping (Result<DatabaseRows, DatabaseError>) -> Void
    ) {
        names.append(statement.name ?? "")
        pending.append(completion)
    }

    /// Completes the statement that was executed first.
    func complete(_ rows: [[String?]] = []) { pending.removeFirst()(.success(Rows.make(rows))) }

    /// Lets the statement that was executed first fail.
    func fail(_ error: DatabaseError) { pending.removeFirst()(.failure(error)) }
}
