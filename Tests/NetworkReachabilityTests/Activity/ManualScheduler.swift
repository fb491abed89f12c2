// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

@testable import NetworkReachability

/// A scheduler whose time and queue move only when a test says so.
final class ManualScheduler: ActivityScheduler {
    private struct Timer {
        let due: Duration
        let work: @Sendable () -> Void
        var isCancelled = false
    }

    private struct State {
        var now = Duration.zero
        var queue: [@Sendable () -> Void] = []
        var enqueued = 0
        /// In the order in which they were started; those that fired are gone.
        var timers: [(number: Int, timer: Timer)] = []
        var started: [Duration] = []
    }

    private let state = Mutex(State())

    /// How long it is since the scheduler was made.
    var now: Duration { state.withLock { $0.now } }
    /// How many updates were queued so far.
    var enqueuedCount: Int { state.withLock { $0.enqueued } }
    /// The delays of all timers that were started so far.
    var startedDelays: [Duration] { state.withLock { $0.started } }
    /// When those timers are due that run.
    var dueTimes: [Duration] {
        state.withLock { state in state.timers.filter { !$0.timer.isCancelled }.map(\.timer.due) }
    }

    func enqueue(_ work: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.enqueued += 1
            state.queue.append(work)
        }
    }

    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any ScheduledActivityWork {
        let number = state.withLock { state in
            state.started.append(delay)
            state.timers.append((state.started.count, Timer(due: state.now + delay, work: work)))
            return state.started.count
        }
        return Work { [weak self] in
            self?.state.withLock { state in
                guard let place = state.timers.firstIndex(where: { $0.number == number }) else { return }
                state.timers[place].timer.isCancelled = true
            }
        }
    }

    /// Runs what is queued, and what that queues.
    func runQueue() {
        while let work = state.withLock({ $0.queue.isEmpty ? nil : $0.queue.removeFirst() }) { work() }
    }

    /// Lets time pass: the timers fire in turn, and the queue runs before and after each.
    func advance(by duration: Duration) {
        runQueue()
        let end = now + duration
        while fireNext(until: end) { runQueue() }
        state.withLock { $0.now = end }
    }

    /// Lets time pass to the next timer and fires it, before what is queued already.
    @discardableResult
    func fireNext(until end: Duration = .seconds(1_000_000)) -> Bool {
        let work = state.withLock { state -> (@Sendable () -> Void)? in
            let next = state.timers.indices.filter { !state.timers[$0].timer.isCancelled }
                .min { state.timers[$0].timer.due < state.timers[$1].timer.due }
            guard let next, state.timers[next].timer.due <= end else { return nil }
            state.now = max(state.now, state.timers[next].timer.due)
            return state.timers.remove(at: next).timer.work
        }
        work?()
        return work != nil
    }

    /// Fires the timers that were cancelled, as if they had been due already.
    func fireCancelled() {
        let works = state.withLock { state in
            defer { state.timers.removeAll { $0.timer.isCancelled } }
            return state.timers.filter { $0.timer.isCancelled }.map(\.timer.work)
        }
        for work in works { work() }
    }

    private struct Work: ScheduledActivityWork {
        let onCancel: @Sendable () -> Void

        func cancel() { onCancel() }
    }
}
