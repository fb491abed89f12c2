// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import LinuxIO
package import Monitoring
import Synchronization

/// Writes every event to a log before any client sees it.
///
/// The life of an event: the registry numbers it and calls the recorder, whose loop takes it, renders it, and hands it with
/// all others that are there to the thread that writes. When the log has it, the registry shows it to its readers. While
/// one batch is written the next is rendered; nothing waits for more to come.
///
/// When the log fails, or takes too long, readers see events at once and under another epoch, and the log is opened again
/// after a second, then after two, at the latest after a minute. What memory still has is written then; what it has not is a gap.
package final class HistoryRecorder: HistoryReporting {
    /// Opens the log; gets the failure of the previous one. Called on the writing thread.
    package typealias Opener = @Sendable (_ failure: HistoryError.Code?) throws(HistoryError) -> OpenedStore

    /// Events read from the registry under one lock, and rendered before something else gets its turn.
    static let sliceLength = 256
    /// What one commit takes at most while readers wait for it: they get the first of many before the last is written.
    static let commitLength = 512
    /// What may be taken and not committed, and what one commit takes at most while no reader waits for it.
    static let batchLength = 4_096
    static let batchBytes = 8 << 20
    /// For how long no event came when the store does what can wait.
    static let restDelay = second
    /// Whoever puts a long list of targets in force waits while more events than this are not written.
    static let comfortableBacklog: UInt64 = 8_192
    static let second: UInt64 = 1_000_000_000
    static let longestPause: UInt64 = 60 * second

    let registry: Registry
    let open: Opener
    let clock: any WallClock
    let log: @Sendable (LogMessage) -> Void
    let loop: EventLoop
    let writer: EventLoop
    private let loopState: ThreadConfined<Confined>
    var confined: Confined { loopState.value }
    let settings: Mutex<HistorySettings>
    let published: Mutex<HistoryStatus>
    let durable = Atomic<Bool>(false)
    /// It was opened again, and does not have everything yet.
    let returning = Atomic<Bool>(false)
    let committed = Atomic<UInt64>(0)
    let isAwake = Atomic<Bool>(false)
    let paused = Mutex<[Semaphore]>([])
    let isReadFailing = Atomic<Bool>(false)

    /// What only the loop's thread touches.
    final class Confined {
        var session: RecordingSession?
        /// The log whose numbers are the registry's.
        var identity: String?
        var failure: HistoryError?
        var failedAt: Timestamp?
        var pause = HistoryRecorder.second
        var healthySince: UInt64 = 0
        var isOpening = false
        var trust: ClockTrust?
        /// Gaps that could not be stored in the log yet.
        var unwrittenGaps: [EventGap] = []
        /// Up to here events that are lost were counted.
        var lostThrough: UInt64 = 0
        var ending: Semaphore?
        /// Where readers left off, not written yet; nil: to be forgotten.
        var marks: [String: String?] = [:]
        var isOver = false
    }

    /// Creates a recorder that does nothing yet.
    ///
    /// - Parameters:
    ///   - registry: whose events; nothing has happened in it yet.
    ///   - settings: how the log is kept.
    ///   - open: opens the log.
    ///   - clock: the wall clock.
    ///   - timers: runs the time limits.
    ///   - log: takes what operators should read; called on a thread of the recorder.
    /// - Throws: ``LinuxIO/SystemError`` when a thread could not be had.
    package init(
        registry: Registry,
        settings: HistorySettings,
        open: @escaping Opener,
        clock: any WallClock = SystemWallClock(),
        timers: any MonotonicClock = SystemMonotonicClock(),
        log: @escaping @Sendable (LogMessage) -> Void
    ) throws(SystemError) {
        self.registry = registry
        self.settings = Mutex(settings)
        self.open = open
        self.clock = clock
        self.log = log
        published = Mutex(HistoryStatus(state: .off, since: clock.now()))
        loop = try EventLoop(name: "reachd-history", clock: timers)
        loopState = ThreadConfined(Confined(), to: loop)
        do throws(SystemError) {
            writer = try EventLoop(name: "reachd-store")
        } catch {
            loop.close()
            throw error
        }
    }

    // MARK: What others call

    /// How the log is. Any thread.
    package var status: HistoryStatus {
        var status = published.withLock { $0 }
        let recorded = registry.recordedSequence
        status.waiting = recorded - min(recorded, committed.load(ordering: .acquiring))
        return status
    }

    /// Whether events are safe before a client sees them.
    package var isDurable: Bool { durable.load(ordering: .acquiring) }

    /// Whether the log was opened again, and is about to be durable; if not it fails. Readers of the registry are woken by both.
    package var isReturning: Bool { returning.load(ordering: .acquiring) }

    /// Whether reachd is of no use without the log.
    package var isRequired: Bool { settings.withLock { $0.isRequired } }

    /// Opens the log and continues at its end. To be called before the first event.
    ///
    /// - Throws: ``HistoryError`` when the file is another's (``HistoryError/Code/locked``, ``HistoryError/Code/tooNew``,
    ///   ``HistoryError/Code/foreign``), or when the log is required. Another file that cannot be opened is tried again later.
    package func start() throws(HistoryError) {
        let open = open
        let outcome = writer.executeAndWait { () -> Result<OpenedStore, HistoryError> in Self.opened(open, after: nil) }
        guard let outcome else { throw HistoryError(.other, "the recorder has ended") }
        var problem: HistoryError?
        do throws(HistoryError) {
            let opened = try outcome.get()
            noteSetAside(opened.setAside)
            let store = opened.store
            let term = registry.continueLog(epoch: store.epoch, head: store.head, archive: archive(of: store))
            loop.executeAndWait { [self] in
                confined.identity = store.identity
                begin(RecordingSession(store: store, phase: .recording, term: term, position: store.head))
                publishOK(store)
            }
        } catch {
            // Without its file reachd is of use where the log is not required, and a folder can be made meanwhile.
            guard !isRequired, !error.code.isForPeople || error.code == .cannotOpen else {
                loop.close()
                writer.close()
                throw error
            }
            problem = error
        }
        if let problem { loop.executeAndWait { [self] in fail(problem) } }
        registry.onChanges { [weak self] in self?.wake() }
        registry.onDeclaring { [weak self] in self?.waitForBacklog() }
        wake()
    }

    /// Puts other limits in force.
    package func apply(_ settings: HistorySettings) {
        self.settings.withLock { $0 = settings }
        loop.execute { [self] in
            confined.session?.isTrimDue = true
            pull()
        }
    }

    /// Writes what is left and ends; a log that failed is tried once more, and one that does not come to an end within its limit is
    /// left as it is.
    ///
    /// - Parameter limit: how long to wait for what hangs in the disk, which must not hold up the end of the process.
    package func stop(within limit: Duration = HistorySettings.endingLimit) {
        let ended = Semaphore()
        let isAccepted = loop.execute { [self] in
            confined.ending = ended
            if confined.session != nil { pull() } else { tryOnceMore(within: limit) }
        }
        guard isAccepted else { return }
        ended.wait()
        loop.close()
        writer.close(within: limit)
    }

    // MARK: On whatever thread

    func wake() {
        guard !isAwake.exchange(true, ordering: .acquiringAndReleasing) else { return }
        loop.execute { [weak self] in
            self?.isAwake.store(false, ordering: .releasing)
            self?.pull()
        }
    }

    var backlog: UInt64 {
        let recorded = registry.recordedSequence
        return recorded - min(recorded, committed.load(ordering: .acquiring))
    }

    /// Lets the log come after, as long as it works.
    func waitForBacklog() {
        while isDurable, backlog > Self.comfortableBacklog {
            let turn = Semaphore()
            paused.withLock { $0.append(turn) }
            // It may have come after before the semaphore was there to be seen.
            if isDurable, backlog > Self.comfortableBacklog { turn.wait() }
        }
    }

    func releasePaused() {
        let waiting = paused.withLock { paused in
            defer { paused = [] }
            return paused
        }
        for turn in waiting { turn.post() }
    }

    static func opened(_ open: Opener, after code: HistoryError.Code?) -> Result<OpenedStore, HistoryError> {
        do throws(HistoryError) {
            return .success(try open(code))
        } catch {
            return .failure(error)
        }
    }

    func archive(of store: any EventStore) -> StoreArchive {
        StoreArchive(store: store) { [weak self] error in
            guard let self, !isReadFailing.exchange(true, ordering: .relaxed) else { return }
            log(LogMessage(.error, "cannot read the event log; clients receive snapshots instead: \(error)"))
        }
    }

    func noteSetAside(_ path: String?) {
        guard let path else { return }
        log(LogMessage(.error, "the event log was unusable and is kept as \(path); a new one was created"))
    }
}

/// How the durable log is kept.
package struct HistorySettings: Sendable, Hashable {
    /// How much it may keep.
    package var retention = RetentionLimit()
    /// Whether reachd is of no use without it: then it does not start, and is not ready, while the log cannot be written.
    package var isRequired = false
    /// How long a commit may take; after that the log degrades.
    package var slowLimit: Duration = .seconds(2)
    /// Events that may wait to be written, and no fewer than four of each target; when there are more, readers continue without
    /// them.
    package var waitingLimit: UInt64 = 49_152

    /// How long the end of reachd waits for the threads that may hang in the disk, besides ``slowLimit`` for the last events.
    package static let endingLimit: Duration = .seconds(2)

    /// The defaults.
    package init() {}
}

/// A log as the registry reads it: what cannot be read is reported to readers as missing.
struct StoreArchive: EventArchive {
    let store: any EventStore
    let failed: @Sendable (HistoryError) -> Void

    var oldest: UInt64 { store.oldest }

    func events(after sequence: UInt64, limit: Int) -> [RecordedEvent] {
        do throws(HistoryError) {
            return try store.events(after: sequence, limit: limit)
        } catch {
            failed(error)
            return []
        }
    }
}
