// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring

/// What came of a new list of targets.
package struct AdoptedTargets: Sendable, Hashable {
    /// How many were added, changed, removed and left alone.
    package internal(set) var changes = TargetChanges()
    /// The ids of those that are new, in the order of the list.
    package internal(set) var added: [String] = []
    /// The ids of those with other settings.
    package internal(set) var updated: [String] = []
    /// The ids of those that are gone, sorted.
    package internal(set) var removed: [String] = []
    /// The ids of targets of the HTTP interface that rest because the configuration has one with the same id; sorted.
    package internal(set) var superseded: [String] = []
}
