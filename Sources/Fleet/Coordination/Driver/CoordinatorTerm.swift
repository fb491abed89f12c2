// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import PostgreSQL

/// One term of the coordinator: all that it has read and decides by, and the loop that does one thing after the other.
///
/// A statement that returns no row, because another node is the coordinator, or that fails, ends the term. Nothing is kept: what a
/// failed statement did is unknown, and the next term reads everything again. On the loop's thread.
final class CoordinatorTerm {
    /// The number of rows and targets of a round.
    static let roundLimit = 4_096
    /// The time between two pages of targets that are decided again without urgency, in nanoseconds.
    static let backgroundInterval: UInt64 = 50_000_000
    /// The longest time without a plan: balancing and the ends of hold-downs depend on the time alone.
    static let planInterval: UInt64 = 5_000_000_000

    let token: Int64
    var settings: FleetSettings
    /// Changes the statistics.
    var count: ((_ change: (inout CoordinatorStatistics) -> Void) -> Void)?
    var log: ((LogMessage) -> Void)?
    /// Called once when the term ends by itself; the error is that of a statement that failed.
    var ended: ((LogMessage, DatabaseError?) -> Void)?
    /// Called after each round that was written.
    var wrote: (() -> Void)?

    /// Whether to ask for notifications. A term that ends does not take it back: they wake it in vain, and are rare.
    var isListening = false

    let loop: EventLoop
    let identity: NodeIdentity
    private let executor: any StatementExecutor
    private var isOver = false
    private var isBusy = false
    private var timer: TimerToken?
    /// The database's time when an answer arrived; the estimate between two answers is late by the way of one.
    private var clock: (database: Duration, loop: UInt64)?

    var assignments = AssignmentTable()
    var plan = AssignmentState()
    var placements: [Int: Placement] = [:]
    var sizes: [Shard: Int] = [:]
    var members = FleetMembers()
    /// What an outage of the database left behind is gathered first; nil when there was none, and afterwards.
    var gathering: OutageGathering?
    var tally = IsolationTally()
    var losses = LossTally()
    /// The locations that lost many targets when incidents were told last.
    var losers: Set<String> = []
    /// The number of targets that each location shared with two others or more at the last look.
    var shared: [String: Int] = [:]
    /// Whether the tally may have changed since the isolated locations were determined.
    var mustTally = false
    /// Whether all targets were counted since the term began.
    var isTallyComplete = false
    /// The isolated locations, as stored and as they should be.
    var (isolated, wantedIsolated): (Set<String>, Set<String>) = ([], [])
    /// What is not announced yet.
    var nodeChanges: [Announcement.NodeChange] = []
    var locationChanges: [Announcement.LocationChange] = []
    var queue = ReevaluationQueue()
    var pace: PollPace
    var inbox = InboxCursor()
    /// The number of rows and targets that are read at once; smaller after a failure that may depend on it.
    var batchLimit: Int
    /// The version of the declarations that ``sizes`` belongs to, and the newest one.
    var declared: (read: Int64, newest: Int64) = (-1, -1)
    /// When the sizes may be read again; reading takes at most a twentieth of the time.
    var sizesAt: UInt64 = 0
    /// When the first disagreement has lasted for too long; nil when there is none.
    var disagreementDue: Duration? = .zero
    var planned: (at: UInt64, nodes: [PlannedNode])?
    /// Whether the last plan left targets without a node.
    var hasUnassigned = false
    var receivers = ReceiverAssignments()
    /// The incidents that may go on.
    var incidents = IncidentBook()
    /// Whether people changed incidents.
    var mustReadEdits = false
    /// The log's epoch in the first look; nil before.
    var epoch: String?
    /// How long no node was the coordinator before the term; zero once that has been considered.
    var vacancy = Duration.zero
    /// When the origin of the log is compared next.
    var originAt: UInt64 = 0
    var backgroundAt: UInt64 = 0
    /// When the last statement that renewed the coordinator's lease was answered; nil before the first.
    private var renewedAt: UInt64?

    init(
        loop: EventLoop,
        executor: any StatementExecutor,
        identity: NodeIdentity,
        token: Int64,
        settings: FleetSettings,
        batchLimit: Int
    ) {
        self.loop = loop
        self.executor = executor
        self.identity = identity
        self.token = token
        self.settings = settings
        self.batchLimit = batchLimit
        pace = PollPace(now: loop.clock.now())
    }

    deinit { stop() }

    /// Reads everything, then begins.
    func start() {
        isBusy = true
        // Before anything is decided: other events must not get the numbers of lost ones. Then the lease, also when a term is resumed:
        // the answer tells whether the token is still the coordinator's.
        checkOrigin { [self] in
            keep { [self] in
                listen { [self] in
                    load { [self] in finished() }
                }
            }
        }
    }

    /// Asks for notifications before anything is read, so that nothing is missed.
    private func listen(then: @escaping () -> Void) {
        guard isListening else { return then() }
        FleetChannel.work.listen(on: executor) { [weak self] isAccepted in
            guard let self, !isOver else { return }
            pace.isNotified = isAccepted
            then()
        }
    }

    /// Drops everything; no callback follows.
    func stop() {
        isOver = true
        if let timer { loop.cancel(timer) }
        timer = nil
        ended = nil
        wrote = nil
    }

    /// Rows are known to be in the inbox.
    func reported() {
        pace.rowsArrived(loop.clock.now())
        step()
    }

    /// A node notified that there is something to do.
    func notified() {
        pace.notified(loop.clock.now())
        step()
    }

    // MARK: Statements

    /// Executes a statement; its failure ends the term.
    ///
    /// Far from the database, the statements of a round take longer together than a lease: the lease is renewed between them.
    func run(_ statement: Statement, _ parameters: [DatabaseValue], then: @escaping (DatabaseRows) -> Void) {
        let execute = { [self] in
            attempt(statement, parameters, isOptional: false) { rows in if let rows { then(rows) } }
        }
        if let renewedAt, loop.clock.now() - renewedAt > (settings.lease / 2).nanoseconds {
            keep(then: execute)
        } else {
            execute()
        }
    }

    /// Executes a statement that some servers refuse, with nil for the answer of those.
    func attempt(
        _ statement: Statement,
        _ parameters: [DatabaseValue],
        isOptional: Bool = true,
        then: @escaping (DatabaseRows?) -> Void
    ) {
        let sent = loop.clock.now()
        executor.execute(statement, parameters) { [weak self] result in
            guard let self else { return }
            let now = loop.clock.now()
            count? { $0.record(statement, from: sent, to: now) }
            guard !isOver else { return }
            switch result {
            case .success(let rows): then(rows)
            case .failure(let error) where isOptional && error.isRefusal: then(nil)
            case .failure(let error):
                count? { $0.failures += 1 }
                if error.mayDependOnSize { batchLimit = max(1, batchLimit / 4) }
                end(LogMessage(.warning, "the fleet's coordinator pauses: \(error)"), error)
            }
        }
    }

    /// Reads the row of a statement under the coordinator's guard; nil, after the term ended, when nothing was written.
    func guarded<Row>(
        _ rows: DatabaseRows,
        _ read: (DatabaseRows, Int) throws(DatabaseError) -> Row
    ) -> Row? {
        guard rows.rowCount > 0 else {
            end(LogMessage(.info, "another node is the fleet's coordinator"))
            return nil
        }
        renewedAt = loop.clock.now()
        do throws(DatabaseError) {
            return try read(rows, 0)
        } catch {
            end(LogMessage(.error, "the fleet's coordinator cannot read a result: \(error)"))
            return nil
        }
    }

    func end(_ message: LogMessage, _ error: DatabaseError? = nil) {
        guard !isOver else { return }
        let ended = ended
        stop()
        ended?(message, error)
    }

    /// Takes the database's time from an answer.
    func setClock(_ now: Duration) { clock = (now, loop.clock.now()) }

    /// The database's time, as far as it is known.
    var databaseTime: Duration {
        guard let clock else { return .zero }
        return clock.database + .nanoseconds(Int64(clamping: loop.clock.now() &- clock.loop))
    }

    func keepParameters(lease: Duration) -> [DatabaseValue] {
        [.text(identity.name), .integer(identity.incarnation), .integer(token), .integer(lease.microseconds)]
    }

    private func keep(then: @escaping () -> Void) {
        let parameters = keepParameters(lease: settings.lease)
        attempt(CoordinatorStatement.keep, parameters, isOptional: false) { [self] rows in
            guard let rows else { return }
            let row = guarded(rows) { rows, row throws(DatabaseError) in
                (now: try rows.integer(row, 0), version: try rows.integer(row, 1))
            }
            guard let (now, version) = row else { return }
            setClock(Duration(microseconds: now))
            plan.token = max(plan.token, UInt64(clamping: version))
            then()
        }
    }

    // MARK: The loop

    /// Continues after an activity.
    func finished() {
        isBusy = false
        step()
    }

    /// Begins what is due, or waits until something is.
    func step() {
        guard !isBusy, !isOver else { return }
        if let timer { loop.cancel(timer) }
        timer = nil
        let now = loop.clock.now()
        queue.takeDue(databaseTime) { shard in
            assignments.locations(of: shard).contains {
                !$0.record.isConfirmed || members.lossOfOwner($0.record) != nil
            }
        }
        // An isolated location's disagreements are not shown.
        let isDisagreementDue = disagreementDue.map { $0 <= databaseTime } ?? false
        if isDisagreementDue { mustTally = true }
        isBusy = true
        if now >= pace.lookAt { return look() }
        if let announcement = announcement() { return announce(announcement) }
        if declared.newest != declared.read, now >= sizesAt { return readSizes() }
        if mustReadEdits { return readEdits() }
        if let gathering { return gather(gathering, now) }
        if isDisagreementDue { return readDisagreements() }
        queue.beginChildPage(Self.roundLimit)
        if queue.childPage != nil, queue.targets.count < Self.roundLimit { return readChildren() }
        let isBackgroundDue = queue.hasBackground && now >= backgroundAt
        if pace.inboxAt.map({ now >= $0 }) ?? false || queue.isUrgent || isBackgroundDue {
            return round(withBackground: isBackgroundDue)
        }
        isBusy = false
        wait(now)
    }

    /// Counts the reports of an outage, and decides nothing else: locations whose reports are in different rounds only seem to disagree,
    /// and what is decided without a report has the present time.
    private func gather(_ gathering: OutageGathering, _ now: UInt64) {
        guard !gathering.isWaiting else {
            isBusy = false
            return sleep(until: pace.lookAt)
        }
        pace.rowsArrived(now)
        readInbox(batchLimit) { [self] rows in read(rows, []) }
    }

    private func wait(_ now: UInt64) {
        var next = pace.lookAt
        if let inboxAt = pace.inboxAt { next = min(next, inboxAt) }
        if declared.newest != declared.read { next = min(next, sizesAt) }
        if queue.hasBackground { next = min(next, backgroundAt) }
        for due in [disagreementDue, queue.nextDue] {
            if let due { next = min(next, now + max(due - databaseTime, .milliseconds(1)).nanoseconds) }
        }
        sleep(until: next)
    }

    private func sleep(until time: UInt64) {
        timer = loop.schedule(at: time) { [weak self] in
            self?.timer = nil
            self?.step()
        }
    }
}

/// What an assignment plan depends on of a node; while all of these are the same, so is the plan.
struct PlannedNode: Sendable, Hashable {
    let name: String
    let location: String
    let capacity: Int
    let intent: FleetNode.Intent
    let isLive: Bool
    let isDead: Bool
}

extension DatabaseError {
    /// Whether the server does not know or does not permit what a statement asks for.
    fileprivate var isRefusal: Bool {
        [.permissionDenied, .missingObject, .invalidStatement, .serverError].contains(reason)
    }

    /// Whether the same statement may succeed with fewer rows.
    fileprivate var mayDependOnSize: Bool {
        [.resultTooLarge, .timeout, .statementTimeout, .outOfResources].contains(reason)
    }
}
