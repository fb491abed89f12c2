// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import LinuxIO
import PostgreSQL

/// The coordinator of a fleet, as far as this node is it: claims the role when it is vacant, then decides on verdicts and
/// assignments until another node is the coordinator.
///
/// Every live node has one; the database permits one at a time to write. All methods and callbacks are on the loop's thread.
package final class Coordinator {
    /// The fleet's settings; a change applies to the next round.
    package var settings: FleetSettings {
        didSet { term?.settings = settings }
    }
    /// Whether this node may become the coordinator (`coordinate`).
    package var isEligible = true
    /// Whether notifications reach the connection (`listen`).
    package var isListening = false
    /// Takes messages for the program's log.
    package var log: ((LogMessage) -> Void)?
    /// Called when this node became the coordinator, or ceased to be it.
    package var changed: ((_ isCoordinator: Bool) -> Void)?
    /// What it did so far.
    package private(set) var statistics = CoordinatorStatistics()

    private let loop: EventLoop
    private var executor: (any StatementExecutor)?
    private var term: CoordinatorTerm?
    private var claimTimer: TimerToken?
    private var isClaiming = false
    /// Survives a term: see ``CoordinatorTerm/batchLimit``.
    private var batchLimit = CoordinatorTerm.roundLimit
    /// What the last term had not gathered when it ended, and the vacancy before it that it had not considered.
    private var gathering: OutageGathering?
    private var vacancy = Duration.zero
    /// Statements that failed since the last round that was written.
    private var failuresInRow = 0
    /// When a term may be resumed.
    private var resumesAt: UInt64 = 0
    private var hasReportedSkipped = false

    /// Creates a coordinator that waits for the first renewal.
    package init(loop: EventLoop, settings: FleetSettings) {
        self.loop = loop
        self.settings = settings
    }

    deinit { detach() }

    /// Whether this node is the coordinator, as far as it knows.
    package var isCoordinator: Bool { term != nil }

    /// The token of the present term; nil while this node is not the coordinator.
    package var token: Int64? { term?.token }

    /// Uses a new connection.
    package func attach(_ executor: any StatementExecutor) {
        detach()
        self.executor = executor
    }

    /// Ends the use of the connection, for example because it was closed. The next renewal resumes.
    package func detach() {
        if let claimTimer { loop.cancel(claimTimer) }
        claimTimer = nil
        isClaiming = false
        executor = nil
        end(nil)
    }

    /// Takes what a renewal of the node's lease told. Call it after each renewal.
    package func renewed(_ facts: LeaseFacts) {
        guard isEligible, executor != nil else { return }
        let isOwn = facts.coordinator == facts.identity
        if let term {
            // The answer may be older than the claim: only a greater token ends the term.
            if facts.token > term.token { end(LogMessage(.info, "another node is the fleet's coordinator")) }
            return
        }
        guard claimTimer == nil, !isClaiming, loop.clock.now() >= resumesAt else { return }
        if isOwn, !facts.isVacant {
            // Under another token: a statement of the term before may still be in the hands of a frozen server.
            claim(facts.identity)
        } else if facts.isVacant {
            claimTimer = loop.schedule(after: facts.claimDelay.nanoseconds) { [weak self] in self?.claim(facts.identity)
            }
        }
    }

    /// Reads the inbox soon: this node has just reported.
    package func reported() { term?.reported() }

    /// A node notified that there is something to do.
    package func notified() { term?.notified() }

    /// Ends the term in order, so that another node can claim the role immediately.
    ///
    /// - Parameter completion: called once, on the loop's thread, when the database knows it or cannot be told.
    package func resign(completion: @escaping () -> Void) {
        isEligible = false
        guard let term, let executor else {
            detach()
            return completion()
        }
        let parameters = term.keepParameters(lease: .zero)
        end(LogMessage(.info, "resigned as the fleet's coordinator"))
        executor.execute(CoordinatorStatement.keep, parameters) { _ in completion() }
    }

    private func claim(_ identity: NodeIdentity) {
        claimTimer = nil
        guard let executor, term == nil, isEligible else { return }
        isClaiming = true
        let parameters: [DatabaseValue] = [
            .text(identity.name), .integer(identity.incarnation), .integer(settings.lease.microseconds),
        ]
        let sent = loop.clock.now()
        executor.execute(CoordinatorStatement.claim, parameters) { [weak self, weak executor] result in
            guard let self, executor === self.executor else { return }
            isClaiming = false
            statistics.record(CoordinatorStatement.claim, from: sent, to: loop.clock.now())
            switch result {
            case .failure: statistics.failures += 1
            case .success(let rows):
                guard rows.rowCount > 0, let now = try? rows.integer(0, 0), let token = try? rows.integer(0, 1)
                else { return }
                // A term that is resumed goes on with what the one before had not gathered.
                if let ended = try? rows.optionalInteger(0, 2) {
                    vacancy = Duration(microseconds: ended)
                    gathering = OutageGathering(
                        vacancy: vacancy,
                        lease: settings.lease,
                        now: Duration(microseconds: now)
                    )
                }
                begin(identity, token: token)
            }
        }
    }

    private func begin(_ identity: NodeIdentity, token: Int64) {
        guard let executor, term == nil, isEligible else { return }
        statistics.terms += 1
        log?(LogMessage(.info, "this node is the fleet's coordinator", facts: ["token": "\(token)"]))
        let term = CoordinatorTerm(
            loop: loop,
            executor: executor,
            identity: identity,
            token: token,
            settings: settings,
            batchLimit: batchLimit
        )
        self.term = term
        term.isListening = isListening
        (term.gathering, term.vacancy) = (gathering, vacancy)
        term.count = { [weak self] change in
            guard let self else { return }
            change(&statistics)
            reportSkipped()
        }
        term.log = { [weak self] in self?.log?($0) }
        term.wrote = { [weak self] in self?.failuresInRow = 0 }
        term.ended = { [weak self, weak term] message, error in
            guard let self, let term, term === self.term else { return }
            if error != nil { delayResumption() }
            end(message)
        }
        changed?(true)
        term.start()
    }

    /// The first failure costs no time. Later ones may be of a kind that stays, such as a full disk.
    private func delayResumption() {
        let delay = failuresInRow == 0 ? 0 : UInt64(500_000_000) << min(failuresInRow - 1, 5)
        resumesAt = loop.clock.now() + min(delay, 10_000_000_000)
        failuresInRow += 1
    }

    /// Once: another program that writes such rows writes many.
    private func reportSkipped() {
        let unreadable = statistics.rejected[.unreadable] ?? 0
        guard !hasReportedSkipped, unreadable > 0 || statistics.skipped > 0 else { return }
        hasReportedSkipped = true
        log?(
            LogMessage(
                .warning,
                "rows of the fleet's database make no sense and are skipped: another program wrote them, or a newer reachd; "
                    + "metrics count further ones",
                facts: ["reports": "\(unreadable)", "other": "\(statistics.skipped)"]
            )
        )
    }

    private func end(_ message: LogMessage?) {
        guard let term else { return }
        self.term = nil
        batchLimit = term.batchLimit
        (gathering, vacancy) = (term.gathering, term.vacancy)
        term.stop()
        if let message { log?(message) }
        changed?(false)
    }
}
