// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// Decides which packet a trace sends next, and when it ends. Without clock and I/O; times are nanoseconds of any clock.
///
/// Routers limit their ICMP errors, Linux to one each second for a destination after a burst of six
/// (`net.ipv4.icmp_ratelimit`, icmp(7)). So packets are paced, nothing is sent beyond the destination once it is known,
/// and the last packet of a silent hop leaves more than a second after its first.
struct TracePlan {
    enum Step: Equatable {
        /// Send this packet now; it counts as sent.
        case send(TraceProbe)
        /// The packet's time is over.
        case giveUp(TraceProbe)
        /// Nothing to do before this time, without an answer.
        case wait(until: UInt64)
        case finish
    }

    /// The number of consecutive silent hops behind the last answering one after which nothing more is sent.
    static let gap = 8

    private let maximumHops: Int
    private let attempts: Int
    private let begin: UInt64
    private let deadline: UInt64
    private let pace: TracePace
    private(set) var record: TraceRecord
    private var lastSent: UInt64?
    /// Whether an answer did not name its packet: silent hops then get one packet each, one after the other.
    private(set) var isResolving = false
    private var resolved: Set<Int> = []
    /// Whether packets are sent in parallel although they are then of several flows.
    private(set) var isWide = false

    init(_ request: TraceRequest, pace: TracePace, begin: UInt64) {
        maximumHops = request.maximumHops
        attempts = request.attempts
        self.begin = begin
        deadline = begin + request.timeLimit.nanoseconds
        self.pace = pace
        record = TraceRecord(destination: request.destination)
    }

    // MARK: Answers

    /// Adds an answer.
    ///
    /// - Parameter probe: The packet that it answers; nil when the answer does not name it. It is then believed only
    ///   while a single packet is in flight.
    mutating func add(_ answer: TraceAnswer, to probe: TraceProbe?, at now: UInt64) {
        var answer = answer
        if let probe {
            record.add(answer, to: probe)
            return
        }
        let inFlight = record.inFlight
        guard isResolving, inFlight.count == 1, let only = inFlight.first, resolved.contains(only.probe.hop) else {
            isResolving = true
            record.addUnplaced(answer)
            return
        }
        answer.roundTrip = now - min(now, only.sent)
        record.add(answer, to: only.probe)
    }

    // MARK: Steps

    /// Returns the next step. A packet to send counts as sent now.
    mutating func next(at now: UInt64) -> Step {
        guard now < deadline, record.ownError == nil else { return .finish }
        let inFlight = record.inFlight
        if mustWiden(at: now, inFlight: inFlight.count) { isWide = true }
        var wake = deadline
        for (probe, sent) in inFlight {
            let end = sent + patience(for: probe)
            guard end > now else {
                record.expire(probe)
                return .giveUp(probe)
            }
            wake = min(wake, end)
        }
        let width = isResolving ? 1 : isWide ? pace.wideWidth : pace.width
        guard let (due, probe) = candidate(at: now) else {
            return inFlight.isEmpty ? .finish : .wait(until: wake)
        }
        guard inFlight.count < width else { return .wait(until: wake) }
        guard due <= now else { return .wait(until: min(wake, due)) }
        record.send(probe, at: now)
        lastSent = now
        if isResolving { resolved.insert(probe.hop) }
        return .send(probe)
    }

    /// The last hop that may get packets.
    private var horizon: Int {
        let lastAnswered = (1...max(1, record.hops.count)).last { record.isAnswered($0) } ?? 0
        return min(maximumHops, record.endHop ?? lastAnswered + Self.gap)
    }

    /// The packet that is due first; of those that are due, the one with the fewest attempts, then the nearest.
    private func candidate(at now: UInt64) -> (due: UInt64, probe: TraceProbe)? {
        var best: (due: UInt64, probe: TraceProbe)?
        for hop in 1...horizon {
            guard let due = due(hop).map({ max($0, now) }), due < deadline else { continue }
            let probe = TraceProbe(hop: hop, attempt: record.packets(of: hop).count + 1)
            if let best, (best.due, best.probe.attempt, best.probe.hop) <= (due, probe.attempt, hop) { continue }
            best = (due, probe)
        }
        return best
    }

    /// Returns the time of a hop's next packet; nil when it gets no more.
    private func due(_ hop: Int) -> UInt64? {
        let packets = record.packets(of: hop)
        let free = lastSent.map { $0 + pace.spacing } ?? begin
        if isResolving { return record.isAnswered(hop) || resolved.contains(hop) ? nil : free }
        guard packets.count < attempts else { return nil }
        guard let first = packets.first, let last = packets.last else { return free }
        var due = last.sent + pace.attemptSpacing
        if record.isAnswered(hop) {
            guard pace.repeatsAnswered else { return nil }
            if hop == record.destinationHop, record.destinationPackets >= attempts { return nil }
        } else if packets.count == attempts - 1 {
            // Late enough for a router's rate limit, early enough for the answer.
            let latest = deadline - min(deadline, lastPatience)
            due = max(due, min(first.sent + pace.lateRetry, latest))
        }
        return max(due, free)
    }

    // MARK: Waiting

    /// The time to wait for the answer to a packet, in nanoseconds.
    private func patience(for probe: TraceProbe) -> UInt64 {
        guard pace.width == 1 || isResolving, !isWide else {
            return probe.attempt > 1 && probe.attempt == attempts ? lastPatience : longPatience
        }
        let time = max(3 * min(record.largestRoundTrip, TracePace.longestRoundTrip), TracePace.patience)
        // Where one hop was silent, more will be.
        return probe.hop > 1 && !record.isAnswered(probe.hop - 1) ? time / 2 : time
    }

    private var longPatience: UInt64 { max(knownPatience, pace.longPatience) }

    /// The time to wait for the answer to the last packet of a hop: an answer from far away came to the one before.
    private var lastPatience: UInt64 { max(knownPatience, TracePace.lastPatience) }

    private var knownPatience: UInt64 { 3 * min(record.largestRoundTrip, TracePace.longestRoundTrip) }

    /// Whether the walk from hop to hop did not lead to an end, or would not within the time limit.
    private func mustWiden(at now: UInt64, inFlight: Int) -> Bool {
        guard pace.wideWidth > pace.width, record.endHop == nil, !record.hops.isEmpty else { return false }
        return now >= widening || inFlight == 0 && record.hops.count >= horizon
    }

    /// Leaves three eighths of the time for answers from far away.
    private var widening: UInt64 { begin + (deadline - begin) / 8 * 5 }
}

/// The pace of a trace; times in nanoseconds.
struct TracePace {
    /// The maximum number of packets in flight.
    var width: Int
    /// The maximum number of packets in flight when one after the other takes too long; not above `width` for never.
    var wideWidth = 0
    /// The time between two packets.
    var spacing: UInt64
    /// The time between two packets of a hop.
    var attemptSpacing: UInt64 = 50_000_000
    /// The time from the first to the last packet of a silent hop: more than the second in which Linux sends one ICMP
    /// error to a destination that has used up its burst.
    var lateRetry: UInt64 = 1_100_000_000
    /// The minimum time to wait for an answer when packets are in parallel.
    var longPatience: UInt64 = 300_000_000
    /// Whether hops that answered get the remaining attempts, for their round trips and loss.
    var repeatsAnswered: Bool

    /// The minimum time to wait for an answer when packets are sent one after the other.
    static let patience: UInt64 = 100_000_000
    /// The minimum time to wait for the answer to the last packet of a hop, with which a silent trace ends.
    static let lastPatience: UInt64 = 300_000_000
    /// The largest round trip that counts: a router must not stop the trace with late answers.
    static let longestRoundTrip: UInt64 = 300_000_000

    /// One socket for all packets: all hops at once.
    static let parallel = TracePace(width: .max, spacing: 5_000_000, repeatsAnswered: true)
    /// One connection after the other, on one port.
    static let sequential = TracePace(
        width: 1,
        wideWidth: 16,
        spacing: 0,
        longPatience: 500_000_000,
        repeatsAnswered: false
    )

    init(
        width: Int,
        wideWidth: Int = 0,
        spacing: UInt64,
        longPatience: UInt64 = 300_000_000,
        repeatsAnswered: Bool
    ) {
        self.width = width
        self.wideWidth = wideWidth
        self.spacing = spacing
        self.longPatience = longPatience
        self.repeatsAnswered = repeatsAnswered
    }
}
