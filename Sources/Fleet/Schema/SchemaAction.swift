// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import PostgreSQL

/// A statement of initialization or migration, or a step to report.
struct SchemaAction {
    /// The statement; nil when there is only a step to report.
    var statement: Statement?
    /// Its parameters.
    var parameters: [DatabaseValue] = []
    /// The step to report after the statement.
    var step: SchemaStep?
    /// Decides from the result which actions come next, before those that were planned already.
    var next: ((DatabaseRows) throws(SchemaFailure) -> [SchemaAction])?

    init(_ statement: Statement, _ parameters: [DatabaseValue] = [], step: SchemaStep? = nil) {
        self.statement = statement
        self.parameters = parameters
        self.step = step
    }

    init(
        _ statement: Statement,
        _ parameters: [DatabaseValue] = [],
        next: @escaping (DatabaseRows) throws(SchemaFailure) -> [SchemaAction]
    ) {
        self.statement = statement
        self.parameters = parameters
        self.next = next
    }

    init(_ sql: String, name: String, step: SchemaStep? = nil) {
        self.init(Statement(sql, name: name), step: step)
    }

    init(report step: SchemaStep) {
        self.step = step
    }
}

/// Why a plan ends: a decision of it, or an error of the database.
enum SchemaFailure: Error {
    case problem(SchemaProblem)
    case database(DatabaseError)
}
