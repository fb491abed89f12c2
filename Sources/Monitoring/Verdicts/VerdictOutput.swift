// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What one input did to a ``VerdictMachine``, and what its driver has to do now.
public struct VerdictOutput: Sendable, Hashable {
    /// The change of the state, if there was one.
    public let transition: StateTransition?
    /// What to do with the probe; nil to leave it as it is.
    public let order: ProbeOrder?
    /// Whether ``VerdictMachine/isFlapping`` changed.
    public let flappingChanged: Bool
}
