// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Which address family a probe uses.
package enum ProbeFamily: String, Sendable, Hashable, CaseIterable {
    /// Whichever there is, IPv4 first.
    case any
    /// Only IPv4.
    case ipv4
    /// Only IPv6.
    case ipv6
    /// Each of the two, with a result of its own; one that is missing or fails makes the run degraded.
    case both
}
