// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import PostgreSQL

/// Noticing that the log is on another server, or on a promoted or restored one, or has numbers that the coordinator did not give.
extension CoordinatorTerm {
    /// The time between two comparisons, in nanoseconds. A connection to another server is another term, which begins with one; only
    /// behind a pooler the server may change within a term.
    static let originInterval: UInt64 = 30_000_000_000

    /// Compares the origin of the log with the stored one when that is due. A new epoch ends the term if it has read anything, which
    /// may be different now.
    func checkOrigin(then: @escaping () -> Void) {
        let now = loop.clock.now()
        guard now >= originAt else { return then() }
        originAt = now + Self.originInterval
        attempt(EpochStatements.origin, []) { [self] rows in
            guard let rows, let epoch = try? rows.shortText(0, 0), let stored = try? LogOrigin(rows, column: 1),
                let present = try? LogOrigin(rows, column: 4), let ended = try? rows.integer(0, 7)
            else { return then() }
            let vacancy = max(vacancy, Duration(microseconds: ended))
            self.vacancy = .zero
            let taken = (try? rows.optionalInteger(0, 8)) ?? 0
            switch stored.succession(present, vacancy: vacancy) {
            case .lost(let origin, let reason):
                begin(after: epoch, at: origin, above: taken, because: reason, then: then)
            case .same where taken > 0:
                begin(after: epoch, at: stored, above: taken, because: Self.foreignEvents, then: then)
            case .moved(let origin) where taken > 0:
                begin(after: epoch, at: origin, above: taken, because: Self.foreignEvents, then: then)
            case .same: then()
            case .moved(let origin): record(origin, then: then)
            }
        }
    }

    /// Their numbers cannot be given again, and clients would find a gap below the next ones.
    private static let foreignEvents = "another program wrote events above the newest number"

    private func record(_ origin: LogOrigin, then: @escaping () -> Void) {
        let guardian: [DatabaseValue] = [.text(identity.name), .integer(identity.incarnation), .integer(token)]
        run(EpochStatements.record, guardian + origin.values) { [self] rows in
            let time = guarded(rows) { rows, row throws(DatabaseError) in try rows.integer(row, 0) }
            if time != nil { then() }
        }
    }

    private func begin(
        after old: String,
        at origin: LogOrigin,
        above number: Int64,
        because reason: String,
        then: @escaping () -> Void
    ) {
        let new = EventID.randomEpoch()
        run(EpochStatements.begin, EpochStatements.beginning(after: old, as: new, at: origin, above: number)) {
            [self] _ in
            let message = LogMessage(
                .warning,
                "events may be lost that clients have seen: the fleet's log begins a new epoch",
                facts: ["reason": reason, "epoch": new, "timeline": origin.timeline ?? "unknown"]
            )
            guard epoch == nil else { return end(message) }
            log?(message)
            then()
        }
    }

    /// Whether the log is still of the epoch that the term began in.
    func isSameEpoch(_ look: FleetLook) -> Bool {
        defer { epoch = look.epoch }
        return epoch == nil || epoch == look.epoch
    }
}
