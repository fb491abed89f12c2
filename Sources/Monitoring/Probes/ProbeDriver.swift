// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import NetworkPaths
import Probing
import Traffic

/// Carries out what the registry wants of the probes: starts them in their turn, hands their results in. One thread; time and
/// the world are given to it.
///
/// The life of one probe: its turn comes up in the ``ProbeScheduler``; it runs; when no answer came and the path leads through a
/// gateway, that is asked too; the registry judges the result and says how long to wait; the next turn is planned.
final class ProbeDriver<World: ProbeEnvironment> {
    private typealias Entry = ProbeEntry<World>

    /// The shortest suspension that counts, in nanoseconds.
    private static var shortestSuspension: UInt64 { 1_000_000_000 }

    /// Turns are taken in steps of 10 ms, in nanoseconds: a busy schedule wakes its thread a hundred times a second and not for
    /// every probe, which would cost more than the probe.
    private static var stepLength: UInt64 { 10_000_000 }
    /// How many probes that begin together start immediately: the others are spread.
    private static var immediate: Int { 8 }
    /// How long an answer takes at most that is not missing, in nanoseconds.
    private static var longAnswer: UInt64 { 1_500_000_000 }
    private static var publishingInterval: UInt64 { 1_000_000_000 }

    private let registry: Registry
    private let world: World
    private let settings: ProbingSettings
    /// Bounds the probes of targets that clients of the HTTP interface declared, from their next turn on; nil bounds none.
    var policy: TargetPolicy? {
        didSet { traffic.policy = policy }
    }
    private var queue: ProbeScheduler<ProbeHost>
    private let nextProbes: NextProbes
    private var entries: [UInt64: Entry] = [:]
    private let gateways: GatewayMonitor<World>
    private let activityMeter: ActivityMeter<World>
    private let maintenance: MaintenanceMonitor<World>
    private let traces: TraceMonitor<World>
    private let traffic: TrafficMonitor<World>
    private let pathMTU: PathMTUMonitor<World>
    private let uplinks: UplinkMonitor<World>
    private var meter = LagMeter()
    private var recoveries = RecoveryBurst()
    private var counts = ProbingStatistics()
    private var suspendedTime: UInt64
    private let publish: (ScheduleRecord) -> Void
    private var lastPublished: UInt64 = 0
    private var alarm: (timer: World.Timer, due: UInt64)?
    /// What a result waits for.
    private enum Inquiry: Equatable {
        case trace(TraceLimits.Place)
        case investigation(TraceLimits.Place)
    }
    /// What a silent result waits for.
    private struct Waiting {
        /// What is found out of a place.
        var inquiry: Inquiry?
        /// The time to answer of other targets.
        var needsTime: Bool
        let conclude: () -> Void
        let timer: World.Timer
    }
    private var held: [UInt64: Waiting] = [:]
    /// Which of ``held`` wait for answers of anchors.
    private var anchors: AnchorCheck
    private var isClosed = false

    /// - Parameters:
    ///   - traces: takes the traces.
    ///   - nextProbes: takes when the next probe of each target is due, by the wall clock.
    ///   - activity: called for each change of the indicator's count, with whether its state changed too.
    ///   - statistics: called with the schedule's statistics, at most once a second.
    init(
        registry: Registry,
        world: World,
        settings: ProbingSettings,
        traces: TraceStore,
        nextProbes: NextProbes,
        activity: @escaping (ActivityStatus, Bool) -> Void,
        statistics: @escaping (ScheduleRecord) -> Void
    ) {
        publish = statistics
        self.nextProbes = nextProbes
        self.registry = registry
        self.world = world
        self.settings = settings
        queue = ProbeScheduler(limits: settings.limits)
        anchors = AnchorCheck(ids: settings.anchors, quorum: settings.quorum, longAnswer: Self.longAnswer)
        gateways = GatewayMonitor(world: world)
        activityMeter = ActivityMeter(world: world, changed: activity)
        maintenance = MaintenanceMonitor(registry: registry, world: world)
        var isTraced: (UInt64, TargetTrace, DefaultGateway?, UInt64) -> Void = { _, _, _, _ in }
        self.traces = TraceMonitor(
            world: world,
            clock: registry.clock,
            store: traces,
            isAutomatic: settings.tracesAutomatically,
            routeChanged: settings.reportsRouteChanges ? { registry.routeChanged($1, of: $0) } : nil,
            isTraced: { isTraced($0, $1, $2, $3) }
        )
        uplinks = UplinkMonitor(
            registry: registry,
            world: world,
            gateways: gateways,
            isEnabled: settings.measuresUplinks
        )
        traffic = TrafficMonitor(world: world, registry: registry)
        var isInvestigated: (UInt64, PathMTUBlackHole?) -> Void = { _, _ in }
        var isOver: (TraceLimits.Place) -> Void = { _ in }
        pathMTU = PathMTUMonitor(
            world: world,
            isAutomatic: settings.tracesAutomatically,
            found: { isInvestigated($0, $1) },
            ended: { isOver($0) }
        )
        suspendedTime = world.suspendedTime()
        isTraced = { [weak self] in self?.traced($0, $1, behind: $2, began: $3) }
        isInvestigated = { [weak self] in self?.investigated($0, $1) }
        isOver = { [weak self] in self?.release(.investigation($0)) }
        registry.beginDriving()
    }

    /// How the schedule is kept.
    var record: ScheduleRecord {
        var counts = counts
        counts.inFlight = queue.runningCount
        counts.waiting = queue.waitingCount
        return ScheduleRecord(counts: counts, meter: meter)
    }

    /// Ends everything without results.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        if let alarm { world.cancel(alarm.timer) }
        alarm = nil
        maintenance.close()
        activityMeter.close()
        uplinks.close()
        gateways.close()
        traces.close()
        pathMTU.close()
        for entry in entries.values {
            entry.run.map(world.end)
            entry.answer(nil)
        }
        for ordinal in held.keys { drop(ordinal) }
        entries = [:]
    }

    // MARK: What the registry wants

    /// Takes what the registry wants and does it.
    func applyCommands() {
        guard !isClosed else { return }
        let commands = registry.takeCommands()
        let added = commands.count { if case .watch = $0 { true } else { false } }
        let spread = added > Self.immediate ? settings.spread : .zero
        for command in commands {
            switch command {
            case .watch(let record, let isResting): watch(record, isResting: isResting, spread)
            case .forget(let ordinal):
                maintenance.forget(ordinal)
                traffic.forget(ordinal)
                forget(ordinal)
            case .moved(let ordinal): traffic.moved(ordinal)
            case .atOnce(let ordinal):
                guard let entry = entries[ordinal] else { continue }
                entry.isResting = false
                // The path may be another.
                entry.knowsGateway = false
                plan(entry, due: firstDue(of: entry))
            case .rest(let ordinal):
                guard let entry = entries[ordinal] else { continue }
                entry.isResting = true
                drop(ordinal)
                queue.cancel(ordinal)
                nextProbes[ordinal] = nil
                entry.run.map(world.end)
            case .measure(let gateways): uplinks.measure(gateways)
            }
        }
        maintenance.look()
        turn()
    }

    private func watch(_ record: StatusRecord, isResting: Bool, _ spread: Duration) {
        guard let target = record.target else { return }
        maintenance.watch(target)
        traffic.watch(target)
        if entries[target.ordinal]?.goesOn(with: target, isResting: isResting) == true { return }
        forget(target.ordinal)
        guard let plan = target.settings.probe else { return }
        let entry = Entry(target, plan, isResting: isResting)
        entries[target.ordinal] = entry
        if !isResting { self.plan(entry, due: entry.first(at: world.now(), spread: spread)) }
    }

    /// When a target is probed first after the reason to suspend its probe is gone.
    private func firstDue(of entry: Entry) -> UInt64 {
        let now = world.now()
        let isImmediate =
            switch entry.plan.method {
            case .ask: recoveries.admits(registry.target(entry.target.settings.id)?.path, at: now)
            case .heartbeat, .traffic: true
            }
        return entry.first(at: now, spread: isImmediate ? .zero : settings.spread)
    }

    private func forget(_ ordinal: UInt64) {
        guard let entry = entries.removeValue(forKey: ordinal) else { return }
        queue.remove(ordinal)
        drop(ordinal)
        nextProbes[ordinal] = nil
        traces.forget(ordinal)
        pathMTU.forget(ordinal)
        entry.run.map(world.end)
        entry.answer(nil)
    }

    // MARK: What people want

    /// Traces the path to a target's address now, like its probe's packets.
    ///
    /// - Parameter completion: gets the trace; nil when the target has no probe that can be traced, or no known address, or
    ///   when the policy denies it.
    func trace(_ ordinal: UInt64, _ completion: @escaping (TargetTrace?) -> Void) {
        guard let entry = entries[ordinal], !isClosed, case .ask(let request) = entry.plan.method,
            let address = entry.address(path: registry.target(entry.target.settings.id)?.path),
            let trace = request.trace(to: address), isAllowed(entry, request, address)
        else { return completion(nil) }
        traces.trace(ordinal, trace, nil) { completion($0) }
    }

    /// Probes now, or waits for the probe that runs already; also while the probe rests.
    ///
    /// - Parameter completion: gets the report; nil when there is no such probe, or it was cancelled.
    func probe(_ ordinal: UInt64, _ completion: @escaping (ProbeReport?) -> Void) {
        guard let entry = entries[ordinal], !entry.plan.isPassive, !isClosed else { return completion(nil) }
        entry.waiting.append(completion)
        if entry.run == nil { plan(entry, due: world.now()) }
        turn()
    }

    /// Whether the policy for targets of API clients allows packets to an address.
    private func isAllowed(_ entry: Entry, _ request: ProbeRequest, _ address: IPAddress) -> Bool {
        guard entry.target.settings.isClientDeclared, let policy else { return true }
        return policy.refusal(of: request) == nil && policy.refusal(of: address) == nil
    }

    /// Takes a heartbeat, and of one that came a while ago what follows from the silence since.
    ///
    /// - Parameters:
    ///   - age: how long ago it came.
    ///   - completion: gets the report; nil when the target expects none, or for a heartbeat that is older than another one.
    func heartbeat(
        _ ordinal: UInt64,
        _ result: ProbeResult,
        age: Duration = .zero,
        _ completion: @escaping (ProbeReport?) -> Void
    ) {
        guard let entry = entries[ordinal], entry.isHeartbeat, !isClosed,
            let silence = entry.takeHeartbeat(age: age, at: world.now())
        else { return completion(nil) }
        entry.lag = 0
        entry.waiting.append(completion)
        // A state that ended before this node knew of it has no turn here.
        if result.outcome == .failure || silence.missed < entry.plan.verdict.fall {
            conclude(entry, result, gateway: .unknown)
        }
        for _ in 0..<silence.missed { conclude(entry, entry.missedHeartbeat, gateway: .unknown) }
        if let due = silence.due, !entry.isResting { plan(entry, due: due) }
        turn()
    }

    // MARK: What this machine's connections show

    /// Takes a connection to a target that failed or may have failed, or the first that succeeded after one: probes at once when it
    /// is a reason to, and evaluates a target that is not probed.
    func connectionsChanged(_ change: TrafficChange) {
        guard !isClosed, let ordinal = registry.target(change.target)?.target?.ordinal, let entry = entries[ordinal],
            !entry.isResting, entry.run == nil
        else { return }
        switch entry.plan.method {
        case .heartbeat: return
        case .traffic:
            guard !change.isPossibleFailure, change.isFailure || registry.target(change.target)?.state != .up
            else { return }
        case .ask:
            guard traffic.isHint(change, of: ordinal, interval: entry.plan.verdict.interval) else { return }
            counts.hinted += 1
        }
        plan(entry, due: world.now())
        turn()
    }

    // MARK: Turns

    private func plan(_ entry: Entry, due: UInt64) {
        let lane = entry.lane(path: registry.target(entry.target.settings.id)?.path)
        queue.schedule(entry.target.ordinal, due: due, address: lane)
        // A heartbeat is the target's to send.
        guard !entry.isHeartbeat else { return }
        let now = world.now()
        let left = Int64(clamping: (due > now ? due - now : 0) / 1_000_000)
        nextProbes[entry.target.ordinal] = Timestamp(milliseconds: registry.clock.now().milliseconds &+ left)
    }

    /// Starts what is due and sets the alarm for what comes next.
    private func turn() {
        guard !isClosed else { return }
        lookForSuspension()
        let now = world.now()
        while let start = queue.start(at: now) { begin(start, at: now) }
        let publishing = lastPublished + Self.publishingInterval
        let isPublished = now >= publishing
        if isPublished {
            lastPublished = now
            publish(record)
        }
        // What happened since the last publication must not wait for the next probe.
        let due = isPublished ? nextStep : min(nextStep ?? publishing, publishing)
        guard due != alarm?.due else { return }
        if let alarm { world.cancel(alarm.timer) }
        alarm = due.map { due in
            let timer = world.schedule(at: due) { [weak self] in
                self?.alarm = nil
                self?.turn()
            }
            return (timer, due)
        }
    }

    /// The step of the clock in which the next turn is taken.
    private var nextStep: UInt64? {
        guard let due = queue.nextDue() else { return nil }
        let rest = due % Self.stepLength
        let (step, isBeyondTime) = due.addingReportingOverflow(rest == 0 ? 0 : Self.stepLength - rest)
        return isBeyondTime ? due : step
    }

    private func begin(_ start: ProbeStart, at now: UInt64) {
        guard let entry = entries[start.id], !entry.isResting || !entry.waiting.isEmpty else {
            return queue.finish(start.id, timedOut: false)
        }
        drop(start.id)
        entry.lastDue = start.due
        entry.begin(at: now, by: registry.target(entry.target.settings.id)?.path)
        entry.lag = start.lag
        meter.record(start.lateness)
        counts.started += 1
        switch entry.plan.method {
        case .ask(let request):
            activityMeter.begin(start.id)
            let policy = entry.target.settings.isClientDeclared ? policy : nil
            entry.run = world.start(request, under: policy) { [weak self] in self?.ended(entry, $0) }
        case .heartbeat:
            queue.finish(start.id, timedOut: false)
            conclude(entry, entry.missedHeartbeat, gateway: .unknown)
        case .traffic(let plan):
            queue.finish(start.id, timedOut: false)
            if let result = traffic.result(entry.target, plan) {
                queryGateway(of: entry, result)
            } else {
                // Further failures of the same second are not reported.
                self.plan(entry, due: now + min(entry.plan.verdict.interval, .seconds(1)).nanoseconds)
            }
        }
    }

    private func ended(_ entry: Entry, _ result: ProbeResult) {
        guard !isClosed else { return }
        // Before any evaluation: results of probes in flight during a suspension are not evidence.
        lookForSuspension()
        let ordinal = entry.target.ordinal
        entry.note(result)
        activityMeter.end(ordinal)
        entry.run = nil
        // The slot that it took is released even if the target changed.
        queue.finish(ordinal, timedOut: result.reason == .timeout || result.reason == .nameTimeout)
        defer { turn() }
        guard entries[ordinal] === entry else { return }
        guard result.reason != .cancelled else {
            entry.answer(nil)
            return
        }
        guard !entry.discards(result, path: registry.target(entry.target.settings.id)?.path) else {
            entry.knowsGateway = false
            // Callers wait for the result by the present path.
            return plan(entry, due: world.now())
        }
        entry.endedAt = world.now()
        let late = result.reason == .timeout ? overrun(of: entry, result) : 0
        entry.lag = max(entry.lag, late)
        queryGateway(of: entry, result)
    }

    /// How much later than its deadline the end of a probe was seen, in nanoseconds.
    private func overrun(of entry: Entry, _ result: ProbeResult) -> UInt64 {
        guard case .ask(let request) = entry.plan.method, result.duration > request.timeout else { return 0 }
        return (result.duration - request.timeout).nanoseconds
    }

    private func queryGateway(of entry: Entry, _ result: ProbeResult) {
        let isDoubtful = [.silent, .absent, .resolution].contains(result.failure)
        // No cause is needed, and the result says all that matters.
        if !isDoubtful, entry.knowsGateway { return conclude(entry, result, gateway: .unknown) }
        entry.knowsGateway = true
        guard let path = registry.target(entry.target.settings.id)?.path, let address = path.gateway else {
            return conclude(entry, result, gateway: .notNeeded)
        }
        let needsInterface = address.family == .ipv6 && address.isLinkLocal
        let gateway = GatewayMonitor<World>.Gateway(
            address: address,
            interface: needsInterface ? path.interface?.name : nil
        )
        guard isDoubtful else {
            gateways.learn(gateway)
            return conclude(entry, result, gateway: .unknown)
        }
        // Silence is of the whole time; a refusal speaks of its own moment, and the gateway may have gone since it was asked.
        let reason = result.reason ?? result.absence
        let isRefusal = reason == .networkUnreachable || reason == .hostUnreachable || reason == .prohibited
        let began = entry.startedAt
        gateways.query(gateway, since: isRefusal ? world.now() : began) { [weak self] answer in
            // A probe that began meanwhile tells more, and the entry's times are its.
            guard let self, !isClosed, entries[entry.target.ordinal] === entry, entry.startedAt == began else { return }
            let isOver = !isRefusal && answer == .answers && gateways.isBack(gateway, since: began)
            if !isOver || !repeats(entry) { weigh(entry, result, gateway: answer) }
            turn()
        }
    }

    // MARK: Doubt

    /// Asks what would explain a silent result, and hands it in: at once, or, when it alone would make the target `down`, with the
    /// answers or after ``ProbingSettings/diagnosisWait``.
    private func weigh(_ entry: Entry, _ result: ProbeResult, gateway: GatewayAnswer) {
        let ordinal = entry.target.ordinal
        guard case .ask(let request) = entry.plan.method, settings.diagnosisWait > .zero, !entry.isResting,
            let doubt = registry.doubt(result, of: entry.target, circumstances(of: entry, gateway))
        else { return conclude(entry, result, gateway: gateway) }
        if doubt.isOver, repeats(entry) { return }
        ask(doubt.siblings)
        let began = entry.startedAt
        let needsAnchors = doubt.anchors != .notNeeded && asksAnchors(for: entry, since: began)
        let inquiry = inquire(entry, request, result, doubt)
        var waiting: (Inquiry?, needsTime: Bool) = (nil, false)
        if doubt.isDecisive { waiting = (inquiry, inquiry == nil && !doubt.siblings.isEmpty) }
        let mayWait = doubt.isDecisive || doubt.anchors == .awaited
        guard mayWait, waiting.0 != nil || waiting.needsTime || needsAnchors
        else { return conclude(entry, result, gateway: gateway) }
        let timer = world.schedule(at: world.now() + settings.diagnosisWait.nanoseconds) { [weak self] in
            self?.countWaiting(doubt.siblings)
            self?.release(ordinal)
            self?.turn()
        }
        let conclusion = { [weak self] in
            guard let self, !isClosed, entries[ordinal] === entry else { return }
            // What explains it may have ended while it waited.
            if registry.isOver(ordinal, since: entry.startedAt), repeats(entry) { return }
            conclude(entry, result, gateway: gateway, silentAnchors: needsAnchors ? silentAnchors(since: began) : [])
        }
        held[ordinal] = Waiting(
            inquiry: waiting.0,
            needsTime: waiting.needsTime,
            conclude: conclusion,
            timer: timer
        )
        if needsAnchors { anchors.hold(ordinal, since: began) }
    }

    // MARK: Anchors

    /// What is known of the anchors whose probes run.
    private var knownAnchors: [AnchorCheck.Anchor] {
        anchors.ids.compactMap { id in
            guard let record = registry.target(id), let ordinal = record.target?.ordinal, let entry = entries[ordinal],
                !entry.isResting, case .ask = entry.plan.method
            else { return nil }
            return AnchorCheck.Anchor(
                ordinal: ordinal,
                startedAt: entry.startedAt,
                isRunning: entry.run != nil,
                isHeld: held[ordinal] != nil,
                responded: record.evaluation?.lastReport.map { $0.result.outcome != .failure } == true
            )
        }
    }

    /// Probes the anchors whose answers since a moment are missing.
    ///
    /// - Returns: Whether answers are missing.
    private func asksAnchors(for entry: Entry, since start: UInt64) -> Bool {
        guard !anchors.ids.contains(entry.target.settings.id) else { return false }
        let missing = anchors.missing(of: knownAnchors, since: start)
        for anchor in missing {
            guard let due = anchors.due(of: anchor, at: world.now()), let entry = entries[anchor.ordinal] else {
                continue
            }
            plan(entry, due: due)
        }
        return !missing.isEmpty
    }

    private func silentAnchors(since start: UInt64) -> Set<UInt64> {
        anchors.silent(of: knownAnchors, since: start, at: world.now())
    }

    /// Hands in the results that waited for an anchor which has answered, or failed to.
    private func anchorAnswered() {
        for (ordinal, start) in anchors.results {
            guard let entry = entries[ordinal], !asksAnchors(for: entry, since: start) else { continue }
            anchors.release(ordinal)
            releaseIfAnswered(ordinal)
        }
    }

    // MARK: Answers

    /// Starts what may explain a silent result; returns it while it is under way.
    private func inquire(_ entry: Entry, _ request: ProbeRequest, _ result: ProbeResult, _ doubt: Registry.Doubt)
        -> Inquiry?
    {
        let path = registry.target(entry.target.settings.id)?.path
        if doubt.isStalled {
            let policy = entry.target.settings.isClientDeclared ? policy : nil
            return pathMTU.stalled(entry.target, request, result, path: path, under: policy).map { .investigation($0) }
        }
        return traces.failed(entry.target, request, result, path: path, doubt) { [weak self] place in
            self?.countWaiting(doubt.siblings)
            self?.release(.trace(place))
        }.map { .trace($0) }
    }

    /// Probes again in place of a result that shows nothing, since it speaks of a fault that is over.
    ///
    /// - Returns: False when too many results in a row were discarded.
    private func repeats(_ entry: Entry) -> Bool {
        guard entry.discards() else { return false }
        plan(entry, due: world.now())
        return true
    }

    /// Counts targets as silent that were asked and wait for their answers.
    private func countWaiting(_ ordinals: [UInt64]) {
        for ordinal in ordinals {
            guard let entry = entries[ordinal], entry.run != nil, world.now() >= entry.startedAt + Self.longAnswer
            else {
                continue
            }
            registry.waits(ordinal, since: entry.startedAt)
        }
    }

    /// Hands in the results that waited for what is found out now.
    private func release(_ inquiry: Inquiry) {
        for (ordinal, _) in held.filter({ $0.value.inquiry == inquiry }).sorted(by: { $0.key < $1.key }) {
            held[ordinal]?.inquiry = nil
            releaseIfAnswered(ordinal)
        }
        turn()
    }

    /// Hands in a result that no longer waits for anything.
    private func releaseIfAnswered(_ ordinal: UInt64) {
        guard let waiting = held[ordinal], waiting.inquiry == nil, !waiting.needsTime, !anchors.isAwaited(by: ordinal)
        else { return }
        release(ordinal)
    }

    /// Hands in a result that waited.
    private func release(_ ordinal: UInt64) { drop(ordinal)?.conclude() }

    /// Drops a result that waits: a newer probe tells more.
    @discardableResult
    private func drop(_ ordinal: UInt64) -> Waiting? {
        guard let waiting = held.removeValue(forKey: ordinal) else { return nil }
        world.cancel(waiting.timer)
        anchors.release(ordinal)
        return waiting
    }

    /// Probes targets before their turn, the first ones at once and the others one after another, within ``ProbingSettings/spread``.
    private func ask(_ ordinals: [UInt64]) {
        let now = world.now()
        for (index, ordinal) in ordinals.enumerated() {
            guard let entry = entries[ordinal], !entry.isResting, entry.run == nil, held[ordinal] == nil,
                case .ask = entry.plan.method
            else { continue }
            let limit = min(settings.spread, entry.plan.verdict.interval).nanoseconds
            let step = min(Self.stepLength, limit / UInt64(ordinals.count))
            plan(entry, due: now + UInt64(max(0, index + 1 - Self.immediate)) * step)
        }
    }

    /// Hands in a trace: it serves every target whose packets go the same way.
    private func traced(_ ordinal: UInt64, _ trace: TargetTrace, behind gateway: DefaultGateway?, began: UInt64) {
        guard !isClosed else { return }
        if trace.result.isAnswered, let gateway { registry.take(trace, behind: gateway) }
        ask(registry.take(trace, of: ordinal, began: began))
    }

    private func circumstances(
        of entry: Entry,
        _ gateway: GatewayAnswer,
        silentAnchors: Set<UInt64> = []
    ) -> Registry.ProbeContext {
        Registry.ProbeContext(
            lag: .nanoseconds(entry.lag),
            lagLimit: settings.lagLimit,
            gateway: gateway,
            silentAnchors: silentAnchors,
            began: entry.startedAt,
            ended: entry.endedAt
        )
    }

    /// Hands a result in and plans the next turn.
    private func conclude(
        _ entry: Entry,
        _ result: ProbeResult,
        gateway: GatewayAnswer,
        silentAnchors: Set<UInt64> = []
    ) {
        counts.finished += 1
        entry.discardedCount = 0
        let circumstances = circumstances(of: entry, gateway, silentAnchors: silentAnchors)
        let recorded = registry.record(result, of: entry.target, circumstances: circumstances)
        entry.isOutdated = recorded == nil
        traffic.probed(entry.target.ordinal, result, recorded?.record.state)
        if let recorded, case .ask(let request) = entry.plan.method {
            if result.outcome != .failure {
                traces.answered(entry.target, request, result, path: recorded.record.path)
            } else {
                traces.failed(entry.target.ordinal)
            }
            ask(recorded.again.filter { $0 != entry.target.ordinal })
            pathMTU.probed(entry.target.ordinal, result)
        }
        if let wait = recorded?.nextInterval, !entry.isResting {
            let turn = entry.next(after: world.now(), wait: wait)
            counts.missed += turn.missed
            plan(entry, due: turn.due)
        } else {
            nextProbes[entry.target.ordinal] = nil
        }
        entry.answer(recorded?.report)
        if anchors.isAwaited, anchors.ids.contains(entry.target.settings.id) { anchorAnswered() }
    }

    /// Hands in what an investigation of stalled connections shows of a target.
    private func investigated(_ ordinal: UInt64, _ blackHole: PathMTUBlackHole?) {
        guard !isClosed, let target = entries[ordinal]?.target else { return }
        guard let blackHole else { return registry.forgetBlackHole(of: ordinal) }
        registry.explain(Diagnosis(blackHole), target, at: world.now())
    }

    // MARK: Suspension

    private func lookForSuspension() {
        let time = world.suspendedTime()
        defer { suspendedTime = time }
        guard time > suspendedTime, time - suspendedTime >= Self.shortestSuspension else { return }
        counts.suspensions += 1
        registry.machineSlept()
        for entry in entries.values {
            entry.run.map(world.end)
            guard !entry.isResting else { continue }
            plan(entry, due: entry.first(at: world.now(), spread: settings.spread))
        }
    }
}
