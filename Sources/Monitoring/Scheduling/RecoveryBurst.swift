// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths

/// Limits how many targets are probed in the moment in which their probes may run again.
///
/// A path that returns releases all targets behind it at once. The first of each next hop are probed immediately, so that a recovery is
/// seen within a round trip. The others are spread: a next hop whose address is not resolved yet queues few packets and drops the rest,
/// and firewalls limit new connections.
struct RecoveryBurst: Sendable {
    /// How many targets of a next hop start immediately.
    static let size = 8
    /// Targets that are released within this time belong to one recovery, in nanoseconds.
    static let length: UInt64 = 1_000_000_000

    private struct NextHop: Hashable {
        let interface: UInt32?
        let gateway: IPAddress?
    }

    private var begin: UInt64 = 0
    private var counts: [NextHop: Int] = [:]

    /// Counts a target, and returns whether its probe may start immediately.
    mutating func admits(_ path: NetworkPath?, at now: UInt64) -> Bool {
        if now - begin > Self.length { (begin, counts) = (now, [:]) }
        let hop = NextHop(interface: path?.interface?.index, gateway: path?.gateway)
        counts[hop, default: 0] += 1
        return counts[hop, default: 0] <= Self.size
    }
}
