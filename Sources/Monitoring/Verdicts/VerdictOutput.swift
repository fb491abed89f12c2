// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What one input did to a ``VerdictMachine``, and what its driver has to do now.
package struct VerdictOutput: Sendable, Hashable {
    /// The change of the state, if there was one.
    package let transition: StateTransition?
    /// What to do with the probe; nil to leave it as it is.
    package let order: ProbeOrder?
    /// Whether ``VerdictMachine/isFlapping`` changed.
    package let flappingChanged: Bool
}
