// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Dispatch
import Synchronization

/// The time and the queue of an activity indicator.
///
/// Everything that is given to one scheduler runs serially; nothing runs before the call that gave it returned.
protocol ActivityScheduler: Sendable {
    /// Runs `work` after everything that is queued already.
    func enqueue(_ work: @escaping @Sendable () -> Void)

    /// Runs `work` once, when `delay` has passed and not earlier.
    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any ScheduledActivityWork
}

/// Something that waits for its time.
protocol ScheduledActivityWork: Sendable {
    /// Forgets it; idempotent. If it is due already it may still run.
    func cancel()
}

/// The scheduler of a manager in use: a serial queue in front of the delivery queue (contract A25).
///
/// The main queue is served by the main run loop in its common modes, which is where the original's timers are.
struct DispatchActivityScheduler: ActivityScheduler {
    private let queue: DispatchQueue

    init(deliveryQueue: DispatchQueue) {
        queue = DispatchQueue(label: "NetworkActivityIndicatorManager", target: deliveryQueue)
    }

    func enqueue(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }

    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any ScheduledActivityWork {
        let (seconds, attoseconds) = delay.components
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler(handler: work)
        // The wall clock cannot measure a delay; dispatch's default clock is monotonic.
        timer.schedule(deadline: .now() + Double(seconds) + Double(attoseconds) * 1e-18, leeway: .milliseconds(1))
        timer.activate()
        return DispatchActivityWork(timer)
    }
}

/// A dispatch timer; it is cancelled when it is released.
private final class DispatchActivityWork: ScheduledActivityWork {
    private let timer: Mutex<(any DispatchSourceTimer)?>

    init(_ timer: sending any DispatchSourceTimer) {
        self.timer = Mutex(timer)
    }

    deinit {
        cancel()
    }

    func cancel() {
        timer.withLock { timer in
            timer?.cancel()
            timer = nil
        }
    }
}
