// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Diagnosis
package import LinuxIO
package import Monitoring
import Synchronization
package import Traffic

/// Measures how long targets are in which state and how long their probes take, and writes that down each minute.
///
/// States come from the registry's events, results from its ``Monitoring/Registry/onResults(_:)``, where each is added to the
/// current minute and forgotten. After each minute what it came to is written, hours and days are made of what is complete, and
/// what is too old goes. While the file cannot be written minutes wait in memory, up to a limit; what is lost then was not
/// watched, as the file has it. A killed process loses the current minute.
package final class RollupRecorder: RollupSource {
    /// Targets whose minute is ended under one lock.
    private static let sliceLength = 1_024
    /// Events read under one lock.
    private static let eventLength = 512
    /// Minutes written in one transaction.
    private static let batchLength = 512
    /// Minutes that wait for a file that cannot be written.
    private static let waitingLimit = 100_000
    /// Minutes removed before something else gets its turn.
    private static let trimLength = 64
    private static let second: UInt64 = 1_000_000_000
    private static let routeInterval = 5 * second

    private let registry: Registry
    private let path: String
    private let clock: any WallClock
    private let log: @Sendable (LogMessage) -> Void
    private let loop: EventLoop
    private let loopState: ThreadConfined<Confined>
    private var confined: Confined { loopState.value }
    private let current: Mutex<RollupSettings>
    private let accumulator: Mutex<RollupAccumulator>
    private let published = Mutex(RollupStatus())
    private let position: Atomic<UInt64>
    /// The registry's numbering that it is of.
    private let numbering = Atomic<UInt64>(0)
    private let isAwake = Atomic<Bool>(false)

    /// What only the loop's thread touches.
    private final class Confined {
        var writer: SQLiteRollupWriter?
        var trust: ClockTrust
        /// Minutes that were lost since the last failure began.
        var lost = 0
        /// The uplinks' log and the known routes in the file; nil until they were read.
        var records: (uplinks: SQLiteMetaRows, routes: SQLiteMetaRows)?
        /// Which routes are in the file.
        var routeRevision: UInt64?
        /// Reads this machine's connections; nil while there is nothing to read.
        var traffic: (@Sendable () -> TrafficSnapshot?)?
        var trafficDifferences = TrafficDifferences()

        init(trust: ClockTrust) { self.trust = trust }
    }

    /// Creates a recorder that does nothing yet.
    ///
    /// - Parameters:
    ///   - registry: whose targets.
    ///   - path: the log's file; the event log creates it.
    ///   - settings: how long buckets are kept.
    ///   - clock: the wall clock.
    ///   - timers: measures, and runs each minute.
    ///   - log: takes what operators should read; called on the recorder's thread.
    /// - Throws: ``LinuxIO/SystemError`` when its thread could not be had.
    package init(
        registry: Registry,
        path: String,
        settings: RollupSettings = RollupSettings(),
        clock: any WallClock = SystemWallClock(),
        timers: any MonotonicClock = SystemMonotonicClock(),
        log: @escaping @Sendable (LogMessage) -> Void
    ) throws(SystemError) {
        self.registry = registry
        self.path = path
        self.clock = clock
        self.log = log
        current = Mutex(settings)
        let (wall, monotonic) = (clock.now(), timers.now())
        accumulator = Mutex(RollupAccumulator(wall: wall.milliseconds, monotonic: monotonic))
        position = Atomic(0)
        loop = try EventLoop(name: "reachd-rollups", clock: timers)
        loopState = ThreadConfined(Confined(trust: ClockTrust(wall: wall, monotonic: monotonic)), to: loop)
    }

    // MARK: What others call

    /// How long buckets are kept.
    package var settings: RollupSettings { current.withLock { $0 } }

    /// How writing goes.
    package var status: RollupStatus {
        let waiting = accumulator.withLock { $0.finished.count }
        return published.withLock { status in
            var status = status
            status.waiting = waiting
            return status
        }
    }

    /// Begins to measure, with what the registry has at this moment.
    package func start() {
        takePlace()
        loop.executeAndWait { [self] in
            resynchronize()
            schedule()
            keepRecords()
            scheduleRoutes()
        }
        registry.onChanges { [weak self] in self?.wake() }
        registry.onResults { [weak self] record, report in self?.take(record, report) }
        wake()
        // An end or an import may have left something to be put together.
        loop.execute { [weak self] in self?.minute() }
    }

    /// Records this machine's connections to targets, too.
    ///
    /// - Parameter read: returns the sums of all targets, nil when connections are not observed; called on the recorder's thread.
    package func record(traffic read: @escaping @Sendable () -> TrafficSnapshot?) {
        loop.execute { [self] in confined.traffic = read }
    }

    /// Keeps buckets for other lengths of time from now on.
    package func apply(_ settings: RollupSettings) {
        current.withLock { $0 = settings }
        // The next one is opened with these.
        loop.execute { [self] in confined.writer = nil }
    }

    /// All that is not written of a target.
    package func unwritten(_ ordinal: UInt64, target: String) -> [RollupSegment] {
        accumulator.withLock { accumulator in
            // The recorder's thread is notified of the rest anyway.
            _ = catchUp(&accumulator)
            return accumulator.unwritten(ordinal, target: target)
        }
    }

    /// Writes what there is and ends; a second call does nothing.
    ///
    /// - Parameter limit: how long to wait for a disk that hangs.
    package func stop(within limit: Duration = HistorySettings.endingLimit) {
        loop.execute { [self] in
            pass()
            takeTraffic()
            accumulator.withLock { $0.finishAll() }
            write()
            keepRecords()
            confined.writer = nil
        }
        loop.close(within: limit)
    }

    /// Does what is done each minute, now. For tests.
    func turn() {
        loop.executeAndWait { [self] in minute() }
    }

    /// Waits until the recorder's thread has done what it was given. For tests, whose two clocks do not move at once.
    func drain() {
        loop.executeAndWait {}
    }

    // MARK: On whatever thread

    private func look(_ accumulator: inout RollupAccumulator) {
        accumulator.look(wall: clock.now().milliseconds, monotonic: loop.clock.now())
    }

    private func wake() {
        guard registry.recordedSequence != position.load(ordering: .acquiring) else { return }
        guard !isAwake.exchange(true, ordering: .acquiringAndReleasing) else { return }
        loop.execute { [weak self] in
            self?.isAwake.store(false, ordering: .releasing)
            self?.pass()
        }
    }

    private func take(_ record: StatusRecord, _ report: ProbeReport) {
        guard let ordinal = record.target?.ordinal else { return }
        let microseconds = report.latency.map { $0.nanoseconds / 1_000 }
        guard !count(microseconds, ordinal) else { return }
        // The event that the target is there may be behind many others.
        loop.execute { [weak self] in
            self?.pass()
            _ = self?.count(microseconds, ordinal)
        }
    }

    private func count(_ microseconds: UInt64?, _ ordinal: UInt64) -> Bool {
        accumulator.withLock { accumulator in
            _ = catchUp(&accumulator)
            return accumulator.take(probeOf: microseconds, target: ordinal)
        }
    }

    // MARK: On the loop: measuring

    /// What came of a look at the events.
    private enum Progress {
        case isDone
        case hasMore
        /// Some left memory before they were read.
        case lost
    }

    /// Takes some of the events that are new, and reads the clocks: events must be applied before time is counted.
    private func catchUp(_ accumulator: inout RollupAccumulator) -> Progress {
        let known = position.load(ordering: .acquiring)
        guard registry.recordedSequence != known else {
            look(&accumulator)
            return .isDone
        }
        let slice = registry.recordedChanges(after: known, limit: Self.eventLength)
        let distance = slice.numbering - numbering.load(ordering: .acquiring)
        guard distance == 0 else {
            // The same events have larger numbers now.
            numbering.store(slice.numbering, ordering: .releasing)
            position.store(known + distance, ordering: .releasing)
            return .hasMore
        }
        guard slice.oldest <= known + 1 else { return .lost }
        look(&accumulator)
        for event in slice.events { Self.take(event, into: &accumulator) }
        position.store(slice.events.last?.sequence ?? known, ordering: .releasing)
        return slice.events.count == Self.eventLength ? .hasMore : .isDone
    }

    /// Takes the events that are new.
    private func pass() {
        while true {
            switch accumulator.withLock({ catchUp(&$0) }) {
            case .isDone: return
            case .hasMore: continue
            case .lost: resynchronize()
            }
        }
    }

    private static func take(_ event: Event, into accumulator: inout RollupAccumulator) {
        let moment = event.at.milliseconds
        switch event.content {
        case .target(let action, let record):
            guard let target = record.target else { return }
            switch action {
            case .added:
                accumulator.add(target.ordinal, target: target.settings.id, state: record.state, at: moment)
            case .removed: accumulator.remove(target.ordinal, at: moment)
            // A change of the state comes as one.
            case .updated: break
            }
        case .state(let record, _):
            guard let target = record.target else { return }
            accumulator.change(target.ordinal, to: record.state, at: moment)
        case .reachability, .path, .certificate, .routeChange, .config, .incident: break
        }
    }

    /// Goes on behind the newest event.
    private func takePlace() {
        let end = registry.recordedChanges(after: .max, limit: 0)
        numbering.store(end.numbering, ordering: .releasing)
        position.store(end.head, ordering: .releasing)
    }

    /// Takes all targets as they are; what happened since the last time is unknown.
    private func resynchronize() {
        accumulator.withLock { accumulator in
            let moment = accumulator.wall
            // Before they are read: events in between are reported again.
            takePlace()
            var targets: [(ordinal: UInt64, target: String, state: TargetState)] = []
            var ordinal: UInt64 = 0
            while true {
                let page = registry.page(after: ordinal, limit: 512)
                for record in page.records {
                    guard let target = record.target else { continue }
                    targets.append((target.ordinal, target.settings.id, record.state))
                }
                guard !page.isLast, let last = page.records.last?.target?.ordinal else { break }
                ordinal = last
            }
            look(&accumulator)
            accumulator.replace(targets, knownUntil: moment)
        }
    }

    /// Adds the connections that ended since the last minute.
    private func takeTraffic() {
        guard let snapshot = confined.traffic?() else { return }
        for (id, sums) in confined.trafficDifferences.take(snapshot) {
            guard let ordinal = registry.target(id)?.target?.ordinal else { continue }
            accumulator.withLock { $0.take(traffic: sums, target: ordinal) }
        }
    }

    // MARK: On the loop: writing

    private func schedule() {
        let length = RollupResolution.minute.length
        let wall = clock.now().milliseconds
        let left = length - (wall - RollupResolution.minute.start(of: wall))
        _ = loop.schedule(after: UInt64(clamping: left) * 1_000_000 + Self.second / 20) { [weak self] in
            self?.minute()
            self?.schedule()
        }
    }

    /// The first routes are learned within seconds; a crash soon after must not cost them.
    private func scheduleRoutes() {
        _ = loop.schedule(after: Self.routeInterval) { [weak self] in
            self?.keepRoutes()
            self?.scheduleRoutes()
        }
    }

    private func minute() {
        pass()
        takeTraffic()
        var place = 0
        while place < accumulator.withLock({ $0.count }) {
            accumulator.withLock { $0.settle(place..<place + Self.sliceLength) }
            place += Self.sliceLength
            guard write() else { break }
        }
        guard write() else { return bound() }
        keepRecords()
        attempt { [self] writer throws(HistoryError) in
            let wall = clock.now()
            try writer.fold(now: wall.milliseconds)
            guard let trusted = confined.trust.look(wall: wall, monotonic: loop.clock.now()) else { return }
            for _ in 0..<Self.trimLength {
                guard try writer.trim(now: trusted.milliseconds) else { return }
            }
        }
    }

    /// Writes completed buckets. Unwritten ones stay readable.
    ///
    /// - Returns: Whether nothing is left.
    @discardableResult
    private func write() -> Bool {
        while true {
            let batch = accumulator.withLock { Array($0.finished.prefix(Self.batchLength)) }
            guard !batch.isEmpty else { return true }
            let isDone = attempt { writer throws(HistoryError) in try writer.write(batch) }
            guard isDone else { return false }
            accumulator.withLock { $0.forget(batch.count) }
        }
    }

    /// Writes the log of uplinks and the known routes; reads those of the earlier run first.
    private func keepRecords() {
        attempt { [self] writer throws(HistoryError) in
            if confined.records == nil {
                var records = (
                    uplinks: SQLiteMetaRows("uplink", maximumRows: 64),
                    routes: SQLiteMetaRows("route", maximumRows: StoredRoute.maximumCount)
                )
                registry.restoreUplinks(try records.uplinks.read(writer.database).compactMap { Uplink(stored: $0) })
                registry.restoreRoutes(try records.routes.read(writer.database).compactMap { StoredRoute(stored: $0) })
                confined.records = records
            }
            let uplinks = registry.settleUplinks().map { ($0.id, $0.stored) }
            try confined.records?.uplinks.write(uplinks, to: writer.database)
        }
        keepRoutes()
    }

    /// Writes the known routes, if some were learned.
    private func keepRoutes() {
        guard confined.records != nil, let known = registry.routes(after: confined.routeRevision) else { return }
        attempt { [self] writer throws(HistoryError) in
            try confined.records?.routes.write(known.routes.map { ($0.id, $0.stored) }, to: writer.database)
            confined.routeRevision = known.revision
        }
    }

    /// Keeps what waits within its limit.
    private func bound() {
        let lost = accumulator.withLock { accumulator in
            let excess = max(accumulator.finished.count - Self.waitingLimit, 0)
            accumulator.forget(excess)
            return excess
        }
        guard lost > 0 else { return }
        if confined.lost == 0 {
            log(LogMessage(.error, "minutes of targets' history are lost: too many wait to be written"))
        }
        confined.lost += lost
        published.withLock { $0.lost += UInt64(lost) }
    }

    /// Does something with the file; a failure is logged once and retried with the next minute.
    @discardableResult
    private func attempt(_ body: (SQLiteRollupWriter) throws(HistoryError) -> Void) -> Bool {
        do throws(HistoryError) {
            let writer =
                if let open = confined.writer { open } else {
                    try SQLiteRollupWriter(path: path, retention: settings)
                }
            confined.writer = writer
            try body(writer)
            if publish(nil, bytes: writer.size) {
                log(LogMessage(.info, "the history of targets is written again; \(confined.lost) minutes are lost"))
                confined.lost = 0
            }
            return true
        } catch {
            confined.writer = nil
            if publish(error.code) {
                log(LogMessage(.warning, "the history of targets cannot be written: \(error)"))
            }
            return false
        }
    }

    /// Says how it goes; true when that is another way than before.
    private func publish(_ failure: HistoryError.Code?, bytes: UInt64? = nil) -> Bool {
        let isOther = published.withLock { status in
            defer { (status.failure, status.bytes) = (failure, bytes ?? status.bytes) }
            return status.failure != failure
        }
        if isOther { registry.noteServiceChange() }
        return isOther
    }
}

/// Provides rollups that are measured and not written yet.
package protocol RollupSource: Sendable {
    /// How long buckets are kept.
    var settings: RollupSettings { get }
    /// How writing goes. Any thread; waits for no disk.
    var status: RollupStatus { get }

    /// All unwritten buckets of a target, the current minute last. Any thread; does not wait for a disk.
    ///
    /// - Parameters:
    ///   - ordinal: the target's place in the registry.
    ///   - target: its id.
    func unwritten(_ ordinal: UInt64, target: String) -> [RollupSegment]
}

/// How the minutes, hours and days of targets are written down.
package struct RollupStatus: Sendable, Hashable {
    /// Why they are not; nil when they are.
    package internal(set) var failure: HistoryError.Code?
    /// Minutes that wait to be written.
    package internal(set) var waiting = 0
    /// Minutes that will never be written, since the start.
    package internal(set) var lost: UInt64 = 0
    /// How much room all of them take, in bytes, as it was measured last.
    package internal(set) var bytes: UInt64 = 0

    /// Nothing is written yet, and nothing failed.
    package init() {}
}
