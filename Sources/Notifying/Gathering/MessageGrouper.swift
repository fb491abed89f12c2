// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring

/// Makes messages of the log: filters, gathers outages, holds back what comes too often, and sends each target's `firing` and
/// `resolved` in turns (``OpenProblems``).
///
/// A value without clock or I/O. Times of the log, in milliseconds since 1970, decide what belongs together; the
/// monotonic clock, in nanoseconds, decides when nothing more is to be waited for.
struct MessageGrouper: Sendable {
    private let filter: NotificationFilter
    private let groupWait: UInt64
    private var limit: RateLimit
    private var group: OutageGroup?
    /// The windows that outages were gathered in, by the number of the event that opened each; the last ones.
    private var windows: [(sequence: UInt64, window: OutageWindow)] = []
    /// The window that the reading begins in, until it begins.
    private var restored: OutageWindow?
    private var withheld: [String: SuppressedChanges] = [:]
    /// The earliest time among ``withheld``, or an earlier one.
    private var nextRelease = Int64.max
    private var problems: ProblemTable
    /// What the receiver knows when it has all messages that were made.
    private(set) var open: OpenProblems
    /// Targets with a problem whose end no event of theirs will report.
    private var obsolete: [String: StateChange.Ending] = [:]
    /// nil once it is known of which targets that are not reported any more something is open.
    private var reported: ReportedTargets?

    /// Targets of which something unsettled was taken before something that is settled.
    private var repeated: Set<String> = []

    /// Made, and to be taken by ``takeMessages()``.
    private var made: [Message] = []
    /// Settled without a message, and to be taken by ``takeSettled()``.
    private var settled = SequenceSet()

    /// - Parameters:
    ///   - problems: the targets that were not up when the reading begins.
    ///   - open: those of them that the receiver was notified of.
    ///   - limit: knows the acknowledged messages; nil: there are none.
    ///   - window: the one in which outages were gathered when the reading begins.
    ///   - reported: the targets of which events will say how their problems end; nil: all.
    init(
        _ settings: ReceiverSettings,
        problems: ProblemTable = ProblemTable(),
        open: OpenProblems = OpenProblems(),
        limit: RateLimit? = nil,
        window: OutageWindow? = nil,
        reported: ReportedTargets? = nil
    ) {
        self.open = open
        self.reported = reported
        filter = settings.filter
        groupWait = settings.pace.groupWait.nanoseconds
        self.limit = limit ?? RateLimit(settings.pace)
        self.problems = problems
        if let window { windows = [(0, window)] }
        restored = window
    }

    /// The window that the last outage up to an event opened.
    func window(through sequence: UInt64) -> OutageWindow? { windows.last { $0.sequence <= sequence }?.window }

    /// Forgets the windows that no reading will begin in again: those before the one of an event.
    mutating func forgetWindows(before sequence: UInt64) {
        guard let last = windows.lastIndex(where: { $0.sequence <= sequence }) else { return }
        windows.removeFirst(last)
    }

    /// Changes that wait for their time.
    var waiting: Int { withheld.count + (group?.members.count ?? 0) }

    /// When ``advance(now:isCaughtUp:)`` has something to do.
    var deadline: UInt64? {
        let held = withheld.values.map(\.deadline).min()
        let gathered = group.flatMap { $0.members.isEmpty ? nil : $0.deadline }
        return [held, gathered].compactMap(\.self).min()
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
        restoreWindow(now: now)
        findUnreported(before: entry)
        switch entry {
        case .other, .incident, .certificate:
            if !obsolete.isEmpty { release(before: entry.at.milliseconds) }
            endObsolete(entry.id, at: entry.at)
        case .removal(let change):
            release(before: change.at.milliseconds)
            problems.remove(change.target)
            end(change)
        case .update(let change):
            release(before: change.at.milliseconds)
            if filter.routes(change) { settled.insert(change.sequence) } else { end(change.ended(.unrouted)) }
        case .change(let change):
            release(before: change.at.milliseconds)
            obsolete[change.target] = nil
            let completed = problems.completed(change)
            openWindow(completed, now: now)
            if filter.routes(change) { take(completed, now: now) } else { end(change.ended(.unrouted)) }
        }
    }

    /// Passes over an entry that was settled in an earlier run.
    ///
    /// - Parameter isKnown: whether ``open`` began with what the entry changed in it. Where a message before it has to be made
    ///   again, it did not, but the entry was settled without a message: only what it changed silently is taken in again.
    mutating func pass(_ entry: LogEntry, isKnown: Bool, now: UInt64) {
        restoreWindow(now: now)
        findUnreported(before: entry)
        switch entry {
        case .other, .incident, .certificate: break
        case .update(let change):
            closeWindow(before: change.at.milliseconds)
            if !filter.routes(change) { passEnd(change.target, isKnown: isKnown) }
        case .removal(let change):
            closeWindow(before: change.at.milliseconds)
            problems.remove(change.target)
            passEnd(change.target, isKnown: isKnown)
        case .change(let change):
            closeWindow(before: change.at.milliseconds)
            obsolete[change.target] = nil
            let change = problems.completed(change)
            openWindow(change, now: now)
            if !isKnown {
                open.pass(change, filter)
            } else if repeated.contains(change.target) {
                _ = open.step(open.seen(change), filter)
            }
        }
    }

    private mutating func passEnd(_ target: String, isKnown: Bool) {
        let isSilent = !filter.wantsEnds || filter.wantsOnlyEnds
        if !isKnown || isSilent && repeated.contains(target) { open.remove(target) }
    }

    /// Notes that an entry is taken behind which others are settled.
    mutating func noteRepeat(_ entry: LogEntry) {
        switch entry {
        case .change(let change), .removal(let change), .update(let change): repeated.insert(change.target)
        case .other, .incident, .certificate: break
        }
    }

    /// Ends the problems of targets of which no event will say that they are over, those that are not reported yet with them.
    ///
    /// The message follows the next event that is about no target, and has its number: an id that no other message has.
    ///
    /// - Parameter ending: why the problem of a target ends; nil: events will say.
    mutating func end(_ ending: (_ target: String) -> StateChange.Ending?) {
        let gathered = group.map { Array($0.members.keys) } ?? []
        for target in Set(open.problems.keys).union(withheld.keys).union(gathered) {
            if let ending = ending(target) { obsolete[target] = ending }
        }
    }

    /// Behind the last event of earlier runs it is known what they left open.
    private mutating func findUnreported(before entry: LogEntry) {
        guard let reported, entry.sequence > reported.beginning else { return }
        self.reported = nil
        end(reported.ending)
    }

    /// Makes the messages whose time has come.
    ///
    /// - Parameter isCaughtUp: whether the log has nothing more for now; until then its times decide.
    mutating func advance(now: UInt64, isCaughtUp: Bool) {
        guard isCaughtUp else { return }
        if let group, group.deadline <= now { emitGroup() }
        releaseWithheld { $0.deadline <= now }
    }

    private mutating func take(_ original: StateChange, now: UInt64) {
        let change = open.seen(original)
        let covers = SequenceSet(change.sequence...change.sequence)
        if withheld[change.target] != nil {
            withheld[change.target]?.add(original, isWanted: filter.matches(original), covers: covers)
            return
        }
        let step = open.step(change, filter)
        switch step {
        case .nothing:
            settled.formUnion(covers)
            // It is back in the state that the receiver knows: the gathered changes are not news any more.
            if change.to.isJudgement, let member = leaveGroup(change.target) { settled.formUnion(member.covers) }
        case .firing, .resolved:
            if change.isOutage { gather(change, now: now) } else { single(change, now: now) }
        case .info: limited(change, 0, covers, now: now)
        }
    }

    /// Reports the end of a target, or of its way to the receiver, to a receiver that was notified of a problem with it.
    private mutating func end(_ change: StateChange) {
        obsolete[change.target] = nil
        var covers = SequenceSet(change.sequence...change.sequence)
        let leftOut = drop(change.target, into: &covers)
        guard isEndWanted(change.target) else {
            open.remove(change.target)
            settled.formUnion(covers)
            return
        }
        emit(open.seen(change), leftOut, covers)
    }

    private mutating func endObsolete(_ id: EventID, at moment: Timestamp) {
        defer { obsolete = [:] }
        var covers = SequenceSet(id.sequence...id.sequence)
        var leftOut = 0
        var ended: [StateChange] = []
        for (target, ending) in obsolete.sorted(by: { $0.key < $1.key }) {
            let count = drop(target, into: &covers)
            guard let problem = open[target], isEndWanted(target) else {
                open.remove(target)
                continue
            }
            leftOut += count
            ended.append(
                StateChange(id: id, at: moment, target: target, from: problem.state, to: .unknown).ended(ending)
            )
        }
        // All are listed: each was named before.
        let several = Message(outage: ended, listed: ended.count, isOver: true, leftOut: leftOut, covers: covers)
        let single = ended.count == 1 ? Message(ended[0], leftOut: leftOut, covers: covers) : nil
        guard var message = single ?? several else {
            settled.formUnion(covers)
            return
        }
        message.replaced = ended.map { open.replace($0.target, with: nil) }
        append(message)
    }

    /// Whether the receiver is to be notified that a target's problem is over, though the target did not recover.
    private func isEndWanted(_ target: String) -> Bool {
        open[target]?.isNamed == true && filter.wantsEnds && !filter.wantsOnlyEnds
    }

    /// Forgets the changes of a target that are not reported yet.
    ///
    /// - Parameter covers: takes in what they settle.
    /// - Returns: how many there were.
    private mutating func drop(_ target: String, into covers: inout SequenceSet) -> Int {
        var count = 0
        if let changes = withheld.removeValue(forKey: target) {
            covers.formUnion(changes.covers)
            count += changes.count
        }
        if let member = leaveGroup(target) {
            covers.formUnion(member.covers)
            count += member.changes
        }
        return count
    }

    private mutating func leaveGroup(_ target: String) -> OutageGroup.Member? { group?.remove(target) }

    /// Opens the window of an outage, whether or not the receiver is notified of this change and whether or not it is settled: in
    /// every reading of the log the same changes are gathered, so that what is sent again after a restart is what was sent before.
    private mutating func openWindow(_ change: StateChange, now: UInt64) {
        guard group == nil, change.isOutage, filter.routes(change) else { return }
        let began = change.at.milliseconds
        // A network that comes and goes all the time is reported less often, too.
        let pause = max(groupWait, wait(from: began, to: limit.earliest(RateLimit.outage, at: began)))
        let window = OutageWindow(began: began, length: Int64(clamping: pause / 1_000_000))
        windows.append((change.sequence, window))
        group = OutageGroup(window, now: now)
    }

    /// Goes on in the window that the reading begins in.
    private mutating func restoreWindow(now: UInt64) {
        guard let window = restored else { return }
        group = OutageGroup(window, now: now)
        restored = nil
    }

    /// Makes the messages of an outage whose window something later is not in.
    private mutating func closeWindow(before milliseconds: Int64) {
        if let group, !group.window.contains(milliseconds) { emitGroup() }
    }

    private mutating func gather(_ change: StateChange, now: UInt64) {
        openWindow(change, now: now)
        group?.add(change)
        if group?.isFull == true { emitGroup() }
    }

    private mutating func single(_ change: StateChange, now: UInt64) {
        var (change, leftOut) = (change, 0)
        var covers = SequenceSet(change.sequence...change.sequence)
        // What was gathered of it was not reported.
        if let member = leaveGroup(change.target) {
            covers.formUnion(member.covers)
            change.from = member.from
            leftOut = member.changes
        }
        limited(change, leftOut, covers, now: now)
    }

    private mutating func limited(_ change: StateChange, _ leftOut: Int, _ covers: SequenceSet, now: UInt64) {
        let earliest = limit.earliest(change.target, at: change.at.milliseconds)
        guard earliest > change.at.milliseconds, withheld.count < SuppressedChanges.limit else {
            return emit(change, leftOut, covers)
        }
        let deadline = now + wait(from: change.at.milliseconds, to: earliest)
        var changes = SuppressedChanges(deadline: deadline, earliest: earliest, leftOut: leftOut)
        changes.add(change, isWanted: true, covers: covers)
        withheld[change.target] = changes
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
        closeWindow(before: milliseconds)
        if nextRelease < milliseconds { releaseWithheld { $0.earliest < milliseconds } }
    }

    private mutating func releaseWithheld(where isDue: (SuppressedChanges) -> Bool) {
        let due = withheld.filter { isDue($0.value) }.sorted { $0.value.sequence < $1.value.sequence }
        for (target, changes) in due {
            withheld[target] = nil
            release(changes)
        }
        nextRelease = withheld.values.map(\.earliest).min() ?? .max
    }

    private mutating func release(_ changes: SuppressedChanges) {
        var (leftOut, covers) = (max(0, changes.count - 1), changes.covers)
        if let judgement = changes.judgement {
            let change = open.seen(judgement)
            let step = open.step(change, filter)
            if step == .firing || step == .resolved || leftOut > 0, changes.info == nil {
                return emit(change, leftOut, covers, isNews: step == .firing || step == .resolved)
            }
            if step == .firing || step == .resolved {
                // The pause behind it is a message of its own.
                emit(change, max(0, leftOut - 1), covers)
                (leftOut, covers) = (0, SequenceSet())
            }
        }
        guard let info = changes.info else { return settled.formUnion(covers) }
        emit(info, leftOut, covers)
    }

    private mutating func emitGroup() {
        guard let group else { return }
        self.group = nil
        for message in group.messages(&open) {
            append(message)
        }
    }

    /// - Parameter isNews: whether the receiver does not know the state; if it does, the number of changes left out is all.
    private mutating func emit(_ change: StateChange, _ leftOut: Int, _ covers: SequenceSet, isNews: Bool = true) {
        var message = Message(change, leftOut: leftOut, isNews: isNews, covers: covers)
        if isNews, change.to.isJudgement || change.ending != nil {
            let problem = change.to.isProblem ? OpenProblems.Problem(state: change.to) : nil
            message.replaced = [open.replace(change.target, with: problem)]
        }
        append(message)
    }

    private mutating func append(_ message: Message) {
        limit.note(message)
        made.append(message)
    }
}

/// Changes of a target about which there were too many messages: the last judgement is reported, with the number of the others.
struct SuppressedChanges: Sendable {
    /// The last change that was a judgement; nil: none was.
    private(set) var judgement: StateChange?
    /// The last pause or maintenance behind it that the receiver wants to know of.
    private(set) var info: StateChange?
    /// Changes that would have been messages.
    private(set) var count: Int
    private(set) var covers = SequenceSet()
    /// When it may be reported.
    let deadline: UInt64
    /// The same, in milliseconds since 1970.
    let earliest: Int64

    /// Changes of so many targets are held back; those of others are reported at once.
    static let limit = 1_000

    /// - Parameter leftOut: changes before the first that is held back.
    init(deadline: UInt64, earliest: Int64, leftOut: Int) {
        count = leftOut
        self.deadline = deadline
        self.earliest = earliest
    }

    /// The newest change.
    var sequence: UInt64 { max(judgement?.sequence ?? 0, info?.sequence ?? 0) }

    mutating func add(_ change: StateChange, isWanted: Bool, covers: SequenceSet) {
        self.covers.formUnion(covers)
        if change.to.isJudgement {
            if isWanted, judgement?.to != change.to { count += 1 }
            judgement = change
            info = nil
        } else if isWanted {
            count += 1
            info = change
        }
    }
}
