// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What happened to a target's declaration; raw values are the HTTP contract's.
package enum TargetAction: String, Sendable, Hashable, CaseIterable {
    /// It is new.
    case added
    /// Its settings changed.
    case updated
    /// It is gone.
    case removed
}
