// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import PostgreSQL

/// The channels of a fleet's notifications (`LISTEN` in PostgreSQL's manual).
///
/// A notification is only a hint: behind a pooler in transaction mode none arrives, so everything is read regularly as well. Their
/// names begin with the schema's, so that two fleets in one database do not wake each other.
enum FleetChannel: String, Sendable, CaseIterable {
    /// The log has new entries. The payload is the newest number. Nodes listen while they have readers of the log.
    case log = ""
    /// The coordinator has something to do after a time without: reports arrived, or nodes or declarations changed. The coordinator
    /// listens.
    case work = " work"
    /// The coordinator resigned. The nodes that may coordinate listen.
    case vacancy = " vacancy"

    /// The channel of a name; nil for one with another purpose.
    init?(named name: String) { self.init(rawValue: String(name.drop { $0 != " " })) }

    /// An expression that notifies when the transaction commits.
    ///
    /// - Parameter payload: an expression of the type text.
    func notify(_ payload: String = "''") -> String { "pg_notify(current_schema() || '\(rawValue)', \(payload))" }

    /// Asks for the channel's notifications on a connection.
    ///
    /// - Parameter completion: called once, with whether the server accepted it.
    func listen(on executor: any StatementExecutor, completion: @escaping (_ isAccepted: Bool) -> Void = { _ in }) {
        executor.execute(Self.schema, []) { [weak executor] result in
            guard let executor, case .success(let rows) = result, let schema = try? rows.shortText(0, 0) else {
                return completion(false)
            }
            let statement = Statement("LISTEN \(SQLIdentifier.quote(schema + rawValue))", name: "listen")
            executor.execute(statement, []) { completion((try? $0.get()) != nil) }
        }
    }

    private static let schema = Statement("SELECT current_schema()", name: "read_schema")
}
