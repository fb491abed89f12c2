// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What the driver of a ``VerdictMachine`` has to do with the probe.
package enum ProbeOrder: Sendable, Hashable, CaseIterable {
    /// Probe now, without waiting for the next turn.
    case atOnce
    /// Cancel the probe in flight, throw its result away, and start none until told to.
    case rest
}
