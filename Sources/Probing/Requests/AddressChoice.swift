// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Which of a name's addresses a probe asks.
package enum AddressChoice: String, Sendable, Hashable, CaseIterable {
    /// The first.
    case first
    /// One after the other until one answers: the next when one failed, or after 250 ms without an answer (RFC 8305).
    case any
    /// Every one, with a result of its own; some that fail make the run degraded.
    case all
}
