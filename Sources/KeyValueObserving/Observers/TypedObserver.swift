// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// One registration: key, options and handler.
final class TypedObserver<Root: AnyObject & Sendable, Value: Sendable>: ObserverRecord {
    typealias Handler = @Sendable (Root, Change<Value>) -> Void

    private let key: ObservableKey<Root, Value>
    private let options: ObservationOptions
    private let state: Mutex<State>

    init(
        key: ObservableKey<Root, Value>,
        options: ObservationOptions,
        ended: @escaping @Sendable () -> Void,
        handler: @escaping Handler
    ) {
        self.key = key
        self.options = options
        state = Mutex(State(handler: handler, ended: ended, held: options.contains(.initial) ? [] : nil))
    }

    var sources: Set<String> { key.sources }

    func prepare(_ announcement: Announcement, on object: Root) -> PreparedNotification<Root> {
        let isOwn = announcement.key == key.name
        let kind = isOwn ? announcement.kind : .setting
        let indexes = isOwn ? announcement.indexes : nil
        let old = options.contains(.old) && kind != .insertion ? key.value(of: object, at: indexes) : nil
        return PreparedNotification(
            prior: options.contains(.prior) ? prior(kind: kind, old: old, indexes: indexes) : nil,
            after: after(kind: kind, old: old, indexes: indexes)
        )
    }

    /// The notification for a change that is already under way when this observer registers.
    ///
    /// It is always a setting: positions mean nothing to an observer that may have seen the collection before or after.
    func joining(_ object: Root) -> PreparedNotification<Root> {
        let old = options.contains(.old) ? key.value(of: object) : nil
        return PreparedNotification(prior: nil, after: after(kind: .setting, old: old, indexes: nil))
    }

    /// Sends the initial notification, then what other threads changed meanwhile.
    func start(_ object: Root) {
        guard options.contains(.initial) else { return }
        if let handler = state.withLock({ $0.handler }) {
            handler(object, Change(new: options.contains(.new) ? key.value(of: object) : nil))
        }
        while let next = state.withLock({ $0.takeHeld() }) {
            next.handler(object, next.change(object))
        }
    }

    func end() {
        // Returned, so that what the closures hold is released outside the lock.
        let released = state.withLock { state in
            defer { state = State(handler: nil, ended: nil, held: nil) }
            return state
        }
        released.ended?()
    }

    private func prior(kind: ChangeKind, old: Value?, indexes: RangeSet<Int>?) -> @Sendable (Root) -> Void {
        { [self] object in
            deliver(to: object) { _ in Change(kind: kind, old: old, isPrior: true, indexes: indexes) }
        }
    }

    private func after(kind: ChangeKind, old: Value?, indexes: RangeSet<Int>?) -> @Sendable (Root) -> Void {
        { [self] object in
            deliver(to: object) { [key, options] object in
                let new = options.contains(.new) && kind != .removal ? key.value(of: object, at: indexes) : nil
                return Change(kind: kind, old: old, new: new, indexes: indexes)
            }
        }
    }

    /// Calls the handler, unless it is cancelled, or its initial notification is not over yet: then it is held.
    private func deliver(to object: Root, _ change: @escaping @Sendable (Root) -> Change<Value>) {
        let handler = state.withLock { state -> Handler? in
            guard state.held != nil else { return state.handler }
            state.held?.append(change)
            return nil
        }
        // Read just before the call: an observer that set again in between must not leave a stale value here (K5).
        handler?(object, change(object))
    }

    private struct State {
        var handler: Handler?
        var ended: (@Sendable () -> Void)?
        /// What waits for the initial notification to end; nil when nothing has to wait.
        var held: [@Sendable (Root) -> Change<Value>]?

        mutating func takeHeld() -> (handler: Handler, change: @Sendable (Root) -> Change<Value>)? {
            guard let handler, held?.isEmpty == false, let change = held?.removeFirst() else {
                held = nil
                return nil
            }
            return (handler, change)
        }
    }
}
