// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths
import Probing

/// Carries out what the registry wants of the probes: starts them in their turn, hands their results in. One thread; time and
/// the world are given to it.
///
/// The life of one probe: its turn comes up in the ``ProbeScheduler``; it runs; when no answer came and the path leads through a
/// gateway, that is asked too; the registry judges the result and says how long to wait; the next turn is planned.
final class ProbeDriver<World: ProbeEnvironment> {
    typealias Entry = ProbeEntry<World>

    /// How many probes that begin together start immediately: the others are spread.
    static var immediate: Int { 8 }
    /// How long an answer takes at most that is not missing, in nanoseconds.
    static var longAnswer: UInt64 { 1_500_000_000 }

    let registry: Registry
    let world: World
    let settings: ProbingSettings
    /// Bounds the probes of targets that clients of the HTTP interface declared, from their next turn on; nil bounds none.
    var policy: TargetPolicy? {
        didSet { traffic.policy = policy }
    }
    let queue: ProbeScheduler<ProbeHost>
    let nextProbes: NextProbes
    var entries: [UInt64: Entry] = [:]
    let gateways: GatewayMonitor<World>
    let activityMeter: ActivityMeter<World>
    private let maintenance: MaintenanceMonitor<World>
    let traces: TraceMonitor<World>
    let traffic: TrafficMonitor<World>
    let pathMTU: PathMTUMonitor<World>
    private let uplinks: UplinkMonitor<World>
    var meter = LagMeter()
    private var recoveries = RecoveryBurst()
    var counts = ProbingStatistics()
    var suspendedTime: UInt64
    let publish: (ScheduleRecord) -> Void
    var lastPublished: UInt64 = 0
    var alarm: (timer: World.Timer, due: UInt64)?
    var held: [UInt64: Waiting] = [:]
    /// Which of ``held`` wait for answers of anchors.
    var anchors: AnchorCheck
    var isClosed = false

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
        gateways.onReturn = { [weak self] in self?.returned($0) }
        gateways.onSilence = { [weak self] in self?.lost($0) }
        gateways.wasSilent = { [registry] in registry.isSilent($0) }
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
                nextProbes[ordinal] = nil
                // Who asked for a probe gets its result, also by a path that was lost meanwhile.
                guard entry.waiting.isEmpty else {
                    release(ordinal)
                    continue
                }
                drop(ordinal)
                queue.cancel(ordinal)
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
}
