// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Whether a path can carry packets, in the words of Apple's `NWPath`; raw values are the HTTP contract's.
public enum PathStatus: String, Sendable, Hashable {
    /// Packets can leave.
    case satisfied
    /// Packets cannot leave.
    case unsatisfied
    /// Packets cannot leave now; making a declared connection may change that (R48).
    case requiresConnection = "requires_connection"
}
