// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import History
import LinuxIO
import Monitoring
import MonitoringTestSupport
import Synchronization
import TestSupport

/// A registry, a recorder and a disk that does what a test says, in a time that a test moves.
final class RecorderScene: Sendable {
    let disk: FakeDisk
    let registry: Registry
    let wall: FakeClock
    let timers = ManualClock()
    let recorder: HistoryRecorder
    let notes: Notes
    let settings: Mutex<HistorySettings>

    final class Notes: Sendable {
        private let all = Mutex<[LogMessage]>([])
        let changed = Semaphore()

        var list: [LogMessage] { all.withLock { $0 } }

        func append(_ note: LogMessage) {
            all.withLock { $0.append(note) }
            changed.post()
        }
    }

    /// - Parameters:
    ///   - disk: may have the log of an earlier run.
    ///   - capacity: how many events memory keeps.
    init(
        _ disk: FakeDisk = FakeDisk(),
        capacity: Int = 65_536,
        settings: HistorySettings = HistorySettings()
    ) throws {
        var log = EventLogSettings()
        log.capacity = capacity
        let wall = FakeClock()
        let notes = Notes()
        let registry = Registry(log: log, clock: wall)
        self.disk = disk
        self.wall = wall
        self.notes = notes
        self.registry = registry
        self.settings = Mutex(settings)
        registry.onEvents { notes.changed.post() }
        disk.used.withLock { $0 = { notes.changed.post() } }
        recorder = try HistoryRecorder(
            registry: registry,
            settings: settings,
            open: { code throws(HistoryError) in try disk.open(code) },
            clock: wall,
            timers: timers,
            log: { notes.append($0) }
        )
    }

    deinit {
        disk.go()
        recorder.stop()
    }

    /// Something happens.
    func happen(_ count: Int = 1) {
        for _ in 0..<count { registry.announce(.rejected(faults: [])) }
    }

    /// Waits until something holds; a test that waits for ever ends at its time limit.
    func wait(until condition: () -> Bool) {
        while !condition() { notes.changed.wait() }
    }

    /// Lets time go by.
    func advance(seconds: UInt64) {
        timers.advance(by: seconds * 1_000_000_000)
        // The loop looks at the clock when it has something to do.
        recorder.apply(settings.withLock { $0 })
    }

    /// Lets time go by, second by second, until something holds. Nothing is slow meanwhile.
    func advance(until condition: () -> Bool) {
        settings.withLock { $0.slowLimit = .seconds(1 << 40) }
        while !condition() {
            advance(seconds: 1)
            // Each step is a job of the loop: given time, they do not pile up before its timers.
            for _ in 0..<500 where !condition() { sched_yield() }
        }
    }

    /// The numbers of the events that readers see behind a number.
    func seen(after sequence: UInt64 = 0) -> [UInt64] {
        registry.events(after: sequence, limit: 100_000).events.map(\.sequence)
    }

    /// The numbers that are on the disk.
    var kept: [UInt64] { ((try? disk.store.events(after: 0, limit: 100_000)) ?? []).map(\.sequence) }
}
