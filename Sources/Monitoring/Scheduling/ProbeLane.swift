// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The probes of one address: how many are active, and those that are due and wait for their turn.
///
/// The address is protected from bursts, such as that of all its targets at once when the path returns. While places are free,
/// probes start at once. While none is, the next one starts ``spacing`` after the last start; closer than that if so many
/// wait that one would wait longer than ``longestWait``. A host that answers is therefore asked by few probes at a time, and a
/// host that does not answer delays none of its probes by more than ``longestWait``: a probe that only waits for an
/// answer costs a silent host nothing.
struct ProbeLane: Sendable {
    /// From start to start while no place is free, in nanoseconds: two of the driver's steps.
    static let spacing: UInt64 = 20_000_000
    /// The longest time that a probe waits for its address, in nanoseconds.
    static let longestWait: UInt64 = 1_000_000_000

    /// How many probes run or are ready to.
    private(set) var active = 0
    /// How many wait.
    private(set) var waiting = 0
    /// Entries in memory, including withdrawn ones that were not dropped yet.
    var entryCount: Int { line.count - head }
    var isEmpty: Bool { active == 0 && waiting == 0 }
    /// The time of the last start of a probe, in monotonic nanoseconds.
    private var lastStart: UInt64 = 0
    private var line: [QueuedProbe] = []
    private var head = 0

    /// Adds a probe to the end of the line.
    mutating func enter(_ item: QueuedProbe) {
        line.append(item)
        waiting += 1
    }

    /// A waiting probe was withdrawn; its entry is no longer live.
    mutating func withdrawWaiting() { waiting -= 1 }

    /// A probe that was active ended or was withdrawn.
    mutating func release() { active -= 1 }

    /// Takes the next probe that may start at `now`; nil when there is none yet.
    ///
    /// - Parameters:
    ///   - places: how many may be active at a time without spacing.
    ///   - isLive: whether an entry was not withdrawn.
    mutating func next(at now: UInt64, places: Int, isLive: (QueuedProbe) -> Bool) -> QueuedProbe? {
        dropWithdrawn(isLive)
        guard head < line.count else { return nil }
        if active < places {
            lastStart = max(lastStart, now)
        } else {
            let turn = turn(of: line[head])
            guard turn <= now else { return nil }
            lastStart = turn
        }
        defer {
            head += 1
            waiting -= 1
            active += 1
        }
        return line[head]
    }

    /// When the first in line may start at the latest, in monotonic nanoseconds; nil when none waits. After ``next(at:places:isLive:)``.
    var nextTurn: UInt64? { head < line.count ? turn(of: line[head]) : nil }

    private func turn(of item: QueuedProbe) -> UInt64 {
        let latest = item.admitted &+ Self.longestWait
        let rest = latest > lastStart ? (latest - lastStart) / UInt64(max(waiting, 1)) : 0
        return max(lastStart &+ min(Self.spacing, rest), item.admitted)
    }

    private mutating func dropWithdrawn(_ isLive: (QueuedProbe) -> Bool) {
        if entryCount > 2 * waiting + 64 {
            line = line[head...].filter(isLive)
            head = 0
        }
        while head < line.count, !isLive(line[head]) { head += 1 }
        // Entries that were passed are dropped at a cost that passing them has paid for.
        if head > 64, 2 * head > line.count {
            line.removeFirst(head)
            head = 0
        }
    }
}

/// When the first in an address's line has its turn.
struct LaneTurn<Address: Hashable & Sendable>: Comparable, Sendable {
    let time: UInt64
    let address: Address

    static func < (left: Self, right: Self) -> Bool { left.time < right.time }
}

/// An entry in one of the queue's lines: the earlier due is first, of the same due the earlier given.
struct QueuedProbe: Comparable, Sendable {
    let due: UInt64
    let token: UInt64
    let id: UInt64
    /// When the queue was first asked for it after it was due: the thread's lateness ends here, and waiting for a place begins.
    var admitted: UInt64 = 0

    static func < (left: QueuedProbe, right: QueuedProbe) -> Bool { (left.due, left.token) < (right.due, right.token) }
    static func == (left: QueuedProbe, right: QueuedProbe) -> Bool { left.token == right.token }
}

/// A probe that is to start now.
package struct ProbeStart: Sendable, Hashable {
    /// The target's number, as given to ``ProbeScheduler/schedule(_:due:address:)``.
    package let id: UInt64
    /// When it was due, in monotonic nanoseconds.
    package let due: UInt64
    /// Scheduler lag, in nanoseconds: how much later than due the queue was asked for it. Only a thread that is late has lag.
    package let lag: UInt64
    /// How long it then waited for a place under the queue's own limits, in nanoseconds. That is no lag: the probe has all of its
    /// timeout once it starts.
    package let wait: UInt64

    init(id: UInt64, due: UInt64, lag: UInt64, wait: UInt64 = 0) {
        self.id = id
        self.due = due
        self.lag = lag
        self.wait = wait
    }

    /// How much later than due it starts, in nanoseconds.
    package var lateness: UInt64 { lag + wait }
}
