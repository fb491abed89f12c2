// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import MonitoringTestSupport
import NetworkPaths
import Probing
import TestSupport

@testable import History
@testable import Monitoring

/// A registry, a file, and a recorder between them, under clocks that only the test moves.
final class RollupRig {
    let clock = FakeClock(20_000 * 86_400_000)
    let timers = ManualClock()
    let source = FakeSource()
    let registry: Registry
    let file: RollupFile
    let notes = Recorder<LogMessage>()
    private(set) var recorder: RollupRecorder

    init(log: EventLogSettings = EventLogSettings()) throws {
        file = try RollupFile()
        registry = Registry(log: log, clock: clock, timers: timers, epoch: "e0")
        registry.connect(to: source)
        recorder = try Self.recorder(registry, file.path, clock, timers, notes)
        recorder.start()
    }

    private static func recorder(
        _ registry: Registry,
        _ path: String,
        _ clock: FakeClock,
        _ timers: ManualClock,
        _ notes: Recorder<LogMessage>
    ) throws -> RollupRecorder {
        try RollupRecorder(registry: registry, path: path, clock: clock, timers: timers) { notes.record($0) }
    }

    /// Both clocks go on, and a minute's work is done each minute.
    func pass(seconds: Int64) {
        var left = seconds
        while left > 0 {
            let second = clock.now().milliseconds / 1_000
            let step = min(left, 60 - second % 60)
            recorder.drain()
            clock.advance(milliseconds: step * 1_000)
            timers.advance(by: UInt64(step) * 1_000_000_000)
            left -= step
            if (second + step) % 60 == 0 { recorder.turn() }
        }
    }

    func restart() throws {
        recorder.stop()
        try begin()
    }

    /// As after `kill -9`: what was not written is gone.
    func begin() throws {
        recorder = try Self.recorder(registry, file.path, clock, timers, notes)
        recorder.start()
    }

    /// A second run of the service, on the same file.
    func next() throws -> (registry: Registry, recorder: RollupRecorder) {
        let registry = Registry(clock: clock, timers: timers, epoch: "e1")
        let recorder = try Self.recorder(registry, file.path, clock, timers, Recorder())
        recorder.start()
        return (registry, recorder)
    }

    func declare(_ ids: [String]) {
        registry.apply(targets: ids.map { .address($0, "198.51.100.\($0.utf8.count)") })
    }

    func emit(_ id: String, _ path: NetworkPath) throws {
        guard let record = registry.target(id), let request = record.target?.settings.request,
            let handle = source.id(request)
        else { throw NoTarget() }
        registry.pathsDidChange([
            PathUpdate(id: handle, path: path, previous: record.path, trigger: ChangeTrigger(.route))
        ])
    }

    struct NoTarget: Error {}

    func windows(_ id: String, _ lengths: [Duration]) throws -> [HistoryWindow] {
        let reader = HistoryReader(path: file.path, rollups: recorder)
        let ordinal = registry.target(id)?.target?.ordinal ?? 0
        return try reader.windows(of: ordinal, target: id, lengths: lengths, now: clock.now())
    }
}
