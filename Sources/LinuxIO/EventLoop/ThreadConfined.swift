// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Synchronization

/// A value that only one thread may use, carried past threads that only pass it on.
///
/// Debug builds trap when another thread reads ``value`` while the owner's thread runs. Before that thread begins its creator
/// may fill the value, and after it ended clean up. Release builds do not check: an access costs what one to a stored
/// property does.
///
/// Unchecked because the value need not be `Sendable`: it is confined to one thread, which this type checks.
package struct ThreadConfined<Value>: @unchecked Sendable {
    @usableFromInline let stored: Value
    @usableFromInline let owner: ThreadOwner

    /// Confines a value to an owner's thread. The caller keeps no other reference that another thread uses.
    package init(_ value: Value, to owner: ThreadOwner) {
        stored = value
        self.owner = owner
    }

    /// Confines a value to an event loop's thread.
    package init(_ value: Value, to loop: EventLoop) {
        self.init(value, to: loop.owner)
    }

    /// The value. On the owner's thread.
    @inlinable package var value: Value {
        assert(owner.permitsAccess, "a value is used outside of the thread that it is confined to")
        return stored
    }
}

/// The thread that confined values belong to; it may not have begun yet, or have ended.
package final class ThreadOwner: Sendable {
    /// nil while there is no thread: its handle may then be another thread's.
    private let current = Mutex<Thread?>(nil)

    /// Creates an owner whose thread has not begun.
    package init() {}

    /// The thread while it runs: set by its creator when it begins, and to nil when it ends.
    package var thread: Thread? {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    /// Whether the caller runs on the thread.
    package var isCurrent: Bool { thread?.isCurrent ?? false }

    /// Whether the caller may use what is confined to the thread.
    @usableFromInline var permitsAccess: Bool { thread?.isCurrent ?? true }
}
