// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses
package import NetworkPaths

/// The record of a default uplink: an interface and a gateway through which a default route led.
package struct Uplink: Sendable, Hashable {
    /// What it does.
    package enum State: String, Sendable, Hashable, CaseIterable {
        /// A default route leads through it.
        case inUse = "in_use"
        /// It failed, and no other network has replaced it.
        case lost
        /// The default route leads elsewhere.
        case unused
    }

    /// A period in which a default route led through it.
    package struct Period: Sendable, Hashable {
        /// The start.
        package let from: Timestamp
        /// The end; nil while it lasts.
        package internal(set) var to: Timestamp?
    }

    /// A round trip with its time.
    package struct Latency: Sendable, Hashable {
        /// The address that answered.
        package let address: IPAddress
        /// The round trip.
        package let roundTrip: Duration
        /// The time of the answer.
        package let at: Timestamp
    }

    /// The maximum number of periods and of outages; the oldest are removed.
    static let maximumIntervals = 100

    /// The gateway and its interface.
    package let gateway: DefaultGateway
    /// The start of its first use.
    package internal(set) var firstSeen: Timestamp
    /// The last moment at which it was known to be in use.
    package internal(set) var lastUsed: Timestamp
    /// What it does.
    package internal(set) var state: State
    /// The last periods of use, oldest first.
    package internal(set) var periods: [Period] = []
    /// The last outages, oldest first.
    package internal(set) var outages: [UplinkOutage] = []
    /// The number of outages since ``firstSeen``.
    package internal(set) var outageCount: UInt64 = 0
    /// The sums of the last months, oldest first.
    package internal(set) var months = UplinkMonths()
    /// The last answer of the gateway.
    package internal(set) var gatewayLatency: Latency?
    /// The first public address behind the gateway that answered in the last good trace.
    package internal(set) var publicHop: Latency?
    /// The first of the gateway's missing answers in a row, while they are no outage yet.
    var silentSince: UplinkTime?
    /// Whether it was restored and has not been in use since the start: its interface is then not observed.
    var isRestored = false

    /// Creates a record; nothing is in use yet.
    init(_ gateway: DefaultGateway, at now: Timestamp) {
        self.gateway = gateway
        firstSeen = now
        lastUsed = now
        state = .unused
    }

    /// The name: interface and address, `eth0-192.0.2.1`.
    package var id: String { (gateway.interface.map { "\($0)-" } ?? "") + gateway.address.description }

    /// The outage that lasts; nil without one.
    package var outage: UplinkOutage? { outages.last?.to == nil ? outages.last : nil }

    // MARK: Changes

    mutating func beginUse(at now: Timestamp) {
        if state == .inUse, periods.last?.to == nil, !periods.isEmpty { return }
        state = .inUse
        isRestored = false
        periods.append(Period(from: now))
        periods.removeFirst(max(periods.count - Self.maximumIntervals, 0))
        // The gateway's own silence ends with its answer.
        if outage?.cause != .gatewaySilent { endOutage(.restored, at: now) }
    }

    mutating func endUse(_ next: State, at now: Timestamp) {
        if !periods.isEmpty, periods[periods.count - 1].to == nil { periods[periods.count - 1].to = now }
        state = next
        silentSince = nil
    }

    /// Begins an outage, unless one lasts already.
    mutating func beginOutage(_ cause: UplinkOutage.Cause, at now: Timestamp) {
        guard outage == nil else { return }
        outages.append(UplinkOutage(from: now, cause: cause))
        outages.removeFirst(max(outages.count - Self.maximumIntervals, 0))
        outageCount += 1
    }

    /// Corrects the cause: routes go before their link, and a link that is removed goes down first.
    mutating func explainOutage(_ cause: UplinkOutage.Cause) {
        guard let outage else { return }
        let isRemoved = cause == .noInterface && outage.cause == .linkDown && outage.milliseconds < 1_000
        if outage.cause == .routeGone || isRemoved { outages[outages.count - 1].cause = cause }
    }

    mutating func endOutage(_ end: UplinkOutage.End, at now: Timestamp) {
        guard outage != nil else { return }
        outages[outages.count - 1].to = now
        outages[outages.count - 1].end = end
    }

    /// Counts elapsed time for what lasts.
    mutating func count(_ milliseconds: Int64, from start: Timestamp, to now: Timestamp) {
        if state == .inUse, periods.last?.to == nil {
            months.add(milliseconds, from: start, \.used)
            lastUsed = max(lastUsed, now)
        }
        if outage != nil {
            months.add(milliseconds, from: start, \.lost)
            outages[outages.count - 1].milliseconds += milliseconds
        }
    }
}

/// A moment by both clocks: durations are measured by the monotonic one.
package struct UplinkTime: Sendable, Hashable {
    /// The wall clock's.
    package let wall: Timestamp
    /// Monotonic nanoseconds.
    package let monotonic: UInt64

    /// Creates a moment.
    package init(wall: Timestamp, monotonic: UInt64) {
        self.wall = wall
        self.monotonic = monotonic
    }

    /// The milliseconds since an earlier moment.
    func milliseconds(since other: UplinkTime) -> Int64 {
        // The difference of rounded values, so that parts add up.
        max(Int64(clamping: monotonic / 1_000_000) - Int64(clamping: other.monotonic / 1_000_000), 0)
    }
}
