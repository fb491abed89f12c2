// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Probing

/// Decides which automatic traces may start: an outage of many targets is traced by a sample. Pure; times are monotonic
/// nanoseconds.
struct TraceLimits {
    /// The maximum number of automatic traces in flight.
    static let concurrent = 8
    /// The time after which the same part of the network is traced again.
    static let samePlace: UInt64 = 30_000_000_000
    /// The time after which a target that still fails is traced again.
    static let sameTarget: UInt64 = 300_000_000_000
    /// The time after which the path to a target that answers is traced again.
    static let good: UInt64 = 86_400_000_000_000
    /// The same while changes of routes are reported.
    static let route: UInt64 = 3_600_000_000_000
    /// The same after a trace that showed another route.
    static let confirmation: UInt64 = 60_000_000_000
    /// The time between two traces of targets that answer.
    static let spacing: UInt64 = 500_000_000

    /// A part of the network: the next hop and the destination's prefix.
    struct Place: Hashable {
        let gateway: IPAddress?
        let prefix: IPPrefix

        init(gateway: IPAddress?, destination: IPAddress) {
            self.gateway = gateway
            prefix = IPPrefix(destination, length: destination.family == .ipv4 ? 24 : 48)
        }
    }

    private var places: [Place: UInt64] = [:]
    private var targets: [UInt64: UInt64] = [:]
    private(set) var inFlight = 0

    /// Returns whether the trace of a failed target may start now, and counts it then.
    mutating func startFailed(_ ordinal: UInt64, _ place: Place, at now: UInt64) -> Bool {
        if let last = targets[ordinal], now < last + Self.sameTarget { return false }
        if let last = places[place], now < last + Self.samePlace { return false }
        guard inFlight < Self.concurrent else { return false }
        if places.count >= 1_024 { places = places.filter { now < $0.value + Self.samePlace } }
        places[place] = now
        targets[ordinal] = now
        inFlight += 1
        return true
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

    /// Forgets a target that answers, or is gone.
    mutating func forget(_ ordinal: UInt64) { targets[ordinal] = nil }
}
