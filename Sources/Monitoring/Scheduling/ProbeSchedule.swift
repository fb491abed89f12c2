// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// When one target's probes start: a grid of turns on the monotonic clock, start to start.
///
/// Turn k is due at `phase + k · interval`, give or take the jitter. The phase is a hash of the target's id, so that targets are
/// spread evenly over the interval, and always alike; the jitter is a hash of id and k. Nothing is added up, so that nothing
/// drifts: neither a late start nor a long probe moves a later turn. A shorter wait (while in doubt) counts from the last due
/// time and leaves the grid; the next ordinary one is back on it. A probe that takes longer than the wait delays its successor
/// and does not cancel it: a timeout as long as the interval must not halve the rate at which a silent target is asked.
package struct ProbeSchedule: Sendable, Hashable {
    /// The pause after a probe that took longer than the wait, in nanoseconds.
    private static let shortestWait: UInt64 = 1_000_000
    /// What the jitter may be, as a fraction of the interval to each side. Below a quarter, turns keep half an interval's distance.
    package static let jitterRange: ClosedRange<Double> = 0...0.25

    /// From turn to turn, in nanoseconds.
    package let interval: UInt64
    /// The place of the turns in the interval, in nanoseconds, less than ``interval``.
    package let phase: UInt64
    /// The most by which a turn is moved, in nanoseconds.
    package let jitter: UInt64
    private let hash: UInt64

    /// Creates the schedule of one target.
    ///
    /// - Parameters:
    ///   - id: the target's.
    ///   - interval: as in ``VerdictSettings``.
    ///   - jitter: a fraction of the interval.
    ///   - seed: another one for another machine, so that several do not ask one target at the same moments.
    /// - Throws: `interval` or `jitter`.
    package init(id: String, interval: Duration, jitter: Double = 0.1, seed: UInt64 = 0) throws(VerdictSettingsError) {
        guard VerdictSettings.intervalRange.contains(interval) else { throw VerdictSettingsError(code: .interval) }
        guard Self.jitterRange.contains(jitter) else { throw VerdictSettingsError(code: .jitter) }
        self.interval = interval.nanoseconds
        self.jitter = UInt64(Double(self.interval) * jitter)
        hash = StableHash.hash(id, seed: seed)
        phase = StableHash.scale(hash, below: self.interval)
    }

    /// The first turn: in the order of the phases, and sooner than the grid's where that is far away.
    ///
    /// - Parameters:
    ///   - start: the present moment, in monotonic nanoseconds.
    ///   - spread: over which time the first turns of all targets are spread; at most the interval is taken.
    package func first(at start: UInt64, spread: Duration) -> ProbeTurn {
        let spread = min(spread.nanoseconds, interval)
        return ProbeTurn(due: Self.sum(start, StableHash.scale(hash, below: spread)))
    }

    /// The turn after one that was due.
    ///
    /// - Parameters:
    ///   - now: the present moment, in monotonic nanoseconds. The turn is later: of what has passed the last is taken late if the
    ///     wait was a shorter one or less than half an interval has passed since; the rest is skipped and counted.
    ///   - lastDue: when the last probe was due, or, if it was not on the schedule, started.
    ///   - wait: how long to wait from due to due; nil for the interval. Shorter ones are kept as they are (a millisecond at least), longer ones are
    ///     rounded to whole intervals.
    package func next(after now: UInt64, lastDue: UInt64, wait: Duration? = nil) -> ProbeTurn {
        let wait = wait?.nanoseconds ?? interval
        return wait < interval
            ? offGrid(after: now, lastDue: lastDue, wait: max(wait, Self.shortestWait))
            : onGrid(after: now, earliest: Self.sum(lastDue, wait - interval / 2))
    }

    /// When a turn of the grid is due, in monotonic nanoseconds.
    package func due(ofTurn turn: UInt64) -> UInt64 {
        let (offset, isBeyondTime) = turn.multipliedReportingOverflow(by: interval)
        let nominal = isBeyondTime ? .max : Self.sum(phase, offset)
        guard jitter > 0 else { return nominal }
        let shift = StableHash.scale(StableHash.mix(hash &+ turn &* 0x9e37_79b9_7f4a_7c15), below: 2 * jitter + 1)
        let moved = Self.sum(nominal, shift)
        return moved > jitter ? moved - jitter : 0
    }

    private func offGrid(after now: UInt64, lastDue: UInt64, wait: UInt64) -> ProbeTurn {
        let passed = now < lastDue ? 0 : (now - lastDue) / wait
        guard passed > 0 else { return ProbeTurn(due: Self.sum(lastDue, wait)) }
        return ProbeTurn(due: Self.sum(now, Self.shortestWait), missed: passed - 1)
    }

    private func onGrid(after now: UInt64, earliest: UInt64) -> ProbeTurn {
        let wanted = firstTurn(notBefore: earliest)
        let due = due(ofTurn: wanted)
        guard due <= now else { return ProbeTurn(due: due) }
        if now - due < interval / 2 { return ProbeTurn(due: Self.sum(now, Self.shortestWait)) }
        // Jitter moves a turn by less than an interval, so that the one that is wanted is not far from here.
        var turn = max(wanted, firstTurn(notBefore: now > jitter ? now - jitter : 0))
        while self.due(ofTurn: turn) <= now, turn < .max / interval { turn += 1 }
        return ProbeTurn(due: self.due(ofTurn: turn), missed: turn - wanted)
    }

    private func firstTurn(notBefore time: UInt64) -> UInt64 {
        guard time > phase else { return 0 }
        return (time - phase - 1) / interval + 1
    }

    /// The clock ends after 584 years; a sum beyond that is its end.
    private static func sum(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let (sum, isBeyondTime) = left.addingReportingOverflow(right)
        return isBeyondTime ? .max : sum
    }
}

/// When a probe is to start.
package struct ProbeTurn: Sendable, Hashable {
    /// In monotonic nanoseconds.
    package let due: UInt64
    /// How many turns had passed before anybody could take them: they are skipped, never made up for.
    package let missed: UInt64

    /// Creates a turn.
    package init(due: UInt64, missed: UInt64 = 0) {
        self.due = due
        self.missed = missed
    }

    /// How much too late a start is, in nanoseconds; 0 when it is not.
    package func lag(ofStartAt start: UInt64) -> UInt64 { start > due ? start - due : 0 }
}
