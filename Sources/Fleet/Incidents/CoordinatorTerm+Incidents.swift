// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import PostgreSQL

/// The fleet's incidents: they follow the verdicts that were written, and are written in a statement of their own.
///
/// What a coordinator that stopped in between had not written is made up for: each term decides on all targets once more, and what it finds
/// is compared with the incidents of the database. The book has only those that may go on; older ones are only in the database.
extension CoordinatorTerm {
    /// How long a closed incident stays in the book, longer than it may be opened again.
    private static let closedTime = Duration.milliseconds(IncidentBook.reopeningTime * 2)
    /// How many members are read at once.
    private static let memberLimit = 4_096
    /// How many edits are read at once.
    private static let editLimit = 64

    // MARK: Reading

    /// Reads the incidents that may go on.
    func loadIncidents(then: @escaping () -> Void) {
        let since = databaseTime - Self.closedTime
        run(IncidentStatements.continuing, [.integer(max(0, since.microseconds))]) { [self] rows in
            let readable = ReadableRows(rows) { rows, row throws(DatabaseError) in
                (
                    newest: try rows.count(row, 0),
                    incident: try rows.isNull(row, 1) ? nil : try IncidentRows.incident(rows, row, from: 1)
                )
            }
            skip(readable.skipped)
            incidents.begin(behind: UInt64(clamping: readable.rows.first?.newest ?? 0))
            restore(readable.rows.compactMap(\.incident)) { [self] in
                count? { [self] in $0.incidents = incidents.tally }
                then()
            }
        }
    }

    /// Adds incidents with their members to the book.
    private func restore(_ found: [Incident], then: @escaping () -> Void) {
        guard !found.isEmpty else { return then() }
        let numbers = found.map { Int64(clamping: $0.number) }
        readMembers(of: numbers, after: (0, ""), [:]) { [self] members in
            incidents.restore(found.map { StoredIncident($0, members: members[$0.number] ?? []) })
            then()
        }
    }

    private func readMembers(
        of numbers: [Int64],
        after last: (incident: Int64, target: String),
        _ earlier: [UInt64: [IncidentMember]],
        then: @escaping ([UInt64: [IncidentMember]]) -> Void
    ) {
        let parameters: [DatabaseValue] = [
            .integers(numbers), .integer(last.incident), .text(last.target), .integer(Int64(Self.memberLimit)),
        ]
        run(IncidentStatements.members, parameters) { [self] rows in
            let readable = ReadableRows(rows) { rows, row throws(DatabaseError) in
                try IncidentRows.member(rows, row)
            }
            skip(readable.skipped)
            var members = earlier
            for (incident, member) in readable.rows { members[incident, default: []].append(member) }
            let end = rows.rowCount - 1
            guard rows.rowCount == Self.memberLimit, let incident = try? rows.integer(end, 0),
                let target = try? rows.text(end, 1)
            else { return then(members.mapValues { $0.sorted { ($0.first, $0.target) < ($1.first, $1.target) } }) }
            readMembers(of: numbers, after: (incident, target), members, then: then)
        }
    }

    // MARK: Following

    /// Has the targets of incidents decided on that are not declared any more, or are paused: their statements are not a round's.
    func findEnded(then: @escaping () -> Void) {
        let failing = incidents.failingTargets
        guard !failing.isEmpty else { return then() }
        run(IncidentStatements.ended, [.texts(failing.sorted())]) { [self] rows in
            queue.add(targets: texts(rows))
            then()
        }
    }

    /// Takes what was decided, and writes what became of incidents.
    func follow(_ observations: [IncidentObservation], _ lost: [String: Loss?]) {
        let explained = losses.explain(observations, lost, shared: shared, settings: settings, incidents: incidents)
        // An incident that is open is corrected before another one is opened.
        let known = Set(explained.lazy.map(\.target).filter { [incidents] in !incidents.incidents(of: $0).isEmpty })
        for observation in explained where known.contains(observation.target) { incidents.take(observation) }
        for observation in explained where !known.contains(observation.target) { incidents.take(observation) }
        // Those that were told before the location had lost many belong to it, too.
        queue.add(targets: losses.targets(of: losses.losers.subtracting(losers)).sorted())
        losers = losses.losers
        writeIncidents([])
    }

    /// Reads people's edits and applies them.
    func readEdits() {
        mustReadEdits = false
        run(IncidentStatements.edits, [.integer(Int64(Self.editLimit))]) { [self] rows in
            mustReadEdits = rows.rowCount == Self.editLimit
            let ids = ReadableRows(rows) { rows, row throws(DatabaseError) in try rows.integer(row, 0) }
            let readable = ReadableRows(rows) { rows, row throws(DatabaseError) -> StoredEdit? in
                guard let edit = StoredEdit.read(try rows.text(row, 2)) else { return nil }
                return StoredEdit(
                    id: try rows.integer(row, 0),
                    incident: try rows.text(row, 1),
                    edit: edit,
                    at: Timestamp(Duration(microseconds: try rows.integer(row, 3)))
                )
            }
            skip(readable.skipped)
            let unknown = Set(readable.rows.map(\.incident)).filter { !incidents.has($0) }
            recall(unknown.sorted()) { [self] in
                // One that cannot be applied any more is of no use later either.
                for edit in readable.rows { try? incidents.apply(edit.edit, to: edit.incident, at: edit.at) }
                writeIncidents(ids.rows)
            }
        }
    }

    /// Adds incidents to the book that were closed long ago.
    private func recall(_ ids: [String], then: @escaping () -> Void) {
        guard !ids.isEmpty else { return then() }
        run(IncidentStatements.named, [.texts(ids)]) { [self] rows in
            let readable = ReadableRows(rows) { rows, row throws(DatabaseError) in
                try IncidentRows.incident(rows, row)
            }
            skip(readable.skipped)
            restore(readable.rows, then: then)
        }
    }

    private func writeIncidents(_ edits: [Int64]) {
        guard let epoch, incidents.isChanged || !edits.isEmpty else { return finished() }
        let changes = incidents.settle { number, _ in EventID(epoch: epoch, sequence: number) }
        let cutoff = databaseTime - Self.closedTime
        incidents.forget(closedBefore: Timestamp(max(cutoff, .zero)))
        let statement = IncidentStatement(
            identity: identity,
            token: token,
            lease: settings.lease,
            stamp: .random(in: 1...Int64.max),
            changes: changes,
            edits: edits
        )
        run(IncidentStatement.statement, statement.parameters) { [self] rows in
            let row = guarded(rows) { rows, row throws(DatabaseError) in
                (now: try rows.integer(row, 0), events: try rows.integer(row, 1))
            }
            guard let (now, events) = row else { return }
            setClock(Duration(microseconds: now))
            count? { statistics in
                statistics.events += UInt64(clamping: events)
                statistics.incidents = incidents.tally
            }
            finished()
        }
    }
}
