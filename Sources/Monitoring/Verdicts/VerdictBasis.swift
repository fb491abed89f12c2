// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What decided a target's state, the strongest first.
package enum VerdictBasis: String, Sendable, Hashable, CaseIterable {
    /// Somebody paused it.
    case paused
    /// A declared maintenance.
    case maintenance
    /// No packet can leave for it.
    case path
    /// Something that it depends on cannot be used.
    case parent
    /// Nothing yet: the results that would decide are awaited.
    case awaited
    /// The probe's results.
    case probe
}
