// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// The bounded queue between a handler and the readers of its sequence; the newest wins.
final class ChangeBuffer<Value: Sendable>: Sendable {
    private typealias Event = ObservationEvent<Value>
    private typealias Waiter = (number: UInt64, continuation: CheckedContinuation<Event?, Never>)

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) {
        precondition(limit > 0, "a sequence of changes needs room for at least one of them")
        self.limit = limit
    }

    func append(_ change: Change<Value>) {
        let waiter = state.withLock { state -> Waiter? in
            guard !state.isFinished else { return nil }
            if !state.waiters.isEmpty { return state.waiters.removeFirst() }
            if state.changes.count == limit {
                state.changes.removeFirst()
                state.missed += 1
            }
            state.changes.append(change)
            return nil
        }
        waiter?.continuation.resume(returning: .changed(change))
    }

    func finish() {
        let waiters = state.withLock { state in
            state.isFinished = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters {
            waiter.continuation.resume(returning: nil)
        }
    }

    func next() async -> ObservationEvent<Value>? {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        // A cancellation may come after the answer and before the return.
        defer { state.withLock { _ = $0.cancelled.remove(number) } }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { $0.answer(Waiter(number, continuation)) }
                if let answer { continuation.resume(returning: answer.event) }
            }
        } onCancel: {
            state.withLock { $0.cancel(number) }?.continuation.resume(returning: nil)
        }
    }

    /// What a reader gets at once.
    private struct Answer {
        let event: Event?
    }

    private struct State {
        var changes: [Change<Value>] = []
        /// How many were dropped before the first of `changes`.
        var missed = 0
        var isFinished = false
        var lastWaiter: UInt64 = 0
        var waiters: [Waiter] = []
        /// Readers whose task was cancelled before they began to wait.
        var cancelled: Set<UInt64> = []

        /// - Returns: nil when the reader has to wait.
        mutating func answer(_ waiter: Waiter) -> Answer? {
            if cancelled.remove(waiter.number) != nil { return Answer(event: nil) }
            if missed > 0 {
                defer { missed = 0 }
                return Answer(event: .lagged(missed: missed))
            }
            if !changes.isEmpty { return Answer(event: .changed(changes.removeFirst())) }
            if isFinished { return Answer(event: nil) }
            waiters.append(waiter)
            return nil
        }

        /// - Returns: the waiting reader, if it was waiting.
        mutating func cancel(_ number: UInt64) -> Waiter? {
            guard let position = waiters.firstIndex(where: { $0.number == number }) else {
                cancelled.insert(number)
                return nil
            }
            return waiters.remove(at: position)
        }
    }
}
