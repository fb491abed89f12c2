// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a new list of targets did to the old one, in numbers; the names are in the `target` events.
public struct TargetChanges: Sendable, Hashable {
    /// Targets that are new.
    public var added = 0
    /// Targets whose settings changed.
    public var updated = 0
    /// Targets that are gone.
    public var removed = 0
    /// Targets that were left alone.
    public var unchanged = 0

    /// No change.
    public init() {}
}
