// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses

/// The next hop of this machine's packets.
package typealias Gateway = ScopedAddress

/// The answers at one distance.
package struct RouteHop: Sendable, Hashable {
    /// The number of addresses that are known for one hop.
    static let maximumAddresses = 8

    /// The distance, from 1.
    package let hop: Int
    /// The addresses that answered; empty for none.
    package let addresses: [IPAddress]

    /// Creates a hop.
    package init(_ hop: Int, _ addresses: [IPAddress]) {
        self.hop = hop
        self.addresses = Array(addresses.prefix(Self.maximumAddresses))
    }
}

/// What the caller says of a witness, and gets back with the reading. No parameter of the types here: with one, their dictionaries are not
/// specialized, and a response costs twice as much.
package typealias FaultEvidence = any Sendable

/// A fault on the way: packets come to a router and not to what is behind it.
package struct PathFault: Sendable {
    /// What shows a fault.
    package enum Witness: String, Sendable, Hashable {
        /// A trace ended behind a router that was not the last one.
        case trace
        /// A router reported that it does not forward.
        case report
        /// Two hosts or more are silent, and none behind the same place responds.
        case silence
        /// Hosts behind the same place are silent now and then.
        case loss
    }

    /// What shows it.
    package internal(set) var witness: Witness
    /// The last router that packets reach; nil when not even the gateway is known to.
    package internal(set) var last: RouteHop?
    /// The router that followed before; nil when none is known, or when hosts follow.
    package internal(set) var following: RouteHop?
    /// When a trace showed the way last, in milliseconds since 1970; nil for never.
    package let seenAt: Int64?
    /// The network behind the last router, when hosts follow.
    package internal(set) var network: IPPrefix?
    /// A later packet that passes ends the fault; nanoseconds of the monotonic clock.
    package let since: UInt64
    /// When the packet was sent that was reported last.
    package internal(set) var renewedAt: UInt64 = 0
    /// What the caller said of the witness.
    package internal(set) var evidence: FaultEvidence?
    /// The router that reported it.
    package internal(set) var reporter: IPAddress?
    /// When a packet was sent that ended a fault beside it, behind the same router: this one may be elsewhere now, and what traces showed
    /// before is no explanation; 0 for never.
    package internal(set) var doubtedAt: UInt64 = 0
    /// Consecutive reports of other routers.
    var others = 0
    /// Whether the targets behind it were asked.
    var isAsked = false
    /// Whether packets go round in circles behind ``last``, so that routers before it and behind it answer traces.
    var isLoop = false

    /// Notes when a packet was sent that was reported.
    mutating func renew(_ start: UInt64) { renewedAt = max(renewedAt, start) }
}

/// What explains that a target is silent.
package enum SilenceReading: Sendable {
    /// The host, or what it runs. `isProven`: packets reached its network since it fell silent.
    case host(isProven: Bool)
    /// A fault on the way.
    case path(PathFault)
    /// What was reported of this target alone, such as a firewall that rejects its port.
    case own(FaultEvidence)
}

/// Between which packets the fault began that a target fails for, by the monotonic clock in nanoseconds.
package struct FaultOnset: Sendable, Hashable {
    /// The start of the newest packet for which the element at fault still worked; 0 when none is known.
    package let workedAt: UInt64
    /// The start of a probe of the target that failed for it.
    package let failedAt: UInt64
    /// When the target's failures began, since its last answer or the end of another fault that explained them.
    package let failingSince: UInt64

    /// Creates an onset.
    package init(workedAt: UInt64, failedAt: UInt64, failingSince: UInt64) {
        (self.workedAt, self.failedAt, self.failingSince) = (workedAt, failedAt, failingSince)
    }
}
