// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// A class whose properties can be observed by key (contract K1–K10).
///
/// The class is final, keeps its observers in a constant, and announces its changes to them:
///
/// ```swift
/// final class Thermostat: KeyValueObservable {
///     let observers = KeyValueObservers<Thermostat>()
///     private let state = Mutex(20.0)
///     static let celsius = ObservableKey<Thermostat, Double>("celsius") { $0.celsius }
///
///     var celsius: Double {
///         get { state.withLock { $0 } }
///         set { observers.withChange(of: Self.celsius, on: self) { state.withLock { $0 = newValue } } }
///     }
/// }
/// ```
///
/// Never announce a change, or call a setter that does, while holding a lock that a key's reader takes.
public protocol KeyValueObservable: AnyObject, Sendable {
    /// The object's observers.
    var observers: KeyValueObservers<Self> { get }
}

extension KeyValueObservable {
    /// Observes a key until the returned token is cancelled or released (contract K1–K8).
    ///
    /// The same function may be registered any number of times; each registration is notified, and ended, separately (K8).
    /// Neither the object nor the token keeps the other alive.
    ///
    /// - Parameters:
    ///   - key: what to observe.
    ///   - options: what to deliver; none means bare notifications.
    ///   - handler: called with the object and the change, synchronously on the thread that makes the change and
    ///     before its setter returns (K6). Several threads that change the object at once call it at once.
    /// - Returns: the token; keep it.
    public func observe<Value>(
        _ key: ObservableKey<Self, Value>,
        options: ObservationOptions = [],
        handler: @escaping @Sendable (Self, Change<Value>) -> Void
    ) -> KeyValueObservation {
        observers.add(key, of: self, options: options, ended: {}, handler: handler)
    }

    /// Observes a key as an asynchronous sequence; observation begins now, not with the first iteration.
    ///
    /// - Parameters:
    ///   - key: what to observe.
    ///   - options: what to deliver; by default the present value and every new one.
    ///   - limit: how many changes are kept for a slow reader, at least 1. Past it the oldest are dropped and the
    ///     sequence says how many, see ``ObservationEvent/lagged(missed:)``.
    /// - Returns: the sequence. It ends when it is cancelled, when the iterating task is, or after the object is gone.
    public func changes<Value>(
        of key: ObservableKey<Self, Value>,
        options: ObservationOptions = [.initial, .new],
        limit: Int = 64
    ) -> KeyValueChanges<Value> {
        let buffer = ChangeBuffer<Value>(limit: limit)
        let observation = observers.add(
            key,
            of: self,
            options: options,
            ended: { buffer.finish() },
            handler: { _, change in buffer.append(change) }
        )
        return KeyValueChanges(buffer: buffer, observation: observation)
    }
}

/// A registration; it ends when it is cancelled or released.
///
/// It does not keep the observed object alive, nor the object it (contract K8).
public final class KeyValueObservation: Sendable {
    private let onCancel: Mutex<(@Sendable () -> Void)?>

    init(onCancel: @escaping @Sendable () -> Void) {
        self.onCancel = Mutex(onCancel)
    }

    deinit {
        cancel()
    }

    /// Ends the observation; any thread, any number of times, also from inside the handler.
    ///
    /// The handler is not called again: not even for a change whose prior notification it got. A call that runs on
    /// another thread at this moment is not waited for. What the handler holds is released before this returns, unless
    /// such a call still uses it.
    public func cancel() {
        // Taken out under the lock, called outside it: what it releases may run anybody's code.
        let action = onCancel.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }

    /// Whether ``cancel()`` was called.
    public var isCancelled: Bool {
        onCancel.withLock { $0 == nil }
    }
}
