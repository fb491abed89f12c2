// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Synchronization

/// A handle to a target of a ``PathEngine``; never reused within the life of the process.
public struct PathID: Sendable, Hashable {
    /// The number behind the handle.
    public let rawValue: UInt32

    /// Creates a handle from its number; ``next()`` gives one that nothing else has.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    private static let last = Atomic<UInt32>(0)

    /// Makes a new handle, to be handed over with a request: whoever made it knows whose the first verdict is, however early
    /// it comes. Any thread.
    public static func next() -> PathID {
        PathID(rawValue: last.add(1, ordering: .relaxed).newValue)
    }
}
