// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import PostgreSQL

/// Learns when another location reports one of this node's targets down, so that it is probed at once: a quorum then takes a renewal
/// and a probe instead of an interval. On the executor's thread.
final class DisputedTargets {
    /// The greatest number of targets that one reading returns. What is more is read after the next renewal, so that a location that
    /// loses its network does not have all others probe everything in the same moment.
    static let limit = 1_000

    private let name: String
    /// The last number that was read; nil before the first renewal: a node that starts probes all its targets anyway.
    private var read: Int64?
    private var isReading = false

    /// - Parameter name: the node's name.
    init(name: String) { self.name = name }

    /// Reads what began since the last reading.
    ///
    /// - Parameters:
    ///   - answer: what a renewal told.
    ///   - executor: executes the statement.
    ///   - completion: gets the ids of the targets to probe; not called without any.
    func update(_ answer: LeaseAnswer, _ executor: any StatementExecutor, completion: @escaping ([String]) -> Void) {
        // A restored database may count from less.
        guard let read, read <= answer.disputes else { return self.read = answer.disputes }
        guard read < answer.disputes, !isReading else { return }
        isReading = true
        let parameters: [DatabaseValue] = [.text(name), .integer(read), .integer(Int64(Self.limit))]
        executor.execute(MembershipStatements.disputed, parameters) { [weak self] result in
            guard let self else { return }
            isReading = false
            // A failure ends the connection or is repeated after the next renewal.
            guard case .success(let rows) = result, let found = try? Self.targets(rows) else { return }
            self.read = found.ids.count == Self.limit ? found.last : answer.disputes
            if !found.ids.isEmpty { completion(found.ids) }
        }
    }

    private static func targets(_ rows: DatabaseRows) throws(DatabaseError) -> (ids: [String], last: Int64) {
        var ids: [String] = []
        var last: Int64 = 0
        for row in 0..<rows.rowCount {
            last = try rows.integer(row, 0)
            ids.append(try rows.text(row, 1))
        }
        return (ids, last)
    }
}
