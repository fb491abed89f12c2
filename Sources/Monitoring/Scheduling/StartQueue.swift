// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Which probe starts next: due times in a heap, and caps on how many run, in all and for an address.
///
/// Who is due and over the cap of its address waits in that address's line; who is due and over the cap in all waits in the order
/// of the due times. Targets whose last probe timed out take at most half of all places (``StartLimits/suspects``), so that an
/// outage of any number of them, once they are known, delays nobody else. Each target, named by a number that its driver gives, runs at most once
/// at a time.
///
/// The driver's loop: `while let start = queue.start(at: now) { … }`, sleep until ``nextDue``, and for each probe that ended
/// ``finish(_:timedOut:)``, then schedule its next turn and start again. All operations are O(log n), but to take back
/// one that waits in the line of its address.
public struct StartQueue<Address: Hashable & Sendable>: Sendable {
    private enum Stage: Sendable {
        case idle
        case scheduled
        case waiting
        case ready
        case running(asSuspect: Bool)
    }

    private struct Entry: Sendable {
        var stage: Stage = .idle
        var token: UInt64 = 0
        var address: Address?
        var isSuspect = false
        var isRemoved = false
        var again: (due: UInt64, address: Address?)?
    }

    private struct Lane: Sendable {
        /// How many run or are ready to.
        var claimed = 0
        var line: [StartItem] = []
        var head = 0

        var isEmpty: Bool { head == line.count }

        mutating func removeFirst() -> StartItem {
            let item = line[head]
            head += 1
            if head > 64, 2 * head > line.count {
                line.removeFirst(head)
                head = 0
            }
            return item
        }
    }

    /// How many may run.
    public let limits: StartLimits
    /// How many run.
    public private(set) var runningCount = 0
    private var runningSuspects = 0
    private var entries: [UInt64: Entry] = [:]
    private var lanes: [Address: Lane] = [:]
    private var scheduled = BinaryHeap<StartItem>()
    private var trusted = BinaryHeap<StartItem>()
    private var suspects = BinaryHeap<StartItem>()
    private var lastToken: UInt64 = 0

    /// Creates an empty queue.
    public init(limits: StartLimits = .standard) {
        self.limits = limits
    }

    /// Sets when a target's next probe is due, instead of what was set before. While it runs this is kept for its end.
    ///
    /// - Parameters:
    ///   - due: in monotonic nanoseconds.
    ///   - address: whose cap counts; nil for none, which this machine's own addresses should have.
    public mutating func schedule(_ id: UInt64, due: UInt64, address: Address?) {
        var entry = entries[id] ?? Entry()
        entry.isRemoved = false
        if case .running = entry.stage {
            entry.again = (due, address)
            entries[id] = entry
            return
        }
        entries[id] = entry
        withdraw(id)
        lastToken += 1
        entry.stage = .scheduled
        entry.token = lastToken
        entry.address = address
        entries[id] = entry
        Self.sweep(&scheduled, entries)
        scheduled.insert(StartItem(due: due, token: lastToken, id: id))
    }

    /// Takes back what was scheduled for a target; one that runs goes on running.
    public mutating func cancel(_ id: UInt64) {
        withdraw(id)
        entries[id]?.again = nil
    }

    /// Forgets a target; one that runs keeps its place until ``finish(_:timedOut:)``.
    public mutating func remove(_ id: UInt64) {
        cancel(id)
        if case .running = entries[id]?.stage {
            entries[id]?.isRemoved = true
        } else {
            entries[id] = nil
        }
    }

    /// Takes the next probe that is due and allowed to start; nil when there is none. It runs from now on.
    ///
    /// - Parameter now: the present moment, in monotonic nanoseconds.
    public mutating func start(at now: UInt64) -> ProbeStart? {
        while let item = Self.firstLive(&scheduled, entries), item.due <= now {
            scheduled.removeFirst()
            admit(item)
        }
        guard runningCount < limits.total else { return nil }
        let proven = Self.firstLive(&trusted, entries)
        let doubtful = runningSuspects < limits.suspects ? Self.firstLive(&suspects, entries) : nil
        let isSuspect = doubtful.map { doubtful in proven.map { doubtful < $0 } ?? true } ?? false
        guard let item = isSuspect ? doubtful : proven else { return nil }
        if isSuspect { suspects.removeFirst() } else { trusted.removeFirst() }
        entries[item.id]?.stage = .running(asSuspect: isSuspect)
        runningCount += 1
        if isSuspect { runningSuspects += 1 }
        return ProbeStart(id: item.id, due: item.due, lag: now > item.due ? now - item.due : 0)
    }

    /// Gives back the place of a probe that ended or was cancelled; ignored for one that does not run.
    ///
    /// - Parameter timedOut: whether it took all the time that it was given.
    public mutating func finish(_ id: UInt64, timedOut: Bool) {
        guard var entry = entries[id], case .running(let asSuspect) = entry.stage else { return }
        runningCount -= 1
        if asSuspect { runningSuspects -= 1 }
        let (address, again) = (entry.address, entry.again)
        entry.stage = .idle
        entry.again = nil
        entry.isSuspect = timedOut
        entries[id] = entry.isRemoved ? nil : entry
        release(address)
        if let again, !entry.isRemoved { schedule(id, due: again.due, address: again.address) }
    }

    /// When ``start(at:)`` is to be asked again, besides after each ``finish(_:timedOut:)``; nil for never.
    public mutating func nextDue() -> UInt64? { Self.firstLive(&scheduled, entries)?.due }

    /// Whether a target's probe runs.
    public func isRunning(_ id: UInt64) -> Bool {
        if case .running = entries[id]?.stage { true } else { false }
    }

    /// How many targets it knows.
    public var count: Int { entries.count }

    /// How many are due and have no place yet; some that were taken back may be among them.
    var waitingCount: Int { lanes.values.reduce(trusted.count + suspects.count) { $0 + $1.line.count - $1.head } }

    /// How many entries its lines have, those included that were taken back and not swept out yet.
    var lineCount: Int { scheduled.count + trusted.count + suspects.count }

    private mutating func admit(_ item: StartItem) {
        guard let address = entries[item.id]?.address else { return makeReady(item) }
        if lanes[address, default: Lane()].claimed < limits.perAddress {
            lanes[address, default: Lane()].claimed += 1
            makeReady(item)
        } else {
            lanes[address, default: Lane()].line.append(item)
            entries[item.id]?.stage = .waiting
        }
    }

    private mutating func makeReady(_ item: StartItem) {
        entries[item.id]?.stage = .ready
        if entries[item.id]?.isSuspect == true {
            Self.sweep(&suspects, entries)
            suspects.insert(item)
        } else {
            Self.sweep(&trusted, entries)
            trusted.insert(item)
        }
    }

    /// Gives an address's place to the next in its line.
    private mutating func release(_ address: Address?) {
        guard let address, let isEmpty = lanes[address]?.isEmpty, let claimed = lanes[address]?.claimed else { return }
        if isEmpty {
            lanes[address] = claimed > 1 ? Lane(claimed: claimed - 1) : nil
        } else if let item = lanes[address]?.removeFirst() {
            makeReady(item)
        }
    }

    private mutating func withdraw(_ id: UInt64) {
        guard let entry = entries[id] else { return }
        switch entry.stage {
        case .idle, .running: return
        case .scheduled: entries[id]?.stage = .idle
        case .waiting:
            entries[id]?.stage = .idle
            guard let address = entry.address, let lane = lanes[address] else { return }
            let line = lane.line[lane.head...].filter { $0.token != entry.token }
            lanes[address]?.line = line
            lanes[address]?.head = 0
        case .ready:
            entries[id]?.stage = .idle
            release(entry.address)
        }
        entries[id]?.token = 0
    }

    private static func isLive(_ item: StartItem, _ entries: [UInt64: Entry]) -> Bool {
        entries[item.id]?.token == item.token
    }

    private static func firstLive(
        _ line: inout BinaryHeap<StartItem>,
        _ entries: [UInt64: Entry]
    ) -> StartItem? {
        while let item = line.first, !isLive(item, entries) { line.removeFirst() }
        return line.first
    }

    /// A target that is scheduled anew again and again must not leave its past behind.
    private static func sweep(_ line: inout BinaryHeap<StartItem>, _ entries: [UInt64: Entry]) {
        if line.count > 2 * entries.count + 64 { line.removeAll { !isLive($0, entries) } }
    }
}
