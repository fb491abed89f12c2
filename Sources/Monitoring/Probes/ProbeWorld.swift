// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Probing

/// What the driver of the probes needs of the world: time, timers and somebody who asks. All of it on one thread.
protocol ProbeWorld: AnyObject {
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
}
