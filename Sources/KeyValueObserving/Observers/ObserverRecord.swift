// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

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
