// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The probe scheduler: due times in a heap, and limits on how many probes run, in total and for an address.
///
/// A probe that is due first passes the lane of its address (``ProbeLane``), which spaces bursts out; then it waits, in the order of the
/// due times, for one of the places in total. Targets whose last probe timed out take at most half of all places (the
/// slow lane, ``ProbeSchedulerLimits/slowLane``), so that an outage of any number of them, once they are known, delays no other target. Each
/// target, identified by a number that its driver gives, runs at most once at a time. Waiting for a place is told apart from
/// lag (``ProbeStart``).
///
/// The driver's loop: `while let start = queue.start(at: now) { … }`, sleep until ``nextDue()``, and for each probe that ended
/// ``finish(_:timedOut:)``, then schedule its next turn and start again. All operations are O(log n), amortised.
package final class ProbeScheduler<Address: Hashable & Sendable> {
    private enum Stage {
        case idle
        case scheduled
        case waiting
        case ready
        case running(isSlow: Bool)
    }

    /// By reference: a probe looks at its entry a dozen times, and changes it half as often.
    private final class Entry {
        var stage: Stage = .idle
        var token: UInt64 = 0
        var address: Address?
        /// Whether its last probe timed out.
        var isSlow = false
        var isRemoved = false
        var again: (due: UInt64, address: Address?)?
    }

    private final class AddressEntry {
        var lane = ProbeLane()
        /// The turn that ``turns`` has for it.
        var turn: UInt64?
        /// Whether it is in ``changed``.
        var isChanged = false
    }

    /// How many may run.
    package let limits: ProbeSchedulerLimits
    /// How many run.
    package private(set) var runningCount = 0
    private var runningSlow = 0
    private var entries: [UInt64: Entry] = [:]
    private var lanes: [Address: AddressEntry] = [:]
    /// Lanes in which something changed, to be looked at by the next ``start(at:)``.
    private var changed: [Address] = []
    private var turns = BinaryHeap<LaneTurn<Address>>()
    private var scheduled = BinaryHeap<QueuedProbe>()
    private var ready = BinaryHeap<QueuedProbe>()
    private var readySlow = BinaryHeap<QueuedProbe>()
    private var lastToken: UInt64 = 0

    /// Creates an empty queue.
    package init(limits: ProbeSchedulerLimits = .standard) {
        self.limits = limits
    }

    /// Sets when a target's next probe is due, instead of what was set before. While it runs this is kept for its end.
    ///
    /// - Parameters:
    ///   - due: in monotonic nanoseconds.
    ///   - address: whose limit counts; nil for none, which this machine's own addresses should have.
    package func schedule(_ id: UInt64, due: UInt64, address: Address?) {
        let entry = entry(of: id)
        entry.isRemoved = false
        if case .running = entry.stage {
            entry.again = (due, address)
            return
        }
        withdraw(entry)
        lastToken += 1
        entry.stage = .scheduled
        entry.token = lastToken
        entry.address = address
        Self.sweep(&scheduled, entries)
        scheduled.insert(QueuedProbe(due: due, token: lastToken, id: id))
    }

    /// Withdraws what was scheduled for a target; a running probe continues.
    package func cancel(_ id: UInt64) {
        guard let entry = entries[id] else { return }
        withdraw(entry)
        entry.again = nil
    }

    /// Forgets a target; a running probe keeps its place until ``finish(_:timedOut:)``.
    package func remove(_ id: UInt64) {
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
    package func start(at now: UInt64) -> ProbeStart? {
        while let item = Self.firstLive(&scheduled, entries), item.due <= now {
            scheduled.removeFirst()
            admit(item, at: now)
        }
        while let turn = turns.first, turn.time <= now {
            turns.removeFirst()
            if let lane = lanes[turn.address], lane.turn == turn.time { inspect(turn.address, lane) }
        }
        serveChanged(at: now)
        guard runningCount < limits.total else { return nil }
        let normal = Self.firstLive(&ready, entries)
        let slow = runningSlow < limits.slowLane ? Self.firstLive(&readySlow, entries) : nil
        let isSlow = slow.map { slow in normal.map { slow < $0 } ?? true } ?? false
        guard let item = isSlow ? slow : normal else { return nil }
        if isSlow { readySlow.removeFirst() } else { ready.removeFirst() }
        entries[item.id]?.stage = .running(isSlow: isSlow)
        runningCount += 1
        if isSlow { runningSlow += 1 }
        return ProbeStart(
            id: item.id,
            due: item.due,
            lag: item.admitted - item.due,
            wait: now > item.admitted ? now - item.admitted : 0
        )
    }

    /// Releases the place of a probe that ended or was cancelled; ignored for one that does not run.
    ///
    /// - Parameter timedOut: whether it took all the time that it was given.
    package func finish(_ id: UInt64, timedOut: Bool) {
        guard let entry = entries[id], case .running(let isSlow) = entry.stage else { return }
        runningCount -= 1
        if isSlow { runningSlow -= 1 }
        let (address, again) = (entry.address, entry.again)
        entry.stage = .idle
        entry.again = nil
        entry.isSlow = timedOut
        if entry.isRemoved { entries[id] = nil }
        release(address)
        if let again, !entry.isRemoved { schedule(id, due: again.due, address: again.address) }
    }

    /// When ``start(at:)`` is to be asked again, besides after each ``finish(_:timedOut:)`` and ``cancel(_:)``; nil for never.
    package func nextDue() -> UInt64? {
        while let turn = turns.first, lanes[turn.address]?.turn != turn.time { turns.removeFirst() }
        let due = Self.firstLive(&scheduled, entries)?.due
        guard let turn = turns.first?.time else { return due }
        return due.map { min($0, turn) } ?? turn
    }

    /// Whether a target's probe runs.
    package func isRunning(_ id: UInt64) -> Bool {
        if case .running = entries[id]?.stage { true } else { false }
    }

    /// How many targets it knows.
    package var count: Int { entries.count }

    /// How many are due and have no place yet; some that were withdrawn may be among them.
    var waitingCount: Int { lanes.values.reduce(ready.count + readySlow.count) { $0 + $1.lane.waiting } }

    /// How many entries its lines have, including withdrawn ones that were not swept out yet.
    var lineCount: Int {
        lanes.values.reduce(scheduled.count + ready.count + readySlow.count + turns.count) { $0 + $1.lane.entryCount }
    }

    // MARK: Lanes

    private func admit(_ item: QueuedProbe, at now: UInt64) {
        var item = item
        item.admitted = max(now, item.due)
        guard let entry = entries[item.id] else { return }
        guard let address = entry.address else { return makeReady(item, entry) }
        let lane = lane(of: address)
        lane.lane.enter(item)
        entry.stage = .waiting
        inspect(address, lane)
    }

    private func makeReady(_ item: QueuedProbe, _ entry: Entry) {
        entry.stage = .ready
        if entry.isSlow {
            Self.sweep(&readySlow, entries)
            readySlow.insert(item)
        } else {
            Self.sweep(&ready, entries)
            ready.insert(item)
        }
    }

    /// Has the next ``start(at:)`` look at a lane.
    private func inspect(_ address: Address, _ lane: AddressEntry) {
        guard !lane.isChanged else { return }
        lane.isChanged = true
        changed.append(address)
    }

    private func entry(of id: UInt64) -> Entry {
        if let known = entries[id] { return known }
        let entry = Entry()
        entries[id] = entry
        return entry
    }

    private func lane(of address: Address) -> AddressEntry {
        if let known = lanes[address] { return known }
        let lane = AddressEntry()
        lanes[address] = lane
        return lane
    }

    private func serveChanged(at now: UInt64) {
        guard !changed.isEmpty else { return }
        let addresses = changed
        changed = []
        for address in addresses {
            guard let entry = lanes[address] else { continue }
            while let item = entry.lane.next(at: now, places: limits.perAddress, isLive: { Self.isLive($0, entries) }) {
                if let entry = entries[item.id] { makeReady(item, entry) }
            }
            guard !entry.lane.isEmpty else {
                lanes[address] = nil
                continue
            }
            entry.isChanged = false
            if let turn = entry.lane.nextTurn, turn != entry.turn {
                turns.insert(LaneTurn(time: turn, address: address))
            }
            entry.turn = entry.lane.nextTurn
        }
        if turns.count > 2 * lanes.count + 64 {
            let lanes = lanes
            turns.removeAll { lanes[$0.address]?.turn != $0.time }
        }
    }

    private func release(_ address: Address?) {
        guard let address, let entry = lanes[address] else { return }
        entry.lane.release()
        if entry.lane.isEmpty { lanes[address] = nil } else { inspect(address, entry) }
    }

    private func withdraw(_ entry: Entry) {
        switch entry.stage {
        case .idle, .running: return
        case .scheduled: entry.stage = .idle
        case .waiting:
            entry.stage = .idle
            guard let address = entry.address, let lane = lanes[address] else { return }
            lane.lane.withdrawWaiting()
            inspect(address, lane)
        case .ready:
            entry.stage = .idle
            release(entry.address)
        }
        entry.token = 0
    }

    // MARK: Lines

    private static func isLive(_ item: QueuedProbe, _ entries: [UInt64: Entry]) -> Bool {
        entries[item.id]?.token == item.token
    }

    private static func firstLive(
        _ line: inout BinaryHeap<QueuedProbe>,
        _ entries: [UInt64: Entry]
    ) -> QueuedProbe? {
        while let item = line.first, !isLive(item, entries) { line.removeFirst() }
        return line.first
    }

    /// A target that is scheduled anew again and again must not leave its past behind.
    private static func sweep(_ line: inout BinaryHeap<QueuedProbe>, _ entries: [UInt64: Entry]) {
        if line.count > 2 * entries.count + 64 { line.removeAll { !isLive($0, entries) } }
    }
}

/// How many probes may run at the same time.
///
/// The limit in total bounds descriptors and memory. It delays no probe while it is above probes a second × timeout; below that an
/// outage of everything delays the first probes that meet it, until the targets in ``slowLane`` are known. The limit for an address
/// protects the host from bursts and delays no probe by more than a second (``ProbeLane``).
package struct ProbeSchedulerLimits: Sendable, Hashable {
    /// 4,096 in total, 2 for an address.
    package static let standard = ProbeSchedulerLimits(uncheckedTotal: 4096, perAddress: 2)

    /// In total.
    package var total: Int
    /// For one address, before further probes of it are spaced out.
    package var perAddress: Int

    /// Checks and creates limits.
    ///
    /// - Throws: `limits` when one is below 1 or that of an address is above the total.
    package init(total: Int, perAddress: Int) throws(VerdictSettingsError) {
        guard total >= 1, perAddress >= 1, perAddress <= total else { throw VerdictSettingsError(code: .limits) }
        self.init(uncheckedTotal: total, perAddress: perAddress)
    }

    private init(uncheckedTotal: Int, perAddress: Int) {
        total = uncheckedTotal
        self.perAddress = perAddress
    }

    /// How many of the running probes may be of targets whose last one timed out: half of the total. However many targets
    /// are silent, and hold descriptors until their timeouts, the others have the other half.
    package var slowLane: Int { max(total / 2, 1) }
}
