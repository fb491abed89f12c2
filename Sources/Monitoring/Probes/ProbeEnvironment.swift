// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import LinuxIO
import Probing

/// The environment of the probe driver: time, timers and the probe runner. Used on one thread.
protocol ProbeEnvironment: AnyObject {
    /// A probe on its way.
    associatedtype Run
    /// A timer that was set.
    associatedtype Timer

    /// Monotonic nanoseconds.
    func now() -> UInt64
    /// How long the machine was suspended since it booted, in nanoseconds.
    func suspendedTime() -> UInt64
    /// Calls a handler once at a time, never from inside this call.
    func schedule(at deadline: UInt64, _ handler: @escaping () -> Void) -> Timer
    /// Ends a timer; one that fired is left alone.
    func cancel(_ timer: Timer)
    /// Starts a probe; the completion is called once, never from inside this call or ``end(_:)``.
    func start(_ request: ProbeRequest, under policy: TargetPolicy?, completion: @escaping (ProbeResult) -> Void) -> Run
    /// Ends a probe as cancelled.
    func end(_ run: Run)
    /// The observer of this machine's connections; nil when they are not observed.
    var traffic: (any TrafficSource)? { get }
    /// Traces a path; the completion is called once, never from inside this call.
    func trace(_ request: TraceRequest, completion: @escaping (TraceResult) -> Void)
    /// Investigates whether a path MTU black hole made a connection stall; the completion is called once, never from
    /// inside this call.
    func investigate(
        _ request: ProbeRequest,
        to address: IPAddress,
        under policy: TargetPolicy?,
        completion: @escaping (PathMTUBlackHole?) -> Void
    )
}

/// The real world, on an event loop.
final class EventLoopProbeEnvironment: ProbeEnvironment {
    private let loop: EventLoop
    private let runner: ProbeRunner
    private let tracer: Tracer
    private let investigator: PathMTUInvestigator
    let traffic: (any TrafficSource)?

    init(
        loop: EventLoop,
        runner: ProbeRunner,
        tracer: Tracer,
        investigator: PathMTUInvestigator,
        traffic: (any TrafficSource)?
    ) {
        self.investigator = investigator
        self.loop = loop
        self.runner = runner
        self.tracer = tracer
        self.traffic = traffic
    }

    func now() -> UInt64 { loop.clock.now() }

    func suspendedTime() -> UInt64 {
        // CLOCK_BOOTTIME is CLOCK_MONOTONIC with the time in suspension; asked for the first one first, so that the
        // difference is never negative.
        let monotonic = Self.time(CLOCK_MONOTONIC)
        return Self.time(CLOCK_BOOTTIME) - monotonic
    }

    func schedule(at deadline: UInt64, _ handler: @escaping () -> Void) -> TimerToken {
        loop.schedule(at: deadline, handler: handler)
    }

    func cancel(_ timer: TimerToken) { loop.cancel(timer) }

    func start(
        _ request: ProbeRequest,
        under policy: TargetPolicy?,
        completion: @escaping (ProbeResult) -> Void
    ) -> ProbeRun {
        runner.start(request, under: policy, completion: completion)
    }

    func end(_ run: ProbeRun) { run.cancel() }

    func trace(_ request: TraceRequest, completion: @escaping (TraceResult) -> Void) {
        tracer.start(request, completion: completion)
    }

    func investigate(
        _ request: ProbeRequest,
        to address: IPAddress,
        under policy: TargetPolicy?,
        completion: @escaping (PathMTUBlackHole?) -> Void
    ) {
        investigator.investigate(request, to: address, under: policy, completion: completion)
    }

    private static func time(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        _ = unsafe clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
