// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
package import LinuxIO
package import Probing
import Synchronization
import Traffic

/// Runs the probes of a registry's targets, on a thread of its own.
///
/// Everything is any thread's to call.
package final class ProbeMonitor: Sendable {
    private typealias Driver = ProbeDriver<EventLoopProbeEnvironment>

    /// What lives on the loop's thread and is touched nowhere else.
    private final class Confined {
        var runner: ProbeRunner?
        var tracer: Tracer?
        var investigator: PathMTUInvestigator?
        var resolver: Resolver?
        var files: ContentsWatcher?
        var driver: Driver?
    }

    private let loop: EventLoop
    private let registry: Registry
    private let loopState: ThreadConfined<Confined>
    private var confined: Confined { loopState.value }
    private let isAwaited = Atomic<Bool>(false)
    private let currentRecord = Mutex(ScheduleRecord())
    private let currentActivity = Mutex(ActivityStatus.idle)
    private let traceStore = TraceStore()
    private let nextProbes = NextProbes()
    /// nil when this machine's connections are not observed.
    private let observer: Mutex<TrafficObserver?> = Mutex(nil)
    private let trafficError: Mutex<TrafficError?> = Mutex(nil)

    /// Begins to run probes.
    ///
    /// - Parameters:
    ///   - registry: declares the targets to probe and evaluates the results.
    ///   - settings: what holds for all probes.
    ///   - resolverFiles: where the resolver's configuration is read, now and when it changes.
    ///   - clock: the clock of turns and deadlines.
    ///   - prologue: runs first on the thread; a test enters its network namespace here.
    /// - Throws: ``SystemError`` when a descriptor or the thread could not be had.
    package init(
        registry: Registry,
        settings: ProbingSettings = ProbingSettings(),
        resolverFiles: ResolverConfigurationFiles = ResolverConfigurationFiles(),
        resolverLimits: ResolverLimits = ResolverLimits(),
        clock: any MonotonicClock = SystemMonotonicClock(),
        prologue: @escaping @Sendable () -> Void = {}
    ) throws(SystemError) {
        self.registry = registry
        let loop = try EventLoop(name: "reachd-probes", clock: clock, prologue: prologue)
        self.loop = loop
        loopState = ThreadConfined(Confined(), to: loop)
        registry.setAnchors(settings.anchors, quorum: settings.quorum)
        let failure = loop.executeAndWait { [self] in
            prepare(settings: settings, files: resolverFiles, limits: resolverLimits)
        }
        if let failure = failure ?? nil {
            close()
            throw failure
        }
        registry.onChanges { [weak self] in self?.wake() }
        wake()
    }

    deinit {
        close()
    }

    /// Bounds the probes of targets that clients of the HTTP interface declared, from the next turn of each on; nil bounds none.
    package func apply(_ policy: TargetPolicy?) {
        loop.execute { [self] in confined.driver?.policy = policy }
    }

    /// Replaces the anchors, for the registry too.
    ///
    /// - Parameters:
    ///   - ids: the targets'.
    ///   - quorum: how many have to answer.
    package func apply(anchors ids: [String], quorum: Int) {
        registry.setAnchors(ids, quorum: quorum)
        loop.execute { [self] in confined.driver?.changeAnchors(ids, quorum: quorum) }
    }

    /// Probes a target now, or waits for its probe that runs already.
    ///
    /// - Parameters:
    ///   - id: the target's.
    ///   - completion: gets the report once, on the probes' thread; nil when the target has no probe that reachd runs, or
    ///     the probe was cancelled.
    package func probe(_ id: String, completion: @escaping @Sendable (ProbeReport?) -> Void) {
        drive(id, completion) { driver, ordinal in driver.probe(ordinal, completion) }
    }

    /// Takes a heartbeat of a target with a `push` probe.
    ///
    /// - Parameters:
    ///   - id: the target's.
    ///   - result: what the target says of itself.
    ///   - age: how long ago; then the next one is awaited from that moment on.
    ///   - completion: as for ``probe(_:completion:)``; nil as well for a heartbeat that is older than another one.
    package func heartbeat(
        _ id: String,
        _ result: ProbeResult,
        age: Duration,
        completion: @escaping @Sendable (ProbeReport?) -> Void
    ) {
        drive(id, completion) { driver, ordinal in driver.heartbeat(ordinal, result, age: age, completion) }
    }

    /// Takes a heartbeat that comes now.
    package func heartbeat(
        _ id: String,
        _ result: ProbeResult,
        completion: @escaping @Sendable (ProbeReport?) -> Void
    ) {
        heartbeat(id, result, age: .zero, completion: completion)
    }

    /// Probes a host that is not a target for a client, under the policy of ``apply(_:)``; beside the schedule and its limits:
    /// the caller bounds their number.
    ///
    /// - Parameter completion: gets the result once, on the probes' thread; nil when this object is closed.
    package func ask(_ request: ProbeRequest, completion: @escaping @Sendable (ProbeResult?) -> Void) {
        let isAccepted = loop.execute { [self] in
            guard let runner = confined.runner else { return completion(nil) }
            runner.start(request, under: confined.driver?.policy) { completion($0) }
        }
        if !isAccepted { completion(nil) }
    }

    /// Calls the driver for a target, after it has applied the registry's commands; completes with nil where
    /// there is no such target or no driver any more.
    private func drive(
        _ id: String,
        _ completion: @escaping @Sendable (ProbeReport?) -> Void,
        _ body: @escaping @Sendable (Driver, UInt64) -> Void
    ) {
        guard let ordinal = registry.target(id)?.target?.ordinal else { return completion(nil) }
        let isAccepted = loop.execute { [self] in
            guard let driver = confined.driver else { return completion(nil) }
            driver.applyCommands()
            body(driver, ordinal)
        }
        if !isAccepted { completion(nil) }
    }

    /// Traces the path to a target now, with packets like those of its probe.
    ///
    /// - Parameter completion: gets the trace once, on the probes' thread; nil when the target has no probe that can be traced,
    ///   no known address, or may not be asked.
    package func trace(_ id: String, completion: @escaping @Sendable (TargetTrace?) -> Void) {
        guard let ordinal = registry.target(id)?.target?.ordinal else { return completion(nil) }
        let isAccepted = loop.execute { [self] in
            guard let driver = confined.driver else { return completion(nil) }
            driver.applyCommands()
            driver.trace(ordinal, completion)
        }
        if !isAccepted { completion(nil) }
    }

    /// Returns the traces of a target; nil without any. Any thread.
    package func traces(of id: String) -> TargetTraces? {
        registry.target(id)?.target.flatMap { traceStore.traces(of: $0.ordinal) }
    }

    /// When the next probe of a target is due, by the wall clock; in the past while that waits for a place or runs. nil for a target
    /// that is not probed, or not now. Any thread.
    package func nextProbe(of target: DeclaredTarget) -> Timestamp? { nextProbes[target.ordinal] }

    /// The activity indicator.
    package var activity: ActivityStatus { currentActivity.withLock { $0 } }

    /// How the schedule is kept, as of a second ago or the last probe.
    package var statistics: ProbingStatistics { currentRecord.withLock { $0 }.statistics }

    /// Calls back on the probes' thread when it has done the work that it had, as a sign that it takes any; never when this
    /// object is closed. Any thread.
    package func ping(_ completion: @escaping @Sendable () -> Void) {
        loop.execute(completion)
    }

    /// The observer of this machine's connections; nil when they are not observed.
    var trafficObserver: TrafficObserver? { observer.withLock { $0 } }
    /// Why they cannot be observed.
    var trafficFailure: TrafficError? { trafficError.withLock { $0 } }
    /// The present time by the loop's clock, in nanoseconds, and by the wall clock.
    var loopTime: UInt64 { loop.clock.now() }
    var wallTime: Timestamp { registry.clock.now() }

    /// Ends all probes and the thread; a second call does nothing.
    package func close() {
        _ = loop.executeAndWait { [self] in
            confined.driver?.close()
            confined.investigator?.close()
            confined.runner?.close()
            confined.tracer?.close()
            confined.files?.close()
        }
        observer.withLock { $0 }?.close()
        // The completions of what was cancelled come in a further turn.
        _ = loop.executeAndWait { [self] in
            confined.resolver?.close()
            (confined.driver, confined.runner, confined.files, confined.resolver) = (nil, nil, nil, nil)
            (confined.tracer, confined.investigator) = (nil, nil)
        }
        loop.close()
    }

    // MARK: On the loop's thread

    private func prepare(
        settings: ProbingSettings,
        files: ResolverConfigurationFiles,
        limits: ResolverLimits
    ) -> SystemError? {
        do {
            confined.files = try ContentsWatcher(loop: loop, paths: files.all) { [weak self] in
                _ = self?.confined.resolver?.reload()
            }
            let resolver = try Resolver(loop: loop, files: files, limits: limits)
            let traffic = observe(settings.traffic)
            let opened: ConnectionHandler? = traffic.map { traffic in { traffic.exclude($0) } }
            let runner = ProbeRunner(loop: loop, resolver: resolver, opened: opened)
            confined.resolver = resolver
            confined.runner = runner
            let tracer = Tracer(loop: loop, opened: opened)
            confined.tracer = tracer
            let investigator = PathMTUInvestigator(loop: loop, runner: runner)
            confined.investigator = investigator
            confined.driver = Driver(
                registry: registry,
                world: EventLoopProbeEnvironment(
                    loop: loop,
                    runner: runner,
                    tracer: tracer,
                    investigator: investigator,
                    traffic: traffic
                ),
                settings: settings,
                traces: traceStore,
                nextProbes: nextProbes,
                activity: { [weak self] in self?.take($0, isTransition: $1) },
                statistics: { [weak self] record in self?.currentRecord.withLock { $0 = record } }
            )
            return nil
        } catch {
            return error as? SystemError ?? SystemError(code: ENOMEM, operation: "c-ares")
        }
    }

    /// Begins to observe this machine's connections; without them everything else works.
    private func observe(_ observation: TrafficObservation) -> TrafficObserver? {
        guard observation != .off else { return nil }
        do throws(TrafficError) {
            let traffic = try TrafficObserver.start(on: loop) { [weak self] change in
                self?.confined.driver?.connectionsChanged(change)
            }
            observer.withLock { $0 = traffic }
            return traffic
        } catch {
            trafficError.withLock { $0 = error }
            return nil
        }
    }

    private func take(_ activity: ActivityStatus, isTransition: Bool) {
        currentActivity.withLock { $0 = activity }
        if isTransition { registry.emit(.activity(activity)) }
    }

    private func wake() {
        guard registry.published.hasCommands else { return }
        // One call is enough for all that was recorded before it runs.
        guard !isAwaited.exchange(true, ordering: .acquiringAndReleasing) else { return }
        loop.execute { [weak self] in
            guard let self else { return }
            isAwaited.store(false, ordering: .releasing)
            confined.driver?.applyCommands()
        }
    }
}

/// What holds for all probes.
package struct ProbingSettings: Sendable, Hashable {
    /// How many may run at the same time.
    package var limits = ProbeSchedulerLimits.standard
    /// Over which time the first probes of all targets are spread: when reachd starts, when the machine wakes up, and after a recovery of
    /// this machine's network.
    package var spread: Duration = .seconds(4)
    /// The lag from which a missing answer is not evidence against a target.
    package var lagLimit: Duration = .seconds(1)
    /// Targets far out that are nearly always there, by their ids: when too few answer, the internet is down.
    package var anchors: [String] = []
    /// How many anchors have to answer.
    package var quorum = 1
    /// How long a silent result that would make a target `down` waits at most for the trace of its path and the answers of targets nearby
    /// and of anchors; zero for not at all.
    package var diagnosisWait: Duration = .milliseconds(2_500)
    /// Whether paths are traced when a target begins to fail, when one answers on a new path, and daily.
    package var tracesAutomatically = true
    /// Whose connections of this machine are observed.
    package var traffic = TrafficObservation.targets
    /// Whether a changed route to a target that responds is an event. Good paths are then traced hourly.
    package var reportsRouteChanges = false
    /// Whether the default gateways are sent echo requests each minute, for the log of uplinks.
    package var measuresUplinks = true

    /// The defaults.
    package init() {}
}
