// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import LinuxIO

/// Keeps names resolved: asks, asks again when answers run out or the network changes, and backs off when no answers come
/// (linux-paths section 8, contract R58).
///
/// | asked again | when |
/// | --- | --- |
/// | the answer runs out | after its time to live, 5 s to 1 h |
/// | no answer, or no address | after 1, 2, 4 … 60 s |
/// | this machine had no descriptor or memory to ask with; what is known stays | after 5 s |
/// | the path of the name changed and is satisfied (R58); until the new answer the old addresses stay in force | ``RequeryInterval`` |
/// | any path changed, and the name has no address | ``RequeryInterval`` |
/// | the contents of the resolver's files changed | at once, and at most once a second (``LinuxIO/ContentsWatcher``) |
///
/// A change of the files does not back off: the new servers are those that count, and who writes them is no flapping link. A look-up
/// in flight at that time is begun anew, so that no answer of the old servers comes after it.
///
/// Targets of one name share a look-up in flight, and the resolver has at most 64 names in flight (``LinuxIO/ResolverLimits``): a
/// flapping link does not cause a flood of queries. Belongs to the engine's loop.
final class NameTable {
    private static let second: UInt64 = 1_000_000_000
    private static let shortestLife: UInt64 = 5
    private static let longestLife: UInt64 = 3600
    /// How long addresses outlive failing servers.
    private static let staleLimit = 3600 * second

    private let loop: EventLoop
    private let service: any NameService
    private let didChange: ([PathID]) -> Void
    private var lookUps: NameLookUps?
    private var records: [PathID: NameRecord] = [:]

    /// Creates a table.
    ///
    /// - Parameter didChange: Called on the loop after the resolution of targets changed.
    init(loop: EventLoop, service: any NameService, didChange: @escaping ([PathID]) -> Void) {
        self.loop = loop
        self.service = service
        self.didChange = didChange
        lookUps = NameLookUps(
            service: service,
            early: { [weak self] in self?.takeEarly($1, for: $0) },
            completion: { [weak self] in self?.take($1, for: $0) }
        )
    }

    var servers: [ScopedAddress] { service.servers }

    /// Begins to resolve a name for a target.
    func add(_ name: String, for id: PathID) -> NameRecord {
        let record = NameRecord(name: name)
        records[id] = record
        ask(record, id)
        return record
    }

    func remove(_ id: PathID) {
        guard let record = records.removeValue(forKey: id) else { return }
        stop(record, id)
    }

    /// The contents of the resolver's files changed: all names are asked for. The look-ups in flight are begun anew by the service.
    func reload() {
        service.reload()
        for (id, record) in records {
            record.failures = 0
            guard !record.isAsking else { continue }
            // This query is for the path too, and not one of those that back off.
            record.isOutdated = false
            ask(record, id)
        }
    }

    /// The network changed: names without addresses are asked for again.
    func networkDidChange() {
        for (id, record) in records where record.resolution.addresses.isEmpty && !record.isAsking {
            record.failures = 0
            retry(record, id)
        }
    }

    /// The paths of targets changed: names that had an answer are asked for again (R58).
    func pathsDidChange(_ ids: [PathID]) {
        for id in ids {
            guard let record = records[id], record.resolution.state != .pending else { continue }
            retry(record, id)
        }
    }

    func close() {
        for (id, record) in records { stop(record, id) }
        records = [:]
        service.close()
    }

    // MARK: Requests

    /// Asks as soon as the pace allows, or after the look-up in flight.
    private func retry(_ record: NameRecord, _ id: PathID) {
        record.isOutdated = true
        guard !record.isAsking else { return }
        let now = loop.clock.now()
        let due = record.pace.earliest(at: now)
        if due <= now { ask(record, id) } else { schedule(record, id, at: due) }
    }

    private func ask(_ record: NameRecord, _ id: PathID) {
        if let timer = record.timer { loop.cancel(timer.token) }
        record.timer = nil
        if record.isOutdated { record.pace.requeried(at: loop.clock.now()) }
        record.isOutdated = false
        record.isAsking = true
        lookUps?.begin(record.name, for: id)
    }

    private func stop(_ record: NameRecord, _ id: PathID) {
        if record.isAsking { lookUps?.end(record.name, for: id) }
        record.isAsking = false
        if let timer = record.timer { loop.cancel(timer.token) }
        record.timer = nil
    }

    /// Asks at a time, or sooner if that is planned already.
    private func schedule(_ record: NameRecord, _ id: PathID, at due: UInt64) {
        if let timer = record.timer {
            guard due < timer.due else { return }
            loop.cancel(timer.token)
        }
        let token = loop.schedule(at: due) { [weak self, weak record] in
            guard let self, let record, records[id] === record else { return }
            record.timer = nil
            ask(record, id)
        }
        record.timer = (token, due)
    }

    // MARK: Answers

    /// Takes the addresses of one family while those of the other are awaited: where none are known they are better than none. Some name
    /// servers never answer about the other one.
    private func takeEarly(_ answer: NameAnswer, for ids: [PathID]) {
        guard case .addresses(let addresses, _) = answer else { return }
        let changed = ids.filter { id in
            guard let record = records[id], record.isAsking, record.resolution.addresses.isEmpty else { return false }
            record.resolution = Resolution(state: .complete, addresses: addresses)
            record.confirmedAt = loop.clock.now()
            return true
        }
        if !changed.isEmpty { didChange(changed) }
    }

    private func take(_ answer: NameAnswer, for ids: [PathID]) {
        var changed: [PathID] = []
        for id in ids {
            guard let record = records[id], record.isAsking else { continue }
            record.isAsking = false
            if take(answer, record, id) { changed.append(id) }
        }
        if !changed.isEmpty { didChange(changed) }
    }

    /// - Returns: Whether the resolution changed.
    private func take(_ answer: NameAnswer, _ record: NameRecord, _ id: PathID) -> Bool {
        let now = loop.clock.now()
        let before = record.resolution
        let pause: UInt64?
        switch answer {
        case .addresses(let addresses, let timeToLive):
            record.resolution = Resolution(state: .complete, addresses: addresses)
            record.confirmedAt = now
            record.failures = 0
            pause = timeToLive.map { min(max(UInt64($0), Self.shortestLife), Self.longestLife) }
        case .nothing(let words):
            record.resolution = Resolution(state: .complete, error: words)
            record.failures += 1
            pause = backOff(record.failures)
        case .failure(let words, let isServersWord):
            // Known addresses stay in force for an hour: a silent server does not take the network away.
            let isFresh = now &- record.confirmedAt < Self.staleLimit
            let kept = isFresh ? before.addresses : []
            record.resolution = Resolution(state: .failed, addresses: kept, error: words)
            record.resolution.isServersWord = isServersWord
            record.failures += 1
            pause = backOff(record.failures)
        case .notAsked(let words):
            if before.state == .pending { record.resolution.error = words }
            pause = Self.shortestLife
        }
        if let pause { schedule(record, id, at: now + pause * Self.second) }
        if record.isOutdated { schedule(record, id, at: record.pace.earliest(at: now)) }
        return record.resolution != before
    }

    /// 1, 2, 4 … 60 seconds.
    private func backOff(_ failures: Int) -> UInt64 {
        failures > 6 ? 60 : min(1 << UInt64(failures - 1), 60)
    }
}

/// One name's resolution, shared by nothing: each name target has its own.
final class NameRecord {
    let name: String
    var resolution = Resolution(state: .pending)
    /// Whether a look-up is in flight.
    var isAsking = false
    /// When to ask again.
    var timer: (token: TimerToken, due: UInt64)?
    /// Whether the network changed since the last look-up began.
    var isOutdated = false
    var pace = RequeryInterval()
    /// Failures in a row, for the back-off.
    var failures = 0
    /// When the addresses were last confirmed, in nanoseconds of the loop's clock.
    var confirmedAt: UInt64 = 0

    init(name: String) {
        self.name = name
    }
}

/// When one name may be looked up again because the network changed: at once after two quiet minutes, and while changes
/// continue 1, 2, 4 … 60 s after the last such look-up. Pure.
///
/// A link that flaps for an hour costs each name 65 look-ups, however fast it flaps.
struct RequeryInterval {
    private static let second: UInt64 = 1_000_000_000
    static let calm = 120 * second
    static let longestGap = 60 * second

    private var last: UInt64?
    private var step: UInt64 = 0

    /// The earliest time for the next look-up, in nanoseconds; `now` itself means at once.
    func earliest(at now: UInt64) -> UInt64 {
        guard let last, now - last < Self.calm else { return now }
        return max(now, last + min(Self.second << step, Self.longestGap))
    }

    /// A name is looked up because the network changed.
    mutating func requeried(at now: UInt64) {
        step = last.map { now - $0 < Self.calm ? min(step + 1, 6) : 0 } ?? 0
        last = now
    }
}
