// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring

/// Makes messages of what the log tells: filters, gathers outages, holds back what comes too often.
///
/// A value without clock or I/O. Times of the log, in milliseconds since 1970, decide what belongs together; the
/// monotonic clock, in nanoseconds, decides when nothing more is to be waited for.
struct MessageMaker: Sendable {
    private let filter: NotificationFilter
    private let groupWait: UInt64
    private var limit: RateLimit
    private var group: OutageGroup?
    private var withheld: [String: WithheldChanges] = [:]
    /// The earliest time among ``withheld``, or an earlier one.
    private var nextRelease = Int64.max
    private var problems: ProblemTable

    /// Made, and to be taken by ``takeMessages()``.
    private var made: [Message] = []
    /// Settled without a message, and to be taken by ``takeSettled()``.
    private var settled = SequenceSet()

    /// The name of the outage in ``limit``; no target's id is empty.
    private static let outage = ""

    init(_ settings: ReceiverSettings, problems: ProblemTable = ProblemTable()) {
        filter = settings.filter
        groupWait = settings.pace.groupWait.nanoseconds
        limit = RateLimit(settings.pace)
        self.problems = problems
    }

    /// Changes that wait for their time.
    var waiting: Int { withheld.count + (group?.members.count ?? 0) }

    /// When ``advance(now:isCaughtUp:)`` has something to do.
    var deadline: UInt64? {
        let held = withheld.values.map(\.deadline).min()
        return [held, group?.deadline].compactMap(\.self).min()
    }

    mutating func takeMessages() -> [Message] {
        defer { made = [] }
        return made
    }

    mutating func takeSettled() -> SequenceSet {
        defer { settled = SequenceSet() }
        return settled
    }

    /// Takes the next entry of the log.
    mutating func take(_ entry: LogEntry, now: UInt64) {
        switch entry {
        case .other(let sequence): settled.insert(sequence)
        case .removal(let change):
            release(before: change.at.milliseconds)
            let completed = problems.completed(change)
            problems.remove(change.target)
            remove(completed)
        case .change(let change):
            release(before: change.at.milliseconds)
            take(problems.completed(change), now: now)
        }
    }

    /// Passes over an entry that was told in an earlier run.
    mutating func pass(_ entry: LogEntry) {
        switch entry {
        case .other: break
        case .removal(let change): problems.remove(change.target)
        case .change(let change): _ = problems.completed(change)
        }
    }

    /// Makes the messages whose time has come.
    ///
    /// - Parameter isCaughtUp: whether the log has nothing more for now; until then its times decide.
    mutating func advance(now: UInt64, isCaughtUp: Bool) {
        guard isCaughtUp else { return }
        if let group, group.deadline <= now { tellGroup() }
        releaseWithheld { $0.deadline <= now }
    }

    private mutating func take(_ change: StateChange, now: UInt64) {
        guard !change.isIdle, filter.matches(change) else {
            settled.insert(change.sequence)
            return
        }
        if var changes = withheld[change.target] {
            changes.last = change
            changes.leftOut += 1
            changes.covers.insert(change.sequence)
            withheld[change.target] = changes
        } else if change.isOutage || change.isRecovery {
            gather(change, now: now)
        } else {
            single(change, now: now)
        }
    }

    /// Tells the end of a target that is gone to those who heard that something is wrong with it.
    private mutating func remove(_ change: StateChange) {
        // Whoever is told of it next must not wait for a target that is gone.
        if let last = withheld.removeValue(forKey: change.target) { tell(last.last, last.leftOut, last.covers) }
        let (removal, leftOut, covers) = leavingGroup(change)
        guard removal.from.isJudgement, removal.from != .up, filter.matches(removal) else {
            settled.formUnion(covers)
            return
        }
        tell(removal, leftOut, covers)
    }

    /// A change with what it takes out of the outage that is gathered, of which nobody was told.
    private mutating func leavingGroup(_ change: StateChange) -> (StateChange, leftOut: Int, covers: SequenceSet) {
        var covers = SequenceSet(change.sequence...change.sequence)
        guard let member = group?.remove(change.target) else { return (change, 0, covers) }
        if group?.members.isEmpty == true { group = nil }
        covers.formUnion(member.covers)
        var change = change
        change.from = member.from
        return (change, member.changes, covers)
    }

    private mutating func gather(_ change: StateChange, now: UInt64) {
        if group == nil {
            // A network that comes and goes all the time is told of less often, too.
            let pause = wait(from: change.at.milliseconds, to: limit.earliest(Self.outage, at: change.at.milliseconds))
            group = OutageGroup(began: change.at.milliseconds, deadline: now + max(groupWait, pause))
        }
        group?.add(change)
        if group?.isFull == true { tellGroup() }
    }

    private mutating func single(_ change: StateChange, now: UInt64) {
        let (change, leftOut, covers) = leavingGroup(change)
        let earliest = limit.earliest(change.target, at: change.at.milliseconds)
        guard earliest > change.at.milliseconds, withheld.count < WithheldChanges.limit else {
            return tell(change, leftOut, covers)
        }
        withheld[change.target] = WithheldChanges(
            last: change,
            leftOut: leftOut,
            covers: covers,
            deadline: now + wait(from: change.at.milliseconds, to: earliest),
            earliest: earliest
        )
        nextRelease = min(nextRelease, earliest)
    }

    /// Nanoseconds from one time of the log to another, a day at most.
    private func wait(from start: Int64, to end: Int64) -> UInt64 {
        guard end > start else { return 0 }
        let (milliseconds, isTooLong) = end.subtractingReportingOverflow(start)
        return (isTooLong ? 86_400_000 : min(UInt64(milliseconds), 86_400_000)) * 1_000_000
    }

    /// Makes the messages whose time was over when something later happened.
    private mutating func release(before milliseconds: Int64) {
        // Before it began is not in it either: the clock was set back.
        if let group, (milliseconds - group.began).magnitude > groupWait / 1_000_000,
            limit.earliest(Self.outage, at: milliseconds) <= milliseconds
        {
            tellGroup()
        }
        if nextRelease < milliseconds { releaseWithheld { $0.earliest < milliseconds } }
    }

    private mutating func releaseWithheld(where isDue: (WithheldChanges) -> Bool) {
        let due = withheld.filter { isDue($0.value) }.sorted { $0.value.last.sequence < $1.value.last.sequence }
        for (target, changes) in due {
            withheld[target] = nil
            tell(changes.last, changes.leftOut, changes.covers)
        }
        nextRelease = withheld.values.map(\.earliest).min() ?? .max
    }

    private mutating func tellGroup() {
        guard let group else { return }
        self.group = nil
        for message in group.messages {
            limit.note(Self.outage, at: message.at.milliseconds)
            made.append(message)
        }
    }

    private mutating func tell(_ change: StateChange, _ leftOut: Int, _ covers: SequenceSet) {
        limit.note(change.target, at: change.at.milliseconds)
        made.append(Message(change, leftOut: leftOut, covers: covers))
    }
}
