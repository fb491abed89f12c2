// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Synchronization

/// One change of one target, as the engine delivers it.
public struct PathUpdate: Sendable {
    /// The target's handle.
    public var id: PathID
    /// The verdict now.
    public var path: NetworkPath
    /// The verdict before, absent the first time.
    public var previous: NetworkPath?
    /// What made the engine look.
    public var trigger: ChangeTrigger

    /// Creates an update.
    public init(id: PathID, path: NetworkPath, previous: NetworkPath?, trigger: ChangeTrigger) {
        self.id = id
        self.path = path
        self.previous = previous
        self.trigger = trigger
    }

    /// Whether this is a delivery in SystemConfiguration's sense: the first one, or R57.
    public var isDelivery: Bool {
        guard let previous else { return true }
        return path.isDelivery(after: previous)
    }

    /// Whether interface, gateway or source address differ from before.
    public var isPathChange: Bool {
        guard let previous else { return false }
        return path.generation != previous.generation
    }
}

/// A handle to a target of a ``PathEngine``; never reused within the life of the process.
public struct PathID: Sendable, Hashable {
    /// The number behind the handle.
    public let rawValue: UInt32

    /// Creates a handle from its number; ``next()`` gives one that nothing else has.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    private static let last = Atomic<UInt32>(0)

    /// Makes a new handle, to be handed over with a request: its maker knows which target the first verdict belongs to, however early
    /// it comes. Any thread.
    public static func next() -> PathID {
        PathID(rawValue: last.add(1, ordering: .relaxed).newValue)
    }
}
