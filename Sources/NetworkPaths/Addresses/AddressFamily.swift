// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// An internet protocol family.
public enum AddressFamily: UInt8, Sendable, Hashable, CaseIterable {
    /// `AF_INET`
    case ipv4 = 2
    /// `AF_INET6`
    case ipv6 = 10
}
