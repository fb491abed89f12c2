// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

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
