// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// The observers of one object, notified in the order in which they registered (contract K8).
///
/// The life of a change: ``willChange(_:of:)`` fixes the observers to notify, reads the old value for each that wants it, then sends
/// the prior notifications; the owner changes its value; the end of the pending change reads the new value for each
/// and calls it, one after the other, all on the calling thread. Nothing is called while a lock is held. An observer that registers
/// between the two halves is notified of the second, so that no change falls between a registration and its first value.
///
/// What happens when an observer itself observes, cancels or sets is in the article on re-entrancy.
public final class KeyValueObservers<Root: AnyObject & Sendable>: Sendable {
    private let state = Mutex(State())

    /// Creates an empty set of observers.
    public init() {}

    deinit {
        // The object is gone: its sequences end, its handlers are released.
        for record in state.withLock({ $0.records }) {
            record.end()
        }
    }

    /// How many observations there are, for diagnostics.
    public var count: Int {
        state.withLock { $0.records.count }
    }

    /// Announces a change that is about to be made, and sends the prior notifications (contract K4, K5).
    ///
    /// Pairs nest: each pending change has an old value of its own and ends with one notification of its own, whether
    /// the inner one has the same key or another (K14).
    ///
    /// - Parameters:
    ///   - key: what will change; observers of its dependents are notified too.
    ///   - object: the object that these observers belong to.
    /// - Returns: the pending change. Its end, ``PendingChange/didChange()`` or the end of its scope, is the did-change.
    public func willChange<Value>(_ key: ObservableKey<Root, Value>, of object: Root) -> PendingChange<Root> {
        PendingChange(observers: self, object: object, ticket: begin(Announcement(key: key.name), on: object))
    }

    /// Announces that elements of a collection are about to be inserted, removed or replaced (contract K2).
    ///
    /// Observers of the key get kind, indexes and the elements there: the old ones for a removal, the new ones for
    /// an insertion, both for a replacement. Observers of dependents get a setting.
    ///
    /// - Parameters:
    ///   - kind: what will be done.
    ///   - indexes: the elements' positions: before the change for a removal, after it for an insertion.
    ///   - key: the collection.
    ///   - object: the object that these observers belong to.
    /// - Returns: the pending change.
    public func willChange<Value>(
        _ kind: ChangeKind,
        at indexes: RangeSet<Int>,
        of key: ObservableKey<Root, Value>,
        on object: Root
    ) -> PendingChange<Root> where Value: RangeReplaceableCollection, Value.Index == Int {
        let announcement = Announcement(key: key.name, kind: kind, indexes: kind == .setting ? nil : indexes)
        return PendingChange(observers: self, object: object, ticket: begin(announcement, on: object))
    }

    /// Announces a change, makes it, and announces its end; observers are notified even if nothing changed (contract K7).
    ///
    /// - Parameters:
    ///   - key: what `body` changes.
    ///   - object: the object that these observers belong to.
    ///   - body: makes the change. When it throws, the did-change is sent all the same.
    /// - Returns: what `body` returns.
    public func withChange<Value, Result, Failure: Error>(
        of key: ObservableKey<Root, Value>,
        on object: Root,
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let ticket = begin(Announcement(key: key.name), on: object)
        defer { end(ticket, on: object) }
        return try body()
    }
}

extension KeyValueObservers {
    /// Registers, delivers the initial value if requested, and returns the token.
    func add<Value>(
        _ key: ObservableKey<Root, Value>,
        of object: Root,
        options: ObservationOptions,
        ended: @escaping @Sendable () -> Void,
        handler: @escaping @Sendable (Root, Change<Value>) -> Void
    ) -> KeyValueObservation {
        let record = TypedObserver(key: key, options: options, ended: ended, handler: handler)
        let joining = record.joining(object)
        state.withLock { state in
            state.records.append(record)
            for position in state.changes.indices where key.sources.contains(state.changes[position].key) {
                state.changes[position].joined.append(joining)
            }
        }
        record.start(object)
        return KeyValueObservation { [weak self] in
            self?.remove(record)
            record.end()
        }
    }

    private func remove(_ record: any ObserverRecord<Root>) {
        // Returned, so that the record's last reference is dropped outside the lock.
        _ = state.withLock { state in
            state.records.firstIndex { $0 === record }.map { state.records.remove(at: $0) }
        }
    }

    private func begin(_ announcement: Announcement, on object: Root) -> Ticket {
        let (number, records) = state.withLock { state in
            state.lastChange += 1
            state.changes.append(ChangeInProgress(number: state.lastChange, key: announcement.key))
            return (state.lastChange, state.records.filter { $0.sources.contains(announcement.key) })
        }
        // All old values belong to this one moment; a prior handler may already set again.
        let notifications = records.map { $0.prepare(announcement, on: object) }
        for notification in notifications {
            notification.prior?(object)
        }
        return Ticket(number: number, notifications: notifications)
    }

    fileprivate func end(_ ticket: Ticket, on object: Root) {
        let joined = state.withLock { state in
            state.changes.firstIndex { $0.number == ticket.number }.map { state.changes.remove(at: $0).joined } ?? []
        }
        for notification in ticket.notifications + joined {
            notification.after(object)
        }
    }

    /// What ``PendingChange`` holds of its change.
    struct Ticket: Sendable {
        fileprivate let number: UInt64
        fileprivate let notifications: [PreparedNotification<Root>]
    }

    private struct ChangeInProgress {
        let number: UInt64
        let key: String
        var joined: [PreparedNotification<Root>] = []
    }

    private struct State {
        var lastChange: UInt64 = 0
        /// In registration order.
        var records: [any ObserverRecord<Root>] = []
        var changes: [ChangeInProgress] = []
    }
}

/// A change between its two halves (contract K14).
///
/// It cannot be copied, so that every will-change has exactly one did-change: when it is consumed, at the latest when
/// it goes out of scope. It keeps the object alive, and may be ended on another thread than it was begun on.
public struct PendingChange<Root: AnyObject & Sendable>: ~Copyable, Sendable {
    private let observers: KeyValueObservers<Root>
    private let object: Root
    private let ticket: KeyValueObservers<Root>.Ticket

    init(observers: KeyValueObservers<Root>, object: Root, ticket: KeyValueObservers<Root>.Ticket) {
        self.observers = observers
        self.object = object
        self.ticket = ticket
    }

    deinit {
        observers.end(ticket, on: object)
    }

    /// Notifies the observers that the change is made, synchronously.
    public consuming func didChange() {}
}

/// One registration, without its value's type.
protocol ObserverRecord<Root>: AnyObject, Sendable {
    associatedtype Root: AnyObject & Sendable

    /// The names whose change concerns this observer.
    var sources: Set<String> { get }

    /// Reads the old value if it was asked for, and prepares both notifications of a change.
    func prepare(_ announcement: Announcement, on object: Root) -> PreparedNotification<Root>

    /// Releases the handler; it is not called again. Idempotent.
    func end()
}

/// What is about to change.
struct Announcement: Sendable {
    let key: String
    var kind = ChangeKind.setting
    var indexes: RangeSet<Int>?
}

/// The two notifications that one observer gets of one change.
struct PreparedNotification<Root: AnyObject & Sendable>: Sendable {
    let prior: (@Sendable (Root) -> Void)?
    let after: @Sendable (Root) -> Void
}
