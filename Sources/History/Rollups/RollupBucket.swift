// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring

/// What is known of one target in one minute, hour or day.
package struct RollupBucket: Sendable, Hashable {
    /// How long it was in each state.
    package internal(set) var times = StateDurations()
    /// The observed milliseconds of the bucket, from and to; the second is never less than the first.
    package internal(set) var first: Int64 = 0
    /// See ``first``.
    package internal(set) var end: Int64 = 0
    /// Probes that ended.
    package internal(set) var probes: UInt64 = 0
    /// Those of them that failed.
    package internal(set) var failures: UInt64 = 0
    /// How long those took that did not fail.
    package internal(set) var latencies = LatencySketch()
    /// This machine's own connections.
    package internal(set) var traffic = TrafficSums()

    /// Creates an empty bucket.
    package init() {}

    /// Creates a bucket of times alone.
    ///
    /// - Parameter milliseconds: how long it was in each state.
    package init(milliseconds: [TargetState: UInt64]) {
        for (state, time) in milliseconds { times[state] = time }
    }

    /// Whether it says nothing.
    package var isEmpty: Bool { times.observed == 0 && probes == 0 }

    /// Takes time in a state.
    ///
    /// - Parameters:
    ///   - state: the state.
    ///   - start: the first millisecond of the bucket, not before what it knows already.
    ///   - end: the millisecond behind the last.
    mutating func add(_ state: TargetState, from start: Int64, to end: Int64) {
        guard end > start else { return }
        if isEmpty { first = start }
        times[state] &+= UInt64(end - start)
        self.end = max(self.end, end)
    }

    /// Takes a probe that ended at a millisecond of the bucket.
    ///
    /// - Parameter microseconds: how long it took; nil for one that failed.
    mutating func add(probeOf microseconds: UInt64?, at moment: Int64) {
        if isEmpty { (first, end) = (moment, moment) }
        end = max(end, moment)
        probes &+= 1
        if let microseconds { latencies.add(microseconds: microseconds) } else { failures &+= 1 }
    }

    /// Takes all that a bucket says that is a part of this one.
    ///
    /// - Parameter offset: where the other begins in this one, in milliseconds.
    mutating func absorb(_ part: RollupBucket, at offset: Int64 = 0) {
        guard !part.isEmpty else { return }
        first = isEmpty ? part.first + offset : min(first, part.first + offset)
        end = max(end, part.end + offset)
        times.add(part.times)
        probes &+= part.probes
        failures &+= part.failures
        latencies.merge(part.latencies)
        traffic.add(part.traffic)
    }

    /// The same without this machine's connections.
    var withoutTraffic: RollupBucket {
        var bucket = self
        bucket.traffic = TrafficSums()
        return bucket
    }

    /// Adds the probes and latencies of another bucket, and neither its times nor its connections: the times of a fleet's target are
    /// those of its verdicts.
    package mutating func addProbes(of other: RollupBucket) {
        let (sum, isTooMuch) = probes.addingReportingOverflow(other.probes)
        (probes, failures) = (isTooMuch ? .max : sum, isTooMuch ? .max : failures &+ other.failures)
        latencies.merge(other.latencies)
    }

    /// What two lookers at the same bucket know together: both when one began after the other ended; else, because the same
    /// time must not count twice, that of the writer that observed more.
    func reconciled(with other: RollupBucket) -> RollupBucket {
        if isEmpty || self == other { return other }
        if other.isEmpty { return self }
        guard end <= other.first || other.end <= first else { return other.knowsMore(than: self) ? other : self }
        var both = self
        both.absorb(other)
        return both
    }

    /// Whether it saw more than another: more time, or as much time and more probes.
    func knowsMore(than other: RollupBucket) -> Bool {
        (times.observed, probes) > (other.times.observed, other.probes)
    }
}

/// How long a target was in each state, in milliseconds.
package struct StateDurations: Sendable, Hashable {
    /// The states in the order in which files have them; it never changes.
    static let order: [TargetState] = [.unknown, .up, .degraded, .down, .unreachable, .paused, .maintenance]

    var milliseconds: SIMD8<UInt64> = .zero

    /// No time at all.
    package init() {}

    /// The time in one state.
    package internal(set) subscript(state: TargetState) -> UInt64 {
        get { milliseconds[Self.place(of: state)] }
        set { milliseconds[Self.place(of: state)] = newValue }
    }

    /// The observed time, in any state.
    package var observed: UInt64 { milliseconds.wrappedSum() }

    /// The time in which it answered: `up` and `degraded`.
    package var up: UInt64 { self[.up] &+ self[.degraded] }

    /// The time about which it is known whether it answered: `up`, `degraded` and `down`.
    package var judged: UInt64 { up &+ self[.down] }

    mutating func add(_ other: StateDurations) { milliseconds &+= other.milliseconds }

    private static func place(of state: TargetState) -> Int {
        switch state {
        case .unknown: 0
        case .up: 1
        case .degraded: 2
        case .down: 3
        case .unreachable: 4
        case .paused: 5
        case .maintenance: 6
        }
    }
}

/// One bucket of one target.
package struct RollupSegment: Sendable, Hashable {
    /// The target's id.
    package let target: String
    /// When the bucket begins, in milliseconds since 1970.
    package let start: Int64
    /// What it says.
    package var bucket: RollupBucket

    init(target: String, start: Int64, bucket: RollupBucket) {
        self.target = target
        self.start = start
        self.bucket = bucket
    }
}
