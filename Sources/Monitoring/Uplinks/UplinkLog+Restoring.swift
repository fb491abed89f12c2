// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The records of an earlier run.
extension UplinkLog {
    /// Adds the records of an earlier run. What happened in between is unknown: periods end with their last known moment, and
    /// an outage that lasted is resumed.
    package mutating func restore(_ stored: [Uplink], at now: UplinkTime) {
        count(to: now)
        for var earlier in stored.suffix(Self.capacity) {
            if earlier.periods.last?.to == nil { earlier.endUse(earlier.state, at: earlier.lastUsed) }
            guard let index = index(of: earlier.gateway) else {
                earlier.isRestored = true
                uplinks.append(earlier)
                continue
            }
            uplinks[index] = Self.merged(earlier, uplinks[index])
        }
        uplinks.sort { $0.firstSeen < $1.firstSeen }
        if let environment { follow(environment, at: now) }
        evict()
    }

    /// The record of an earlier run with what this run added.
    private static func merged(_ earlier: Uplink, _ later: Uplink) -> Uplink {
        var merged = later
        var before = earlier
        before.endOutage(.restored, at: later.firstSeen)
        merged.firstSeen = min(earlier.firstSeen, later.firstSeen)
        merged.periods = Array((before.periods + later.periods).suffix(Uplink.maximumIntervals))
        merged.outages = Array((before.outages + later.outages).suffix(Uplink.maximumIntervals))
        merged.outageCount = earlier.outageCount &+ later.outageCount
        merged.months.add(earlier.months)
        merged.gatewayLatency = later.gatewayLatency ?? earlier.gatewayLatency
        merged.publicHop = later.publicHop ?? earlier.publicHop
        return merged
    }
}
