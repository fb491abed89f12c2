// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses

/// What is known of one target.
struct DiagnosedTarget: Sendable {
    var host: IPAddress
    var gateway: Gateway
    /// The node of its network.
    var network: Int
    /// Whether ``network`` follows from a trace to this very target.
    var isTraced = false
    /// When the first probe began that was silent since the last success or the end of a fault; ``unknownBegin`` where the target
    /// was down before.
    var failingSince: UInt64?
    /// When the packet was sent that ended the fault which explained it, and when its answer was seen; nil once it has answered itself.
    /// What that packet passed does not explain it when it stays silent.
    var explanationEnd: (sentAt: UInt64, seenAt: UInt64)?
    /// The start of the newest probe that was silent.
    var lastStart: UInt64 = 0
    /// Silent probes since ``failingSince``.
    var failures = 0
    /// Consecutive probes that failed although packets came to the host.
    var stalls = 0
    /// Its newest results, without those of an outage that is over.
    var recent = RecentResults()
    /// The start of the newest result, or the time at which one was asked for.
    var askedAt: UInt64 = 0

    /// The begin of a failure that is older than all that is known of the target, and than every fault.
    static var unknownBegin: UInt64 { 0 }

    /// Whether it was down before anything that is known of it, and did not answer since.
    var wasDown: Bool { failingSince == Self.unknownBegin }
}

/// The routers to a place.
struct PlaceRoute: Sendable {
    let hops: [RouteHop]
    /// The number of the host's hop; nil when unknown.
    var length: Int?
    /// When the host answered the trace, in milliseconds since 1970; nil when it did not: they are only as far as the trace came.
    let seenAt: Int64?
}

/// The hosts to which one trace shows the way: those of a prefix, behind a gateway.
struct RoutePlace: Sendable, Hashable {
    let gateway: Gateway
    let prefix: IPPrefix

    init(_ gateway: Gateway, _ host: IPAddress) {
        self.gateway = gateway
        prefix = IPPrefix(host, length: host.family == .ipv4 ? 24 : 48)
    }
}
