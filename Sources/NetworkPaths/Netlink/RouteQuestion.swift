// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// One question to the kernel's route look-up (`RTM_GETROUTE`).
struct RouteQuestion {
    var destination: IPAddress
    var source: IPAddress?
    /// The index of the interface that the packet must leave by; zero for any.
    var interface: UInt32 = 0
    var mark: UInt32?
    /// Whether to get the matching table entry instead of the route that a packet would take.
    var wantsTableEntry = false
}
