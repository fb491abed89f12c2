// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Synchronization

/// Collects what an observer is told and lets a test await an expected one.
///
/// Callbacks may come on any thread; nobody is blocked by recording.
package final class Recorder<Event: Sendable>: Sendable {
    /// An expected event that did not come before the hang limit.
    package struct Missing: Error, CustomStringConvertible {
        /// What was recorded until then.
        package let recorded: [Event]
        /// What was recorded.
        package var description: String { "the expected event did not come; recorded: \(recorded)" }
    }

    private struct Waiter {
        let start: Int
        let matches: @Sendable (Event) -> Bool
        let continuation: CheckedContinuation<Int?, Never>
    }

    private struct State {
        var events: [Event] = []
        var waiters: [Int: Waiter] = [:]
        var lastWaiter = 0
    }

    private let state = Mutex(State())

    /// Creates an empty recorder.
    package init() {}

    /// All events so far.
    package var events: [Event] { state.withLock { $0.events } }

    /// The number of events so far; a mark for ``next(after:limit:where:)``.
    package var count: Int { state.withLock { $0.events.count } }

    /// Takes one event.
    package func record(_ event: Event) {
        let due = state.withLock { state in
            state.events.append(event)
            let position = state.events.count - 1
            let due = state.waiters.filter { $0.value.start <= position && $0.value.matches(event) }
            for key in due.keys { state.waiters[key] = nil }
            return due.values.map { ($0.continuation, position) }
        }
        for (continuation, position) in due { continuation.resume(returning: position) }
    }

    /// Awaits the first event, recorded already or to come, that a condition holds for.
    ///
    /// - Parameters:
    ///   - mark: How many events to pass over.
    ///   - limit: When to give up: a hang limit, not a measurement.
    ///   - matches: The condition; called with the recorder locked.
    /// - Throws: ``Missing`` when the limit passed.
    @discardableResult
    package func next(
        after mark: Int = 0,
        limit: Duration = .seconds(600),
        where matches: @escaping @Sendable (Event) -> Bool = { _ in true }
    ) async throws -> Event {
        let position: Int? = await withCheckedContinuation { continuation in
            let found: Int? = state.withLock { state in
                if let found = state.events.indices.dropFirst(mark).first(where: { matches(state.events[$0]) }) {
                    return found
                }
                state.lastWaiter += 1
                let key = state.lastWaiter
                state.waiters[key] = Waiter(start: mark, matches: matches, continuation: continuation)
                Task { [weak self] in
                    try? await Task.sleep(for: limit)
                    self?.giveUp(key)
                }
                return nil
            }
            if let found { continuation.resume(returning: found) }
        }
        guard let position else { throw Missing(recorded: events) }
        return state.withLock { $0.events[position] }
    }

    private func giveUp(_ key: Int) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: key) }
        waiter?.continuation.resume(returning: nil)
    }
}
