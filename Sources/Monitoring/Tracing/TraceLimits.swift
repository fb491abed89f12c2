// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Probing

/// Decides which automatic traces may start: one trace serves all targets of a place. Pure; times are monotonic
/// nanoseconds.
struct TraceLimits {
    /// The maximum number of automatic traces in flight.
    static let concurrent = 8
    /// The time after which the same part of the network is traced again.
    static let samePlace: UInt64 = 30_000_000_000
    /// The time after which a target that still fails is traced again.
    static let sameTarget: UInt64 = 300_000_000_000
    /// The same for one place behind each gateway that a fault on the way explains: it may have moved, where no probe comes.
    static let moved: UInt64 = 60_000_000_000
    /// The time after which the path to a target that answers is traced again.
    static let good: UInt64 = 86_400_000_000_000
    /// The same while changes of routes are reported.
    static let route: UInt64 = 3_600_000_000_000
    /// The same after a trace that showed another route.
    static let confirmation: UInt64 = 60_000_000_000
    /// The maximum number of traces of failed targets behind one gateway.
    static let concurrentFailed = 2
    /// The time after which a path is traced again whose routers did not all answer, and how often.
    static let completion: UInt64 = 10_000_000_000
    static let completions = 3
    /// The time between two traces of targets that answer: routers send about one error a second.
    static let spacing: UInt64 = 2_000_000_000
    /// The same while no trace to the target's place is known.
    static let firstSpacing: UInt64 = 1_000_000_000

    /// A part of the network: the next hop and the destination's prefix.
    struct Place: Hashable {
        let gateway: IPAddress?
        let prefix: IPPrefix

        init(gateway: IPAddress?, destination: IPAddress) {
            self.gateway = gateway
            prefix = IPPrefix(destination, length: destination.family == .ipv4 ? 24 : 48)
        }
    }

    /// When the last trace for each place began, and when for each gateway.
    private var places: [Place: UInt64] = [:]
    private var gateways: [IPAddress?: UInt64] = [:]
    private(set) var inFlight = 0

    /// Returns whether the trace of a failed target may start now, and counts it then. It serves all targets of its place.
    ///
    /// - Parameters:
    ///   - since: when the target's first failure ended. A trace that began later answers its question.
    ///   - provenAt: when a packet was sent that came to the place, or ended the fault on the way there. A failure after that is a new
    ///     question.
    ///   - isExplained: whether its silence is explained without a trace to this place.
    ///   - doubtedAt: when that became doubtful; 0 for never.
    mutating func startFailed(
        _ place: Place,
        since: UInt64,
        provenAt: UInt64,
        isExplained: Bool = false,
        doubtedAt: UInt64 = 0,
        at now: UInt64
    ) -> Bool {
        let last = places[place]
        if isExplained, (last ?? 0) < since, (last ?? 0) >= doubtedAt {
            places[place] = now
            return false
        }
        if let last {
            let pause =
                if last < since {
                    provenAt > last ? 0 : Self.samePlace
                } else {
                    isExplained ? repetition(of: place, after: last, at: now) : Self.sameTarget
                }
            guard now >= last + pause else { return false }
        }
        guard inFlight < Self.concurrent else { return false }
        if places.count >= 1_024 {
            places = places.filter { now < $0.value + Self.sameTarget }
            gateways = gateways.filter { now < $0.value + Self.sameTarget }
        }
        places[place] = now
        gateways[place.gateway] = now
        inFlight += 1
        return true
    }

    /// The time after which a place is traced again for the same failure. The places behind a gateway take turns.
    private func repetition(of place: Place, after last: UInt64, at now: UInt64) -> UInt64 {
        let newest = gateways[place.gateway] ?? last
        guard now >= newest + Self.moved else { return Self.sameTarget }
        return newest == last ? Self.moved + Self.samePlace : Self.moved
    }

    /// Returns whether the trace of a target that answers may start now, and counts it then.
    mutating func startGood() -> Bool {
        // Traces of failed targets have precedence.
        guard inFlight < Self.concurrent / 2 else { return false }
        inFlight += 1
        return true
    }

    /// Counts the end of a trace.
    mutating func end() { inFlight -= 1 }
}
