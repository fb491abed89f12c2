// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The newest evidence of this machine's connections for and against a target. Times are nanoseconds of the event loop's clock.
package struct TrafficStanding: Sendable, Hashable {
    /// When a connection that had been established and did not time out ended last.
    package private(set) var lastSuccess: UInt64?
    /// When an attempt failed or a connection timed out last.
    package private(set) var lastFailure: UInt64?
    /// How the last failure ended: `refused`, `unanswered` or `timedOut`.
    package private(set) var failure: EndedConnection.Ending?
    /// How many failures there were since the last success.
    package private(set) var failuresInARow = 0

    /// Without any evidence.
    package init() {}

    /// Adds a success.
    package mutating func succeed(at now: UInt64) {
        lastSuccess = now
        failuresInARow = 0
    }

    /// Adds a failure.
    package mutating func fail(_ ending: EndedConnection.Ending, at now: UInt64) {
        lastFailure = now
        failure = ending
        if failuresInARow < .max { failuresInARow += 1 }
    }
}

/// A connection that its observer may act on: a failure, a possible one, or the first success after failures or after a quiet time.
package struct TrafficChange: Sendable, Hashable {
    /// The target's id.
    package let target: String
    /// How the connection ended.
    package let ending: EndedConnection.Ending
    /// Which of the target's endpoints it was with.
    package let endpoint: TrafficEndpoint
    /// When it was reported, in nanoseconds of the event loop's clock.
    package let time: UInt64

    /// Creates a change.
    package init(target: String, ending: EndedConnection.Ending, endpoint: TrafficEndpoint, time: UInt64) {
        self.target = target
        self.ending = ending
        self.endpoint = endpoint
        self.time = time
    }

    /// Whether it is a failure.
    package var isFailure: Bool { ending.isFailure }

    /// Whether it may be a failure, and is not counted as one.
    package var isPossibleFailure: Bool { ending.isPossibleFailure }
}

/// All targets with connections at one moment.
package struct TrafficSnapshot: Sendable {
    /// By the target's id.
    package let summaries: [String: TrafficSummary]
    /// The share of the present minute and the one before in which ended connections were observed, from 0 to 1.
    package let share: Double

    /// Creates a snapshot.
    package init(summaries: [String: TrafficSummary], share: Double) {
        self.summaries = summaries
        self.share = share
    }
}

/// How many open connections to a target hung at one moment.
package struct HangingStanding: Sendable, Hashable {
    /// The moment, in nanoseconds of the event loop's clock.
    package let time: UInt64
    /// How many were examined.
    package let examined: Int
    /// Whether all were.
    package let isComplete: Bool
    /// Those that hung, by what they waited for.
    package let causes: [HangingConnection.Cause: Int]

    /// Counts the connections of a dump.
    package init(_ connections: HangingConnections, at time: UInt64) {
        self.time = time
        examined = connections.examined
        isComplete = connections.isComplete
        causes = connections.connections.reduce(into: [:]) { $0[$1.cause, default: 0] += 1 }
    }

    /// How many hung.
    package var count: Int { causes.values.reduce(0, +) }
}

/// What is known of a target's connections in a few figures.
package struct TrafficSummary: Sendable, Hashable {
    /// All connections since the target is watched.
    package var sinceStart = TrafficCounts()
    /// The newest evidence.
    package var standing = TrafficStanding()
    /// The median of the shortest round trips in the newest minute with connections, in microseconds; nil without any.
    package var medianRoundTrip: UInt32?
    /// The connections that hung when the target last failed; nil when they were not examined.
    package var hanging: HangingStanding?

    /// Without any connection.
    package init() {}
}
