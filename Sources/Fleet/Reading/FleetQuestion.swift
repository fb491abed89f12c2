// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import PostgreSQL

/// A question to the fleet's database: one statement, so that its answer is of one moment, and how to read the rows.
package struct FleetQuestion<Answer: Sendable>: Sendable {
    let statement: Statement
    let parameters: [DatabaseValue]
    let read: @Sendable (DatabaseRows) throws(DatabaseError) -> Answer

    init(
        _ statement: Statement,
        _ parameters: [DatabaseValue] = [],
        read: @escaping @Sendable (DatabaseRows) throws(DatabaseError) -> Answer
    ) {
        self.statement = statement
        self.parameters = parameters
        self.read = read
    }
}

extension StatementExecutor {
    /// Asks the database. On the executor's thread.
    ///
    /// - Parameter completion: called once, in a later turn of the loop.
    package func ask<Answer>(
        _ question: FleetQuestion<Answer>,
        completion: @escaping (Result<Answer, DatabaseError>) -> Void
    ) {
        execute(question.statement, question.parameters) { result in
            completion(result.flatMap { rows in Result { () throws(DatabaseError) in try question.read(rows) } })
        }
    }
}

/// The versions of the declarations, verdicts and assignments, of one moment. Votes have none of their own: time alone makes some
/// void.
package struct FleetVersion: Sendable, Hashable {
    /// The run of the log.
    package let epoch: String
    /// The number of the newest event.
    package let sequence: UInt64
    /// The version of the declarations.
    package let declared: Int64
    /// The version of the assignments.
    package let assigned: Int64
    /// The number of nodes with a valid lease: the votes of the others do not count.
    package let live: Int64

    /// The columns of `log_head h` that init(_:_:) reads.
    static let columns = """
        h.epoch, h.seq, h.declared, h.assignment,
          (SELECT count(*) FROM nodes WHERE NOT departed AND until > \(DatabaseClock.now))
        """
    /// The number of these columns.
    static let count = 5

    /// - Parameter column: the first of the columns.
    init(_ rows: DatabaseRows, _ column: Int) throws(DatabaseError) {
        epoch = try rows.shortText(0, column)
        sequence = UInt64(clamping: try rows.count(0, column + 1))
        declared = try rows.count(0, column + 2)
        assigned = try rows.count(0, column + 3)
        live = try rows.count(0, column + 4)
    }

    /// The text of an entity tag; it begins as that of a ``FleetRevision``.
    package var text: String { "\(epoch)-\(declared)-\(sequence)-\(assigned)-\(live)" }

    /// Reads the present versions.
    package static var question: FleetQuestion<FleetVersion> {
        FleetQuestion(Statement("SELECT \(columns) FROM log_head h", name: "versions")) {
            rows throws(DatabaseError) in try FleetVersion(rows, 0)
        }
    }
}
