// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Probing

/// What happens to a ``VerdictMachine``. To say the same twice is allowed and changes nothing, except for results.
package enum VerdictInput<Reason: Sendable & Hashable>: Sendable, Hashable {
    /// A probe ended. Ignored while the probe rests: such a result speaks of the time before.
    case result(ProbeOutcome, Reason?)
    /// What the path engine says: whether a packet could leave for the target.
    case path(isSatisfied: Bool)
    /// Whether all that the target depends on can be used.
    case parent(isUp: Bool)
    /// Somebody stops watching the target.
    case pause
    /// Somebody goes on watching it.
    case resume
    /// A declared maintenance begins.
    case maintenanceBegins
    /// The last declared maintenance ends.
    case maintenanceEnds
    /// The machine slept, and woke up again.
    case suspended
}
