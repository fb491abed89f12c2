// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a run came to.
package enum ProbeOutcome: String, Sendable, Hashable, CaseIterable {
    /// The target does what is expected.
    case success
    /// It does so in part, or too slowly.
    case degraded
    /// It does not, or could not be asked.
    case failure
}
