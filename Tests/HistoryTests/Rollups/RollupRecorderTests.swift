// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import MonitoringTestSupport
import NetworkPaths
import Probing
import Synchronization
import TestSupport
import Testing

@testable import History
@testable import Monitoring
@testable import Traffic

@Suite("Recording states and results", .timeLimit(.minutes(15)))
struct RollupRecorderTests {
    private func only(_ rig: RollupRig, _ id: String = "a", _ length: Duration = .seconds(3_600)) throws
        -> HistoryWindow
    {
        try #require(try rig.windows(id, [length]).first)
    }

    @Test("States count from event to event, to the present moment, over minutes that are written and one that is not")
    func states() throws {
        let rig = try RollupRig()
        rig.declare(["a"])
        rig.pass(seconds: 10)
        try rig.emit("a", .up())
        rig.pass(seconds: 100)
        try rig.emit("a", .down())
        rig.pass(seconds: 30)
        try rig.emit("a", .up())
        rig.pass(seconds: 45)
        let times = try only(rig).bucket.times
        #expect(times[.unknown] == 10_000)
        #expect(times[.up] == 145_000)
        #expect(times[.unreachable] == 30_000)
        #expect(times[.down] == 0)
        // What could not be judged from here is neither up nor down.
        #expect(try only(rig).uptimeRatio == 1)
        #expect(try rig.file.count("SELECT count(*) FROM rollup_minutes") == 3)
        rig.recorder.stop()
        #expect(try rig.file.count("SELECT count(*) FROM rollup_minutes") == 4)
    }

    @Test("This machine's connections are in the minute that they ended in, and in what is made of minutes")
    func connections() throws {
        let rig = try RollupRig()
        rig.declare(["a", "b"])
        let present = Mutex(TrafficSnapshot(summaries: [:], share: 1))
        rig.recorder.record { present.withLock { $0 } }
        func see(_ id: String, _ counts: (UInt32, refused: UInt32, segments: UInt64), share: Double = 1) {
            var summary = TrafficSummary()
            (summary.sinceStart.connections, summary.sinceStart.refused) = (counts.0, counts.refused)
            (summary.sinceStart.segmentsOut, summary.medianRoundTrip) = (counts.segments, 20_000)
            present.withLock { $0 = TrafficSnapshot(summaries: [id: summary], share: share) }
        }
        try rig.emit("a", .up())
        see("a", (3, refused: 1, segments: 30))
        rig.pass(seconds: 60)
        see("a", (5, refused: 1, segments: 40), share: 0.5)
        rig.pass(seconds: 60)
        // No connection in this minute.
        rig.pass(seconds: 60)
        let traffic = try only(rig).bucket.traffic
        #expect(traffic.minutes == 2 && traffic.connections == 5 && traffic.failed == 1 && traffic.segments == 40)
        #expect(traffic.observedShare == 0.75)
        #expect(try abs(Double(#require(traffic.roundTrips.quantile(0.5))) - 20_000) <= 20_000 / 64)
        #expect(try only(rig, "a", .seconds(120)).bucket.traffic.connections == 2)
        #expect(try only(rig, "b").bucket.traffic.isEmpty)
        // The target was removed and declared again: its counts began anew, with fewer segments.
        see("a", (7, refused: 0, segments: 10))
        rig.pass(seconds: 60)
        #expect(try only(rig).bucket.traffic.connections == 12)
        // What ended in the last, unfinished minute is written at the end; the hour is made of the minutes.
        see("a", (8, refused: 0, segments: 11))
        rig.pass(seconds: 20)
        try rig.restart()
        rig.pass(seconds: 3_600)
        #expect(try only(rig, "a", .seconds(7_200)).bucket.traffic.connections == 13)
        #expect(try rig.file.count("SELECT count(*) FROM rollup_hours") >= 1)
    }

    @Test(
        "Events that are given other numbers are counted once, and no time is lost by it",
        arguments: [2, 100_000] as [UInt64]
    )
    func moved(distance: UInt64) throws {
        let rig = try RollupRig()
        rig.declare(["a"])
        try rig.emit("a", .up())
        rig.pass(seconds: 100)
        try rig.emit("a", .down())
        rig.pass(seconds: 30)
        // Behind the place where the recorder is there are events again that it has seen, or its place is long gone.
        rig.registry.moveEvents(behind: distance)
        try rig.emit("a", .up())
        rig.pass(seconds: 10)
        let times = try only(rig).bucket.times
        #expect(times[.up] == 110_000 && times[.unreachable] == 30_000)
    }

    @Test("Results are counted when they arrive, without being stored")
    func results() throws {
        let rig = try RollupRig()
        var target = TargetSettings.address("a")
        let request = ProbeRequest(host: .address(IPAddress(ipv4: 1)), kind: .tcp(TCPProbeSettings(port: 1)))
        target.probe = ProbePlan(.ask(request), verdict: try VerdictSettings(fall: 1, rise: 1, interval: .seconds(10)))
        rig.registry.apply(targets: [target])
        try rig.emit("a", .up())
        let declared = try #require(rig.registry.target("a")?.target)
        for index in 0..<12 {
            rig.pass(seconds: 10)
            let isFailure = index % 4 == 3
            let result = ProbeResult(
                outcome: isFailure ? .failure : .success,
                reason: isFailure ? .connectRefused : nil,
                detail: "",
                duration: .milliseconds(10 * (index + 1))
            )
            _ = rig.registry.record(result, of: declared, circumstances: Registry.ProbeContext())
        }
        let window = try only(rig)
        #expect(window.bucket.probes == 12)
        #expect(window.bucket.failures == 3)
        #expect(window.bucket.latencies.count == 9)
        let median = try #require(window.bucket.latencies.quantile(0.5))
        #expect(abs(Double(median) - 60_000) <= 60_000 * LatencySketch.relativeError)
        #expect(window.bucket.times[.down] == 20_000)
        #expect(window.bucket.times[.up] == 90_000)
        #expect(window.uptimeRatio == 90.0 / 110)
        #expect(rig.registry.livePosition == 0)
    }

    @Test("After a restart a minute continues, and the time between is unobserved")
    func restart() throws {
        let rig = try RollupRig()
        rig.declare(["a"])
        try rig.emit("a", .up())
        rig.pass(seconds: 20)
        rig.recorder.stop()
        rig.clock.advance(milliseconds: 15_000)
        rig.timers.advance(by: 15_000_000_000)
        try rig.begin()
        rig.pass(seconds: 25)
        #expect(try rig.file.count("SELECT count(*) FROM rollup_minutes") == 1)
        #expect(try only(rig).bucket.times[.up] == 45_000)
        rig.recorder.turn()
        #expect(try only(rig).bucket.times[.up] == 45_000)
    }

    @Test("A killed process loses the current minute, and counts none twice")
    func killed() throws {
        let rig = try RollupRig()
        rig.declare(["a"])
        try rig.emit("a", .up())
        rig.pass(seconds: 3_600 + 30)
        try rig.begin()
        rig.pass(seconds: 90)
        #expect(try only(rig, "a", .seconds(86_400)).bucket.times[.up] == 3_690_000)
        #expect(try rig.file.count("SELECT count(*) FROM rollup_hours") == 1)
    }

    @Test("A clock that is set back and forward makes no time and loses little")
    func clocks() throws {
        let rig = try RollupRig()
        rig.declare(["a"])
        try rig.emit("a", .up())
        let start = rig.clock.now()
        rig.pass(seconds: 1_800)
        rig.recorder.drain()
        rig.clock.advance(milliseconds: -600_000)
        rig.recorder.turn()
        rig.pass(seconds: 1_200)
        // Ten minutes were shown twice.
        #expect(try only(rig).bucket.times[.up] == 2_400_000)
        rig.clock.advance(milliseconds: 7_200_000)
        rig.recorder.turn()
        rig.pass(seconds: 600)
        let window = try only(rig, "a", .seconds(86_400))
        #expect(window.bucket.times[.up] == 3_000_000)
        // Two hours back: what was written there stays, and what is new comes to it.
        rig.clock.advance(milliseconds: -7_200_000)
        rig.recorder.turn()
        rig.pass(seconds: 600)
        #expect(rig.clock.now().milliseconds == start.milliseconds + 3_600_000)
        #expect(try only(rig).bucket.times[.up] == 3_000_000)
        #expect(try rig.file.count("SELECT count(*) FROM rollup_minutes") == 60)
    }

    @Test("While the file cannot be written everything waits in memory, and is written when it can be")
    func disk() throws {
        let rig = try RollupRig()
        rig.declare(["a"])
        try rig.emit("a", .up())
        rig.pass(seconds: 60)
        let blocker = try SQLiteDatabase(path: rig.file.path, mode: .readWrite)
        try blocker.execute("ALTER TABLE rollup_minutes RENAME TO away")
        rig.pass(seconds: 300)
        #expect(rig.notes.events.filter { $0.level == .warning }.count == 1)
        try blocker.execute("ALTER TABLE away RENAME TO rollup_minutes")
        rig.pass(seconds: 60)
        #expect(rig.notes.events.last?.level == .info)
        #expect(try only(rig).bucket.times[.up] == 420_000)
        #expect(try rig.file.count("SELECT count(*) FROM rollup_minutes") == 7)
    }

    @Test("Events that left memory before they were read leave unobserved time")
    func overrun() throws {
        var log = EventLogSettings()
        log.capacity = 8
        let rig = try RollupRig(log: log)
        rig.declare(["a"])
        try rig.emit("a", .up())
        rig.pass(seconds: 60)
        // The recorder's thread is held up while more happens than is kept.
        let others = (0..<64).map { TargetSettings.address("x\($0)", "203.0.113.\($0)") }
        rig.registry.apply(targets: [.address("a", "198.51.100.1")] + others)
        rig.pass(seconds: 60)
        let times = try only(rig).bucket.times
        #expect(times[.up] >= 60_000 && times[.up] <= 120_000)
        #expect(try only(rig, "x3").bucket.times[.unknown] <= 60_000)
    }

    @Test("Targets that go are written as far as they were, and those that come begin")
    func comingAndGoing() throws {
        let rig = try RollupRig()
        rig.declare(["a", "bb"])
        try rig.emit("a", .up())
        try rig.emit("bb", .up())
        rig.pass(seconds: 90)
        rig.declare(["a"])
        rig.pass(seconds: 60)
        rig.declare(["a", "bb"])
        try rig.emit("bb", .up())
        rig.pass(seconds: 45)
        #expect(try only(rig, "a").bucket.times[.up] == 195_000)
        #expect(try only(rig, "bb").bucket.times[.up] == 135_000)
    }

    @Test("A window begins where there is still something to begin with")
    func windows() throws {
        let rig = try RollupRig()
        rig.declare(["a"])
        rig.clock.advance(milliseconds: 86_400_000 / 2 + 1_234_567)
        let lengths: [Duration] = [.seconds(3_600), .seconds(86_400), .seconds(7 * 86_400), .seconds(60 * 86_400)]
        let windows = try rig.windows("a", lengths)
        let now = rig.clock.now().milliseconds
        #expect(windows.map(\.to.milliseconds) == [now, now, now, now])
        #expect(windows[0].from.milliseconds == (now - 3_600_000) / 60_000 * 60_000)
        #expect(windows[1].from.milliseconds == (now - 86_400_000) / 60_000 * 60_000)
        #expect(windows[2].from.milliseconds == (now - 7 * 86_400_000) / 3_600_000 * 3_600_000)
        #expect(windows[3].from.milliseconds == (now - 60 * 86_400_000) / 86_400_000 * 86_400_000)
        #expect(windows[3].uptimeRatio == nil)
        #expect(windows[3].coverageRatio == 0)
        #expect(windows[3].bucket.latencies.quantile(0.5) == nil)
    }
}
