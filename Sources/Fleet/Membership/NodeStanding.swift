// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring

/// How a node stands in its fleet, for `/status`, `/readyz` and metrics.
package struct NodeStanding: Sendable, Hashable {
    /// The phase of the membership; raw values are stable names.
    package enum Phase: String, Sendable, Hashable, CaseIterable {
        /// Not registered yet.
        case joining
        /// Registered. Whether the lease is valid depends on the time: ``NodeStanding/validUntil``.
        case member
        /// Another process with the same name owns it. This one reports nothing until it is restarted.
        case replaced
        /// The node left the fleet.
        case departed
    }

    /// A time without the database.
    package struct Outage: Sendable, Hashable {
        /// When the first attempt failed, by this machine's wall clock.
        package let since: Timestamp
        /// Why the last attempt failed.
        package let fault: FleetFault
    }

    /// The phase.
    package let phase: Phase
    /// The identity; nil before the registration.
    package let identity: NodeIdentity?
    /// The incarnation of the process that owns the name now; nil unless ``phase`` is `replaced`.
    package let replacedBy: Int64?
    /// When the lease ends, in nanoseconds of the event loop's clock; nil without a lease.
    package let validUntil: UInt64?
    /// Whether renewals are withheld because the node does not work as it should.
    package let isHealthy: Bool
    /// Since when the database is unreachable or refuses statements; nil while it is usable.
    package let outage: Outage?
    /// How many local events are not reported yet. An estimate: only zero is exact.
    package let backlog: UInt64
    /// When the oldest observation that is not reported yet was made, by this machine's wall clock; nil without a backlog.
    package let oldestUnreported: Duration?
    /// How many reports were not sent: their shard belongs to another node, or the database rejected their values.
    package let droppedReports: UInt64
    /// How far the database's clock is ahead of this machine's, and the last round trip.
    package let skew: ClockSkew
    /// The last answer to a renewal; nil before the first.
    package let answer: LeaseAnswer?

    /// Whether the database answered the last statements.
    package var isDatabaseUsable: Bool { outage == nil && answer != nil }

    /// Whether ``FleetSession/standingChanged`` reports the difference. The other values change with every renewal.
    func differsNotably(from other: NodeStanding) -> Bool {
        phase != other.phase || identity != other.identity || isHealthy != other.isHealthy || outage != other.outage
    }
}
