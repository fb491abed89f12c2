// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import PostgreSQL

/// Rounds of decisions: read a batch, decide, write.
extension CoordinatorTerm {
    // MARK: Targets without rows

    /// Reads the targets whose locations have disagreed for too long.
    func readDisagreements() {
        let now = databaseTime
        let parameters: [DatabaseValue] = [.integer(now.microseconds), .integer(Int64(Self.roundLimit))]
        run(CoordinatorStatement.dueDisagreements, parameters) { [self] rows in
            let readable = ReadableRows(rows) { rows, row throws(DatabaseError) in
                (target: try rows.text(row, 0), due: Duration(microseconds: try rows.integer(row, 1)))
            }
            skip(readable.skipped)
            queue.add(targets: readable.rows.filter { $0.due <= now }.map(\.target))
            // What is due now is decided soon, and may be due still if the database's clock was set back.
            let next = readable.rows.map(\.due).filter { $0 > now }.min()
            let isAnyDue = readable.rows.contains { $0.due <= now }
            disagreementDue = isAnyDue ? min(next ?? .seconds(Int64.max), now + .milliseconds(200)) : next
            finished()
        }
    }

    /// Reads a page of the targets that depend on others.
    func readChildren() {
        guard let page = queue.childPage else { return finished() }
        let parameters: [DatabaseValue] = [
            .texts(page.parents), .text(page.after), .integer(Int64(Self.roundLimit)),
        ]
        run(CoordinatorStatement.children, parameters) { [self] rows in
            queue.take(childPage: texts(rows), isFull: rows.rowCount == Self.roundLimit)
            finished()
        }
    }

    func texts(_ rows: DatabaseRows) -> [String] {
        let readable = ReadableRows(rows) { rows, row throws(DatabaseError) in try rows.text(row, 0) }
        skip(readable.skipped)
        return readable.rows
    }

    // MARK: Reading

    /// Reads the inbox and a page of targets without rows.
    func round(withBackground: Bool) {
        let isInboxBusy = pace.inboxAt != nil
        let pageLimit = max(1, isInboxBusy ? batchLimit / 4 : batchLimit)
        var reevaluated = queue.takeTargets(pageLimit)
        if reevaluated.isEmpty { queue.beginShardPage(pageLimit, sizes: sizes, withBackground: withBackground) }
        if withBackground { backgroundAt = loop.clock.now() + Self.backgroundInterval }
        let hasPage = !reevaluated.isEmpty || queue.shardPage != nil
        let limit = max(1, batchLimit - (hasPage ? pageLimit : 0))
        readInbox(limit) { [self] rows in
            guard reevaluated.isEmpty, let page = queue.shardPage else { return read(rows, reevaluated) }
            let parameters: [DatabaseValue] = [
                .integers(page.shards.map { Int64($0.placement) }), .integers(page.shards.map { Int64($0.number) }),
                .text(page.after), .integer(Int64(pageLimit)),
            ]
            run(CoordinatorStatement.targetsOfShards, parameters) { [self] found in
                reevaluated = texts(found)
                queue.take(shardPage: reevaluated, isFull: found.rowCount == pageLimit)
                read(rows, reevaluated)
            }
        }
    }

    func readInbox(_ limit: Int, then: @escaping ([InboxRow]) -> Void) {
        guard pace.inboxAt != nil else { return then([]) }
        let isGathered = gathering != nil
        let size = DatabaseValue.integer(Int64(limit))
        run(
            isGathered ? CoordinatorStatement.gatheredInbox : CoordinatorStatement.inbox,
            isGathered ? [size] : [.integer(inbox.position), size]
        ) { [self] rows in
            let readable = ReadableRows(rows) { rows, row throws(DatabaseError) in try InboxRow(rows, row) }
            skip(readable.skipped)
            let now = loop.clock.now()
            pace.inboxRead(readable.rows.count, isFull: rows.rowCount == limit, now: now)
            if isGathered {
                // Lower numbers may follow until all was read.
                if rows.rowCount < limit { gathering = nil }
            } else {
                inbox.read(readable.rows.map(\.id), isFull: rows.rowCount == limit, at: now)
            }
            then(readable.rows)
        }
    }

    /// Reads the targets of a batch.
    func read(_ rows: [InboxRow], _ reevaluated: [String]) {
        var facts = RoundFacts(now: databaseTime)
        facts.rows = rows
        facts.reevaluated = reevaluated
        facts.placements = placements
        facts.assignments = assignments
        facts.members = members
        facts.settings = settings
        facts.isolated = isolated
        facts.comparable = Set(shared.filter { $0.value >= IsolationTally.fewestTargets }.keys)
        facts.recentLosses = losses.recent(after: facts.now - settings.settle)
        let ids = facts.targetIDs
        guard !ids.isEmpty else { return decide(facts) }
        run(CoordinatorStatement.standing, [.texts(ids)]) { [self] rows in
            let readable = ReadableRows(rows) { rows, row throws(DatabaseError) in try TargetStanding(rows, row) }
            skip(readable.skipped)
            facts.targets = Dictionary(readable.rows.map { ($0.id, $0) }) { first, _ in first }
            run(CoordinatorStatement.votes, [.texts(ids)]) { [self] rows in
                facts.votes = votes(rows)
                run(CoordinatorStatement.blockingParents, [.texts(ids)]) { [self] rows in
                    let readable = ReadableRows(rows) { rows, row throws(DatabaseError) in
                        (try rows.text(row, 0), try rows.text(row, 1))
                    }
                    skip(readable.skipped)
                    facts.blockingParents = Dictionary(readable.rows) { first, _ in first }
                    facts.now = databaseTime
                    decide(facts)
                }
            }
        }
    }

    private func votes(_ rows: DatabaseRows) -> [String: [String: StoredVote]] {
        let readable = ReadableRows(rows, StoredVote.read)
        skip(readable.skipped)
        var votes: [String: [String: StoredVote]] = [:]
        for (target, location, vote) in readable.rows { votes[target, default: [:]][location] = vote }
        return votes
    }

    // MARK: Deciding and writing

    private func decide(_ facts: RoundFacts) {
        let changes = DecisionRound.decide(facts)
        count? { $0.reevaluations += UInt64(facts.reevaluated.count) }
        for (shard, due) in changes.due { queue.add(shard, at: due) }
        // A write that fails ends the term, and the tally with it.
        tally(changes)
        guard !changes.isEmpty else { return follow(changes.observations, changes.losses) }
        let statement = WriteStatement(
            identity: identity,
            token: token,
            lease: settings.lease,
            stamp: .random(in: 1...Int64.max),
            changes: changes
        )
        run(WriteStatement.statement, statement.parameters) { [self] rows in
            guard let result = guarded(rows, WriteResult.init) else { return }
            setClock(result.now)
            let isWhole = written(changes, result)
            wrote?()
            batchLimit = min(Self.roundLimit, batchLimit * 2)
            // The targets of a verdict that was not written are decided on again.
            follow(isWhole ? changes.observations : [], changes.losses)
        }
    }

    /// Takes what a statement did; returns whether it wrote all verdicts.
    private func written(_ changes: RoundChanges, _ result: WriteResult) -> Bool {
        let conflicts = max(0, changes.verdicts.count - result.verdicts)
        // It is not known which ones: another statement has replaced them, or their targets are no longer declared.
        if conflicts > 0 { queue.add(targets: changes.verdicts.map(\.target)) }
        queue.add(childrenOf: changes.blockingChanged)
        for (key, token) in changes.confirmed { confirm(key, token) }
        if let due = changes.disagreements.compactMap(\.due).min() {
            disagreementDue = min(due, disagreementDue ?? due)
        }
        count? { statistics in
            statistics.rounds += 1
            statistics.rows += UInt64(changes.inboxIDs.count)
            statistics.votes += UInt64(changes.votes.count)
            statistics.verdicts += UInt64(clamping: result.verdicts)
            statistics.events += UInt64(clamping: result.events)
            statistics.conflicts += UInt64(conflicts)
            for (reason, number) in changes.rejected { statistics.rejected[reason, default: 0] += UInt64(number) }
        }
        return conflicts == 0
    }

    /// Votes that had become void, because the owner had not probed in time, count again.
    private func confirm(_ key: AssignmentKey, _ token: Int64) {
        guard var record = assignments[key], record.token == token else { return }
        record.confirmed = token
        assignments[key] = record
        if databaseTime - record.since > VerdictFacts.shortestGrace { queue.add(shards: [key.shard]) }
    }
}

extension RoundFacts {
    /// The targets that have to be read.
    fileprivate var targetIDs: [String] {
        Set(reevaluated).union(rows.compactMap(\.target)).sorted()
    }
}

extension StoredVote {
    /// Reads a row with the columns of ``CoordinatorStatement/votes``; nil when its state or cause is unknown.
    fileprivate static func read(
        _ rows: DatabaseRows,
        _ row: Int
    ) throws(DatabaseError) -> (target: String, location: String, vote: StoredVote)? {
        let content = VoteContent(
            state: try rows.text(row, 2),
            cause: try rows.optionalText(row, 3),
            reason: try rows.optionalText(row, 4),
            detail: try rows.optionalText(row, 5),
            since: try rows.integer(row, 6),
            fault: try rows.optionalText(row, 9)
        )
        guard let content else { return nil }
        return (
            try rows.text(row, 0), try rows.text(row, 1),
            StoredVote(content: content, token: try rows.integer(row, 7), node: try rows.text(row, 8))
        )
    }
}
