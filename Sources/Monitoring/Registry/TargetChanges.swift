// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a new list of targets did to the old one, in numbers; the names are in the `target` events.
package struct TargetChanges: Sendable, Hashable {
    /// Targets that are new.
    package var added = 0
    /// Targets whose settings changed.
    package var updated = 0
    /// Targets that are gone.
    package var removed = 0
    /// Targets that were left alone.
    package var unchanged = 0

    /// No change.
    package init() {}
}
