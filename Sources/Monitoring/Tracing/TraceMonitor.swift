// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO
import NetworkPaths
import Probing
import Synchronization

/// Traces the paths to targets: when one begins to fail without a reported reason, when one answers on a new path, daily or hourly,
/// and on request. On the probes' thread; ``store`` may be read on any.
final class TraceMonitor<World: ProbeEnvironment> {
    private struct Route: Hashable {
        let gateway: IPAddress?
        let interface: String?
        let address: IPAddress
    }

    let store: TraceStore
    /// Whether traces start without a request.
    private let isAutomatic: Bool
    /// Receives confirmed changes of routes; nil when they are not reported.
    private let routeChanged: ((UInt64, RouteChange) -> Void)?
    /// Called with each trace, the gateway of the path, and when it began.
    private let isTraced: (UInt64, TargetTrace, DefaultGateway?, UInt64) -> Void
    private unowned let world: World
    private let clock: any WallClock
    private var limits = TraceLimits()
    /// The route and time of the last good trace, or of its start.
    private var routes: [UInt64: (route: Route, at: UInt64)] = [:]
    /// The targets whose path is to be traced while they answer, in order: first those that no other one of their place was traced for.
    private var firsts: [(ordinal: UInt64, request: TraceRequest)] = []
    private var queue: [(ordinal: UInt64, request: TraceRequest)] = []
    private var queued: Set<UInt64> = []
    /// Those of them that fail now.
    private var silent: Set<UInt64> = []
    /// How often the paths are still traced again whose routers did not all answer.
    private var incomplete: [UInt64: Int] = [:]
    /// The places of which a trace is known or queued.
    private var known: Set<TraceLimits.Place> = []
    /// The places to which a failed target is traced now.
    private(set) var failing: Set<TraceLimits.Place> = []
    private var timer: World.Timer?
    private var isClosed = false

    init(
        world: World,
        clock: any WallClock,
        store: TraceStore,
        isAutomatic: Bool,
        routeChanged: ((UInt64, RouteChange) -> Void)? = nil,
        isTraced: @escaping (UInt64, TargetTrace, DefaultGateway?, UInt64) -> Void = { _, _, _, _ in }
    ) {
        self.world = world
        self.clock = clock
        self.store = store
        self.isAutomatic = isAutomatic
        self.routeChanged = routeChanged
        self.isTraced = isTraced
    }

    func close() {
        isClosed = true
        timer.map(world.cancel)
        timer = nil
        (firsts, queue) = ([], [])
        (queued, silent) = ([], [])
    }

    func forget(_ ordinal: UInt64) {
        routes[ordinal] = nil
        incomplete[ordinal] = nil
        store.remove(ordinal)
    }

    /// Traces the path to a target that does not answer, unless a trace to its place told or is about to tell enough.
    ///
    /// - Returns: The place, while a trace to it is on its way.
    func failed(
        _ target: DeclaredTarget,
        _ request: ProbeRequest,
        _ result: ProbeResult,
        path: NetworkPath?,
        _ doubt: Registry.Doubt,
        ended: @escaping (TraceLimits.Place) -> Void
    ) -> TraceLimits.Place? {
        guard let (address, gateway) = traceable(target, result, path) else { return nil }
        let place = TraceLimits.Place(gateway: gateway.address, destination: address)
        if failing.contains(place) { return place }
        guard let trace = request.trace(to: address),
            failing.count(where: { $0.gateway == gateway.address }) < TraceLimits.concurrentFailed
        else { return nil }
        let now = world.now()
        let mayStart = limits.startFailed(
            place,
            since: doubt.since,
            provenAt: doubt.provenAt,
            isExplained: doubt.isExplained,
            doubtedAt: doubt.doubtedAt,
            at: now
        )
        guard mayStart else { return nil }
        failing.insert(place)
        start(target.ordinal, trace, gateway) { [weak self] in
            self?.failing.remove(place)
            ended(place)
        }
        return place
    }

    /// Has the path to a target that fails not be traced before it answers again.
    func failed(_ ordinal: UInt64) {
        if queued.contains(ordinal) { silent.insert(ordinal) }
    }

    /// What can be traced of a target: a path on the link has no routers.
    private func traceable(_ target: DeclaredTarget, _ result: ProbeResult, _ path: NetworkPath?) -> (
        IPAddress, DefaultGateway
    )? {
        guard isAutomatic, !isClosed, !target.settings.hidesAddress, let address = result.address,
            let gateway = path?.gateway, gateway.family == address.family
        else { return nil }
        return (address, DefaultGateway(gateway, interface: path?.interface?.name))
    }

    /// Has the path to a target be traced that answered, when that is due.
    func answered(_ target: DeclaredTarget, _ request: ProbeRequest, _ result: ProbeResult, path: NetworkPath?) {
        if !silent.isEmpty { silent.remove(target.ordinal) }
        guard let (address, gateway) = traceable(target, result, path), result.absence == nil else { return }
        let route = Route(gateway: gateway.address, interface: gateway.interface, address: address)
        let now = world.now()
        if let last = routes[target.ordinal], last.route == route, now < last.at + interval(of: target.ordinal) {
            return
        }
        guard let trace = request.trace(to: address) else { return }
        routes[target.ordinal] = (route, now)
        guard queued.insert(target.ordinal).inserted else { return }
        if known.count >= 100_000 { known = [] }
        if known.insert(TraceLimits.Place(gateway: gateway.address, destination: address)).inserted {
            firsts.append((target.ordinal, trace))
        } else {
            queue.append((target.ordinal, trace))
        }
        if timer == nil { schedule() }
    }

    /// The time after which the path to a target that answers is traced again.
    private func interval(of ordinal: UInt64) -> UInt64 {
        if incomplete[ordinal, default: 0] > 0 { return TraceLimits.completion }
        guard routeChanged != nil else { return TraceLimits.good }
        let isDoubtful = store.traces(of: ordinal)?.route?.candidate != nil
        return isDoubtful ? TraceLimits.confirmation : TraceLimits.route
    }

    /// Traces now, whatever the limits.
    func trace(
        _ ordinal: UInt64,
        _ request: TraceRequest,
        _ gateway: DefaultGateway?,
        _ completion: @escaping (TargetTrace) -> Void
    ) {
        store.begin(ordinal)
        let began = world.now()
        world.trace(request) { [weak self] result in
            guard let self else { return }
            let trace = stored(result, of: ordinal)
            isTraced(ordinal, trace, gateway, began)
            completion(trace)
        }
    }

    private func start(
        _ ordinal: UInt64,
        _ request: TraceRequest,
        _ gateway: DefaultGateway?,
        _ completion: @escaping () -> Void = {}
    ) {
        store.begin(ordinal)
        let began = world.now()
        world.trace(request) { [weak self] result in
            guard let self, !isClosed else { return }
            limits.end()
            isTraced(ordinal, stored(result, of: ordinal), gateway, began)
            completion()
        }
    }

    private func stored(_ result: TraceResult, of ordinal: UInt64) -> TargetTrace {
        let trace = TargetTrace(result, at: clock.now())
        if case .fault = result.end { return trace }
        if result.isAnswered {
            let left =
                result.hops.contains(where: \.isSilent)
                ? incomplete[ordinal, default: TraceLimits.completions + 1] - 1 : 0
            incomplete[ordinal] = max(left, 0)
        }
        if let change = store.add(trace, of: ordinal, comparesRoutes: routeChanged != nil) {
            routeChanged?(ordinal, change)
        }
        return trace
    }

    private func schedule() {
        let spacing = firsts.isEmpty ? TraceLimits.spacing : TraceLimits.firstSpacing
        timer = world.schedule(at: world.now() + spacing) { [weak self] in
            guard let self, !isClosed else { return }
            timer = nil
            next()
            if !firsts.isEmpty || !queue.isEmpty { schedule() }
        }
    }

    private func next() {
        dropSilent(from: &firsts)
        dropSilent(from: &queue)
        guard let (ordinal, request) = firsts.first ?? queue.first, limits.startGood() else { return }
        if firsts.isEmpty { queue.removeFirst() } else { firsts.removeFirst() }
        queued.remove(ordinal)
        // Removed meanwhile.
        guard let route = routes[ordinal]?.route else { return limits.end() }
        start(ordinal, request, route.gateway.map { DefaultGateway($0, interface: route.interface) })
    }

    /// Drops the first targets that do not answer now: they are queued again when they do.
    private func dropSilent(from waiting: inout [(ordinal: UInt64, request: TraceRequest)]) {
        // The queue of many targets is copied only for those that fail.
        guard !silent.isEmpty else { return }
        let dropped = waiting.prefix { silent.contains($0.ordinal) }
        for (ordinal, _) in dropped {
            silent.remove(ordinal)
            queued.remove(ordinal)
            guard let route = routes.removeValue(forKey: ordinal)?.route else { continue }
            known.remove(TraceLimits.Place(gateway: route.gateway, destination: route.address))
        }
        waiting.removeFirst(dropped.count)
    }
}

/// The traces of targets. Any thread.
package final class TraceStore: Sendable {
    private let traces = Mutex<[UInt64: TargetTraces]>([:])

    /// Returns the traces of a target; nil without any.
    package func traces(of ordinal: UInt64) -> TargetTraces? { traces.withLock { $0[ordinal] } }

    /// Makes a target's record, if there is none yet.
    func begin(_ ordinal: UInt64) { traces.withLock { $0[ordinal] = $0[ordinal] ?? TargetTraces() } }

    /// Stores a trace, unless the target's record was removed meanwhile.
    ///
    /// - Returns: The change of the route that it confirms.
    func add(_ trace: TargetTrace, of ordinal: UInt64, comparesRoutes: Bool) -> RouteChange? {
        traces.withLock { $0[ordinal]?.store(trace, comparesRoutes: comparesRoutes) }
    }

    func remove(_ ordinal: UInt64) { traces.withLock { _ = $0.removeValue(forKey: ordinal) } }
}
