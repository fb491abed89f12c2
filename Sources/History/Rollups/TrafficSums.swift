// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Traffic

/// This machine's own connections to a target in one minute, hour or day.
package struct TrafficSums: Sendable, Hashable {
    /// A counter with its name in JSON.
    struct Counter: Sendable {
        let name: String
        let path: any WritableKeyPath<TrafficSums, UInt64> & Sendable
    }

    /// The counters in the order in which files have them; it never changes, and new ones are appended.
    static let counters = [
        Counter(name: "minutes", path: \.minutes),
        Counter(name: "observed_thousandths", path: \.observedThousandths),
        Counter(name: "connections", path: \.connections),
        Counter(name: "refused", path: \.refused),
        Counter(name: "unanswered", path: \.unanswered),
        Counter(name: "reset", path: \.reset),
        Counter(name: "timed_out", path: \.timedOut),
        Counter(name: "segments", path: \.segments),
        Counter(name: "retransmissions", path: \.retransmissions),
        Counter(name: "bytes_sent", path: \.bytesSent),
        Counter(name: "bytes_received", path: \.bytesReceived),
    ]

    /// Minutes with connections or attempts.
    package internal(set) var minutes: UInt64 = 0
    /// The sum over ``minutes`` of the share in which connections were observed, in thousandths.
    var observedThousandths: UInt64 = 0
    /// Connections that had been established, however they ended.
    package internal(set) var connections: UInt64 = 0
    /// Attempts that the target answered with a reset.
    package internal(set) var refused: UInt64 = 0
    /// Attempts without any reply.
    package internal(set) var unanswered: UInt64 = 0
    /// Of ``connections``, those that one of the sides ended with a reset.
    package internal(set) var reset: UInt64 = 0
    /// Of ``connections``, those that ended while the peer did not acknowledge.
    package internal(set) var timedOut: UInt64 = 0
    /// Segments sent, retransmissions included.
    package internal(set) var segments: UInt64 = 0
    /// Segments sent again.
    package internal(set) var retransmissions: UInt64 = 0
    /// Payload bytes sent.
    package internal(set) var bytesSent: UInt64 = 0
    /// Bytes received.
    package internal(set) var bytesReceived: UInt64 = 0
    /// The medians of the minutes' round trips.
    package internal(set) var roundTrips = LatencySketch()

    /// No connection at all.
    package init() {}

    /// The connections of one minute.
    ///
    /// - Parameters:
    ///   - counts: what ended in it.
    ///   - roundTrip: their median round trip in microseconds; nil when none is known.
    ///   - share: the share of the minute in which connections were observed, from 0 to 1.
    init(_ counts: TrafficCounts, roundTrip: UInt32?, share: Double) {
        minutes = 1
        observedThousandths = UInt64((min(max(share, 0), 1) * 1_000).rounded())
        connections = UInt64(counts.connections)
        refused = UInt64(counts.refused)
        unanswered = UInt64(counts.unanswered)
        reset = UInt64(counts.reset)
        timedOut = UInt64(counts.timedOut)
        segments = counts.segmentsOut
        retransmissions = counts.retransmissions
        bytesSent = counts.bytesSent
        bytesReceived = counts.bytesReceived
        if let roundTrip { roundTrips.add(microseconds: UInt64(roundTrip)) }
    }

    /// Whether there was neither a connection nor an attempt.
    package var isEmpty: Bool { minutes == 0 }

    /// Attempts that failed.
    package var failed: UInt64 { refused &+ unanswered }

    /// The share of segments that were sent again, from 0 to 1; nil without any segment.
    package var retransmissionShare: Double? {
        segments == 0 ? nil : min(1, Double(retransmissions) / Double(segments))
    }

    /// The share of the minutes with connections in which they were observed, from 0 to 1. The counts are of that share.
    package var observedShare: Double { isEmpty ? 0 : Double(observedThousandths) / Double(minutes) / 1_000 }

    /// Adds other connections. Sums saturate: counts that are read from a file may be anything.
    mutating func add(_ other: TrafficSums) {
        for counter in Self.counters {
            let (sum, isTooMuch) = self[keyPath: counter.path].addingReportingOverflow(other[keyPath: counter.path])
            self[keyPath: counter.path] = isTooMuch ? .max : sum
        }
        roundTrips.merge(other.roundTrips)
    }

    /// Whether it could have come about.
    var isPossible: Bool {
        let (most, isTooMuch) = minutes.multipliedReportingOverflow(by: 1_000)
        return (isTooMuch || observedThousandths <= most) && roundTrips.count <= minutes
    }
}

/// Finds what ended between two looks at sums that only grow.
struct TrafficDifferences {
    private var known: [String: TrafficCounts] = [:]

    /// Takes the sums of all targets with connections.
    ///
    /// - Returns: What is new, by target; nothing for a target without a new connection.
    mutating func take(_ snapshot: TrafficSnapshot) -> [String: TrafficSums] {
        var new: [String: TrafficSums] = [:]
        for (id, summary) in snapshot.summaries {
            let counts = known[id].flatMap(summary.sinceStart.since) ?? summary.sinceStart
            guard counts != TrafficCounts() else { continue }
            new[id] = TrafficSums(counts, roundTrip: summary.medianRoundTrip, share: snapshot.share)
        }
        known = snapshot.summaries.mapValues(\.sinceStart)
        return new
    }
}
