// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import LinuxIO

/// Keeps names resolved: asks, asks again when answers run out, and backs off when none come (linux-paths section 8).
///
/// Belongs to the engine's loop.
final class NameTable {
    private static let second: UInt64 = 1_000_000_000
    private static let shortestLife: UInt64 = 5
    private static let longestLife: UInt64 = 3600
    /// How long addresses outlive failing servers.
    private static let staleLimit = 3600 * second

    private let loop: EventLoop
    private let service: any NameService
    private let didChange: (PathID) -> Void
    private var records: [PathID: NameRecord] = [:]

    /// Creates a table.
    ///
    /// - Parameter didChange: Called on the loop after a target's resolution changed.
    init(loop: EventLoop, service: any NameService, didChange: @escaping (PathID) -> Void) {
        self.loop = loop
        self.service = service
        self.didChange = didChange
    }

    var servers: [IPAddress] { service.servers }

    /// Begins to resolve a name for a target.
    func add(_ name: String, for id: PathID) -> NameRecord {
        let record = NameRecord(name: name)
        records[id] = record
        ask(record, id)
        return record
    }

    func remove(_ id: PathID) {
        guard let record = records.removeValue(forKey: id) else { return }
        stop(record)
    }

    /// The resolver's files changed: everything is asked again.
    func reload() {
        service.reload()
        askAgain { _ in true }
    }

    /// The network changed: names without addresses are asked again at once, the others have time.
    func networkDidChange() {
        askAgain { $0.resolution.addresses.isEmpty && $0.query == nil }
    }

    func close() {
        for record in records.values { stop(record) }
        records = [:]
        service.close()
    }

    private func askAgain(where isDue: (NameRecord) -> Bool) {
        for (id, record) in records where isDue(record) {
            record.failures = 0
            stop(record)
            ask(record, id)
        }
    }

    private func stop(_ record: NameRecord) {
        record.query?.cancel()
        record.query = nil
        if let timer = record.timer { loop.cancel(timer) }
        record.timer = nil
    }

    private func ask(_ record: NameRecord, _ id: PathID) {
        record.timer = nil
        record.query = service.resolve(record.name) { [weak self, weak record] answer in
            guard let self, let record, records[id] === record else { return }
            record.query = nil
            take(answer, record, id)
        }
    }

    private func take(_ answer: NameAnswer, _ record: NameRecord, _ id: PathID) {
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
        case .failure(let words):
            // Known addresses stay in force for an hour: a silent server does not take the network away.
            let isFresh = now &- record.confirmedAt < Self.staleLimit
            let kept = isFresh ? before.addresses : []
            record.resolution = Resolution(state: .failed, addresses: kept, error: words)
            record.failures += 1
            pause = backOff(record.failures)
        }
        record.timer = pause.map { pause in
            loop.schedule(after: pause * Self.second) { [weak self, weak record] in
                guard let self, let record, records[id] === record else { return }
                ask(record, id)
            }
        }
        if record.resolution != before { didChange(id) }
    }

    /// 1, 2, 4 … 60 seconds.
    private func backOff(_ failures: Int) -> UInt64 {
        failures > 6 ? 60 : min(1 << UInt64(failures - 1), 60)
    }
}
