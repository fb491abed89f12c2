// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Synchronization

/// Hands values to one handler, one after the other in the order of their arrival, whichever thread brings them.
///
/// Two threads bring values only while a subscription is being made: the first verdict can arrive on the engine's
/// thread before the subscriber knows its handle. Whoever arrives while a call runs leaves the value to the caller.
final class PathDeliveryQueue<Value: Sendable>: Sendable {
    private struct State {
        var handler: (@Sendable (Value) -> Void)?
        var waiting: [Value] = []
        var isDelivering = false
    }

    private let state: Mutex<State>

    init(handler: @escaping @Sendable (Value) -> Void) {
        state = Mutex(State(handler: handler))
    }

    /// Queues a value; ``drain()`` must follow, outside all locks.
    func enqueue(_ value: Value) {
        state.withLock { state in
            guard state.handler != nil else { return }
            state.waiting.append(value)
        }
    }

    /// Delivers what waits, unless another call is doing so.
    func drain() {
        var isFirst = true
        while let (handler, values) = next(isFirst: isFirst) {
            isFirst = false
            for value in values {
                handler(value)
                // Ended from inside the handler or by another thread: the rest is dropped.
                guard isOpen else { break }
            }
        }
    }

    /// Lets go of the handler; nothing is delivered afterwards, except by a call that runs already.
    func close() {
        let handler = state.withLock { state in
            defer {
                state.handler = nil
                state.waiting = []
            }
            return state.handler
        }
        // The last reference to what the handler captured goes here, outside the lock.
        _ = handler
    }

    private var isOpen: Bool { state.withLock { $0.handler != nil } }

    private func next(isFirst: Bool) -> (handler: @Sendable (Value) -> Void, values: [Value])? {
        state.withLock { state in
            if isFirst, state.isDelivering { return nil }
            guard let handler = state.handler, !state.waiting.isEmpty else {
                state.isDelivering = false
                return nil
            }
            state.isDelivering = true
            defer { state.waiting = [] }
            return (handler, state.waiting)
        }
    }
}
