// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a token lets its bearer do.
package enum AccessScope: String, Sendable, Hashable, CaseIterable {
    /// Read everything.
    case read
    /// Change everything that can be changed.
    case write
}
