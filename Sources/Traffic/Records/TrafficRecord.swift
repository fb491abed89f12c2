// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A target's traffic by minute: a ring of the minutes that had any.
///
/// Pure; times are nanoseconds of a monotonic clock, and minutes are counted from its zero. Nothing runs when a minute ends: the next
/// connection, or a reading, finds that it is over. A target costs nothing until its first connection, and at most ``maximumBytes``,
/// 5.5 KB, then: 80 bytes for each minute with traffic, and 128 for the round trips of the present one.
struct TrafficRecord {
    /// A minute with traffic.
    struct Minute {
        let number: UInt64
        var counts = TrafficCounts()
        /// The median of a minute that is over; of the present one ``TrafficRecord/sample`` has it.
        var median: UInt32?
    }

    /// How many minutes are kept, the present one included.
    static let capacity = 60
    /// The most that a record uses: 60 minutes, the sample of the present one, and the record itself. The arrays grow to powers of two
    /// at most, with 32 bytes each of their own.
    static let maximumBytes =
        64 * MemoryLayout<Minute>.stride + 32 * MemoryLayout<UInt32>.stride + 64 + MemoryLayout<TrafficRecord>.stride

    private(set) var minutes: [Minute] = []
    private var sample: RoundTripSample
    private(set) var standing = TrafficStanding()
    /// The connections that hung when the target last failed.
    var hanging: HangingStanding?
    /// All connections since the first, for counters that only grow.
    private(set) var total = TrafficCounts()
    /// When a failure was last reported; nil when a success was reported after it.
    private var lastReport: UInt64?
    /// From when a possible failure is reported again. Successes do not change it: a program that tries two addresses at once abandons
    /// one attempt for each connection that succeeds.
    private var possibleFailureDue: UInt64 = 0

    /// The least time between two reports of failures, and of possible ones, in nanoseconds: a program that retries in a loop must not
    /// make its observer run as often.
    static let reportInterval: UInt64 = 1_000_000_000
    /// After how long without a success the next one is reported, in nanoseconds.
    static let quietTime: UInt64 = 10_000_000_000

    /// - Parameter seed: Where the pseudorandom sequence of the sample begins.
    init(seed: UInt64) {
        sample = RoundTripSample(seed: seed)
    }

    /// Adds a connection that ended now.
    ///
    /// - Returns: Whether to report it: a failure or a possible one, each at most once a second, and the first success after a reported
    ///   failure or after ``quietTime`` without a success.
    mutating func add(_ connection: EndedConnection, at now: UInt64) -> Bool {
        let number = now / ObservedTime.minute
        if minutes.last.map({ $0.number < number }) ?? true { begin(number) }
        let index = minutes.count - 1
        minutes[index].counts.add(connection)
        total.add(connection)
        if let roundTrip = connection.minimumRoundTrip {
            sample.add(roundTrip)
        }
        if connection.isFailure {
            standing.fail(connection.ending, at: now)
            if let lastReport, now < lastReport + Self.reportInterval { return false }
            lastReport = now
            return true
        }
        if connection.isPossibleFailure {
            guard now >= possibleFailureDue else { return false }
            possibleFailureDue = now + Self.reportInterval
            return true
        }
        guard connection.isSuccess else { return false }
        let isQuiet = standing.lastSuccess.map { now >= $0 + Self.quietTime } ?? true
        standing.succeed(at: now)
        defer { lastReport = nil }
        return isQuiet || lastReport != nil
    }

    /// The sums and the newest evidence.
    var summary: TrafficSummary {
        var summary = TrafficSummary()
        (summary.sinceStart, summary.standing, summary.medianRoundTrip) = (total, standing, sample.median)
        summary.hanging = hanging
        return summary
    }

    /// The minutes among the last so many, the present one included, that had traffic, the oldest first.
    func minutes(last count: Int, at now: UInt64) -> [Minute] {
        let present = now / ObservedTime.minute
        let first = present - min(present, UInt64(max(1, min(count, Self.capacity)) - 1))
        var result = minutes.filter { $0.number >= first }
        if let newest = minutes.last, newest.number >= first { result[result.count - 1].median = sample.median }
        return result
    }

    private mutating func begin(_ number: UInt64) {
        if !minutes.isEmpty {
            minutes[minutes.count - 1].median = sample.median
            sample.removeAll()
        }
        // Minutes beyond the ring's length of time are dropped with it, so that a reading never shows them.
        let oldest = number - min(number, UInt64(Self.capacity - 1))
        if let first = minutes.first, first.number < oldest { minutes.removeAll { $0.number < oldest } }
        minutes.append(Minute(number: number))
    }
}
