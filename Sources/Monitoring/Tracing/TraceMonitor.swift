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
    /// Called with each trace that its target answered, and the gateway of the path.
    private let isAnswered: (TargetTrace, DefaultGateway) -> Void
    private unowned let world: World
    private let clock: any WallClock
    private var limits = TraceLimits()
    /// The route and time of the last good trace, or of its start.
    private var routes: [UInt64: (route: Route, at: UInt64)] = [:]
    /// The targets whose path is to be traced while they answer, in order.
    private var queue: [(ordinal: UInt64, request: TraceRequest)] = []
    private var queued: Set<UInt64> = []
    private var timer: World.Timer?
    private var isClosed = false

    init(
        world: World,
        clock: any WallClock,
        store: TraceStore,
        isAutomatic: Bool,
        routeChanged: ((UInt64, RouteChange) -> Void)? = nil,
        isAnswered: @escaping (TargetTrace, DefaultGateway) -> Void = { _, _ in }
    ) {
        self.world = world
        self.clock = clock
        self.store = store
        self.isAutomatic = isAutomatic
        self.routeChanged = routeChanged
        self.isAnswered = isAnswered
    }

    func close() {
        isClosed = true
        timer.map(world.cancel)
        timer = nil
        queue = []
        queued = []
    }

    func forget(_ ordinal: UInt64) {
        limits.forget(ordinal)
        routes[ordinal] = nil
        store.remove(ordinal)
    }

    /// Handles the result of a probe.
    ///
    /// - Parameters:
    ///   - isUnexplained: Whether the probe failed by silence, and neither the gateway nor a router explains it.
    ///   - found: Receives the diagnosis that a trace leads to; not called without one.
    func probed(
        _ target: DeclaredTarget,
        _ request: ProbeRequest,
        _ result: ProbeResult,
        path: NetworkPath?,
        isUnexplained: Bool,
        found: @escaping (Diagnosis) -> Void
    ) {
        // A path on the link has no routers.
        guard isAutomatic, !isClosed, !target.settings.hidesAddress, let address = result.address,
            let gateway = path?.gateway
        else { return }
        if result.outcome == .failure {
            guard isUnexplained, let trace = request.trace(to: address) else { return }
            let place = TraceLimits.Place(gateway: gateway, destination: address)
            guard limits.startFailed(target.ordinal, place, at: world.now()) else { return }
            start(target.ordinal, trace) { [weak self] _ in
                if let diagnosis = self?.store.traces(of: target.ordinal)?.diagnosis(gateway: gateway) {
                    found(diagnosis)
                }
            }
            return
        }
        limits.forget(target.ordinal)
        guard result.absence == nil else { return }
        let route = Route(gateway: gateway, interface: path?.interface?.name, address: address)
        let now = world.now()
        if let last = routes[target.ordinal], last.route == route, now < last.at + interval(of: target.ordinal) {
            return
        }
        guard let trace = request.trace(to: address) else { return }
        routes[target.ordinal] = (route, now)
        guard queued.insert(target.ordinal).inserted else { return }
        queue.append((target.ordinal, trace))
        if timer == nil { schedule() }
    }

    /// The time after which the path to a target that answers is traced again.
    private func interval(of ordinal: UInt64) -> UInt64 {
        guard routeChanged != nil else { return TraceLimits.good }
        let isDoubtful = store.traces(of: ordinal)?.route?.candidate != nil
        return isDoubtful ? TraceLimits.confirmation : TraceLimits.route
    }

    /// Traces now, whatever the limits.
    func trace(_ ordinal: UInt64, _ request: TraceRequest, _ completion: @escaping (TargetTrace) -> Void) {
        store.begin(ordinal)
        world.trace(request) { [weak self] result in
            guard let self else { return }
            completion(stored(result, of: ordinal))
        }
    }

    private func start(_ ordinal: UInt64, _ request: TraceRequest, _ completion: @escaping (TargetTrace) -> Void) {
        store.begin(ordinal)
        world.trace(request) { [weak self] result in
            guard let self, !isClosed else { return }
            limits.end()
            completion(stored(result, of: ordinal))
        }
    }

    private func stored(_ result: TraceResult, of ordinal: UInt64) -> TargetTrace {
        let trace = TargetTrace(result, at: clock.now())
        if case .fault = result.end { return trace }
        if let change = store.add(trace, of: ordinal, comparesRoutes: routeChanged != nil) {
            routeChanged?(ordinal, change)
        }
        return trace
    }

    private func schedule() {
        timer = world.schedule(at: world.now() + TraceLimits.spacing) { [weak self] in
            guard let self, !isClosed else { return }
            timer = nil
            next()
            if !queue.isEmpty { schedule() }
        }
    }

    private func next() {
        guard let (ordinal, request) = queue.first, limits.startGood() else { return }
        queue.removeFirst()
        queued.remove(ordinal)
        // Removed meanwhile.
        guard routes[ordinal] != nil else { return limits.end() }
        start(ordinal, request) { [weak self] trace in
            guard let self, trace.result.isAnswered, let route = routes[ordinal]?.route, let gateway = route.gateway
            else { return }
            isAnswered(trace, DefaultGateway(gateway, interface: route.interface))
        }
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
