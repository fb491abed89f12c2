// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The echo statistics of a run.
package struct ICMPStatistics: Sendable, Hashable {
    /// The requests sent.
    package internal(set) var sent = 0
    /// The requests answered in time; duplicate replies are ignored.
    package internal(set) var received = 0
    /// The shortest round trip; nil without a reply, as are the following.
    package internal(set) var minimum: Duration?
    /// The mean of the round trips.
    package internal(set) var average: Duration?
    /// The longest round trip.
    package internal(set) var maximum: Duration?
    /// The mean difference between successive round trips; nil with fewer than two replies.
    package internal(set) var jitter: Duration?
    /// The received hop limit (IPv4: TTL) of the last reply; nil without a reply, or when the kernel does not report
    /// it.
    package internal(set) var hopLimit: UInt8?

    /// The share of requests without a reply, 0 to 1.
    package var loss: Double { sent == 0 ? 0 : Double(sent - received) / Double(sent) }

    /// Computes the statistics from the round trips in nanoseconds, in the order of sending; nil where no reply came.
    init(roundTrips: [UInt64?], hopLimit: UInt8? = nil) {
        self.hopLimit = hopLimit
        let times = roundTrips.compactMap { $0 }
        sent = roundTrips.count
        received = times.count
        guard let least = times.min(), let most = times.max() else { return }
        minimum = .nanoseconds(least)
        maximum = .nanoseconds(most)
        average = .nanoseconds(times.reduce(0, +) / UInt64(times.count))
        guard times.count > 1 else { return }
        let steps = zip(times, times.dropFirst()).reduce(UInt64(0)) { $0 + ($1.0 > $1.1 ? $1.0 - $1.1 : $1.1 - $1.0) }
        jitter = .nanoseconds(steps / UInt64(times.count - 1))
    }
}

extension ICMPStatistics: ProbeAnswer {
    package static let kind: StaticString = "icmp"

    package static let facts: [Fact<Self>] = [
        Fact("sent", "Requests") { .integer($0.sent) },
        Fact("received", "Replies") { .integer($0.received) },
        Fact("min_seconds", "Shortest round trip") { $0.minimum.map(FactValue.duration) },
        Fact("avg_seconds", "Average round trip") { $0.average.map(FactValue.duration) },
        Fact("max_seconds", "Longest round trip") { $0.maximum.map(FactValue.duration) },
        Fact("jitter_seconds", "Jitter") { $0.jitter.map(FactValue.duration) },
        Fact("hop_limit", "Hop limit") { $0.hopLimit.map { .integer(Int($0)) } },
    ]

    package func summary(_ words: (Duration) -> String) -> String {
        let times = [("min", minimum), ("avg", average), ("max", maximum)].compactMap { name, time in
            time.map { "\(name) \(words($0))" }
        }
        return (["\(received) of \(sent) replies"] + times).joined(separator: ", ")
    }

    package var responseTime: Duration? { average }
    package var hidingAddress: Self? { self }
}

extension ProbeResult {
    /// The echo requests of an icmp probe.
    package var icmp: ICMPStatistics? { answers.first() }
}
