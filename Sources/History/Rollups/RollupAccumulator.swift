// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// Measures how long targets are in which state, and gathers the results of their probes, a minute at a time.
///
/// A value without a clock. Lengths are the monotonic clock's, places are the wall clock's; where the two part:
///
/// | what happened | what is counted |
/// | --- | --- |
/// | a gap of more than three minutes: stopped, frozen, suspended | nothing since the last observation |
/// | the wall clock was set forward | what passed; the time that it jumped over is unobserved |
/// | it was set back by up to an hour | nothing until it shows again what it showed before |
/// | it was set back by more | what passes, from where it is now; a minute that was written before keeps whichever says more |
struct RollupAccumulator {
    private struct Entry {
        let ordinal: UInt64
        let target: String
        var state: TargetState
        /// Up to where its time was counted, in milliseconds of the wall clock.
        var mark: Int64
        /// Where the bucket begins.
        var minute: Int64
        var bucket = RollupBucket()
    }

    /// Milliseconds between two looks that are still one stretch.
    static let longestPause: Int64 = 180_000
    /// Milliseconds by which the clocks may part before one was set.
    static let tolerance: Int64 = 1_000
    /// Milliseconds that the wall clock is waited for when it was set back.
    static let patience: Int64 = 3_600_000
    /// Milliseconds after which the clocks are compared from anew, so that one that is being slewed was not set.
    private static let anchorAge: Int64 = 10_000

    private var entries: [Entry] = []
    private var places: [UInt64: Int] = [:]
    /// Minutes that are over and not written, oldest first.
    private(set) var finished: [RollupSegment] = []
    private(set) var wall: Int64
    private var monotonic: UInt64
    private var anchor: (wall: Int64, monotonic: UInt64)

    /// - Parameters:
    ///   - wall: milliseconds since 1970.
    ///   - monotonic: nanoseconds.
    init(wall: Int64, monotonic: UInt64) {
        self.wall = wall
        self.monotonic = monotonic
        anchor = (wall, monotonic)
    }

    var count: Int { entries.count }

    // MARK: Time

    /// Takes the current time; to be called before any event, and at least once a minute.
    mutating func look(wall: Int64, monotonic: UInt64) {
        let now = max(monotonic, self.monotonic)
        let passed = Int64(clamping: (now - anchor.monotonic) / 1_000_000)
        if Int64(clamping: (now - self.monotonic) / 1_000_000) > Self.longestPause {
            jump(from: self.wall, to: wall)
            anchor = (wall, now)
        } else if (wall - anchor.wall - passed).magnitude > UInt64(Self.tolerance) {
            jump(from: max(self.wall, anchor.wall + passed), to: wall)
            anchor = (wall, now)
        } else if passed > Self.anchorAge {
            anchor = (wall, now)
        }
        self.wall = wall
        self.monotonic = now
    }

    private mutating func jump(from end: Int64, to wall: Int64) {
        for place in entries.indices {
            count(place, to: end)
            let mark = entries[place].mark
            if wall > mark || mark - wall > Self.patience { move(place, to: wall) }
        }
    }

    /// Goes on at another moment, without counting what is between.
    private mutating func move(_ place: Int, to moment: Int64) {
        entries[place].mark = moment
        let minute = RollupResolution.minute.start(of: moment)
        guard minute != entries[place].minute else { return }
        finish(place)
        entries[place].minute = minute
    }

    private mutating func count(_ place: Int, to moment: Int64) {
        let length = RollupResolution.minute.length
        while entries[place].mark < moment {
            let minute = entries[place].minute
            let end = min(moment, minute + length)
            entries[place].bucket.add(entries[place].state, from: entries[place].mark - minute, to: end - minute)
            entries[place].mark = end
            guard end == minute + length else { return }
            finish(place)
            entries[place].minute = end
        }
    }

    private mutating func finish(_ place: Int) {
        let entry = entries[place]
        guard !entry.bucket.isEmpty else { return }
        finished.append(RollupSegment(target: entry.target, start: entry.minute, bucket: entry.bucket))
        entries[place].bucket = RollupBucket()
    }

    // MARK: Targets

    /// A target is there, since a moment that was a little ago; one that is known already is another one.
    mutating func add(_ ordinal: UInt64, target: String, state: TargetState, at moment: Int64) {
        remove(ordinal, at: moment)
        let isRecent = moment <= wall && wall - moment <= Self.longestPause
        let mark = isRecent ? moment : wall
        places[ordinal] = entries.count
        entries.append(
            Entry(
                ordinal: ordinal,
                target: target,
                state: state,
                mark: mark,
                minute: RollupResolution.minute.start(of: mark)
            )
        )
    }

    /// A target's state is another since a moment.
    mutating func change(_ ordinal: UInt64, to state: TargetState, at moment: Int64) {
        guard let place = places[ordinal] else { return }
        count(place, to: min(moment, wall))
        entries[place].state = state
    }

    /// A target is gone since a moment.
    mutating func remove(_ ordinal: UInt64, at moment: Int64) {
        guard let place = places.removeValue(forKey: ordinal) else { return }
        count(place, to: min(moment, wall))
        finish(place)
        let last = entries.removeLast()
        guard place < entries.count else { return }
        entries[place] = last
        places[last.ordinal] = place
    }

    /// Skips an unobserved gap: states are as they are now, and the gap is not counted.
    ///
    /// - Parameters:
    ///   - targets: all that there are.
    ///   - moment: up to when everything was known.
    mutating func replace(
        _ targets: [(ordinal: UInt64, target: String, state: TargetState)],
        knownUntil moment: Int64
    ) {
        let kept = Set(targets.map(\.ordinal))
        for ordinal in Array(places.keys) where !kept.contains(ordinal) { remove(ordinal, at: moment) }
        for (ordinal, target, state) in targets {
            guard let place = places[ordinal], entries[place].target == target else {
                add(ordinal, target: target, state: state, at: wall)
                continue
            }
            count(place, to: min(moment, wall))
            if wall > entries[place].mark { move(place, to: wall) }
            entries[place].state = state
        }
    }

    /// A probe ended now.
    ///
    /// - Parameter microseconds: how long it took; nil when it failed.
    /// - Returns: Whether the target is known.
    @discardableResult
    mutating func take(probeOf microseconds: UInt64?, target ordinal: UInt64) -> Bool {
        guard let place = places[ordinal] else { return false }
        count(place, to: wall)
        let entry = entries[place]
        entries[place].bucket.add(probeOf: microseconds, at: entry.mark - entry.minute)
        return true
    }

    /// Adds connections of the last minute, in the bucket that is open: after a minute's end and before its time is counted, that
    /// minute's.
    mutating func take(traffic: TrafficSums, target ordinal: UInt64) {
        guard let place = places[ordinal] else { return }
        entries[place].bucket.traffic.add(traffic)
    }

    // MARK: What comes of it

    /// Counts some targets' time up to the last look.
    mutating func settle(_ range: Range<Int>) {
        for place in range.clamped(to: entries.indices) { count(place, to: wall) }
    }

    /// Ends every minute where it is.
    mutating func finishAll() {
        for place in entries.indices {
            count(place, to: wall)
            finish(place)
        }
    }

    /// Forgets the oldest of ``finished``: they are written, or there are too many.
    mutating func forget(_ count: Int) { finished.removeFirst(min(count, finished.count)) }

    /// All unwritten buckets of a target, the current minute last.
    mutating func unwritten(_ ordinal: UInt64, target: String) -> [RollupSegment] {
        var pieces = finished.filter { $0.target == target }
        if let place = places[ordinal] {
            count(place, to: wall)
            // Counting may have ended a minute.
            pieces = finished.filter { $0.target == target }
            let entry = entries[place]
            if !entry.bucket.isEmpty {
                pieces.append(RollupSegment(target: target, start: entry.minute, bucket: entry.bucket))
            }
        }
        return pieces
    }
}
