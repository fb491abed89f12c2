// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Monitoring

/// What came of a new list of targets.
public struct AdoptedTargets: Sendable, Hashable {
    /// How many were added, changed, removed and left alone.
    public internal(set) var changes = TargetChanges()
    /// The ids of those that are new, in the order of the list.
    public internal(set) var added: [String] = []
    /// The ids of those with other settings.
    public internal(set) var updated: [String] = []
    /// The ids of those that are gone, sorted.
    public internal(set) var removed: [String] = []
    /// The ids of targets of the HTTP interface that rest because the configuration has one with the same id; sorted.
    public internal(set) var superseded: [String] = []
}
