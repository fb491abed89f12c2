// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What the registry wants of whoever runs the probes. Targets are named by their ordinals.
enum ProbeCommand: Sendable {
    /// A target is new, or its settings are: forget what was of it, and plan its first probe unless it rests.
    case watch(StatusRecord, isResting: Bool)
    /// It is gone.
    case forget(UInt64)
    /// Probe now.
    case atOnce(UInt64)
    /// Cancel the probe in flight and start none until told to.
    case rest(UInt64)
}
