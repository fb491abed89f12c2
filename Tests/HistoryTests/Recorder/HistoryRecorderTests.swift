// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import History
import LinuxIO
import Monitoring
import MonitoringTestSupport
import Synchronization
import TestSupport
import Testing

@Suite("The recorder of events", .serialized, .timeLimit(.minutes(15)))
struct HistoryRecorderTests {
    /// The failures that a disk can report while it is used.
    private static let failures: [HistoryError.Code] = [
        .full, .readOnly, .corrupt, .inputOutput, .removed, .locked, .noMemory, .other,
    ]

    @Test("An event is on disk before a client sees it")
    func durableFirst() throws {
        let scene = try RecorderScene()
        try scene.recorder.start()
        #expect(scene.recorder.isDurable && scene.recorder.status.state == .ok)
        #expect(scene.registry.epoch == scene.disk.store.epoch)
        scene.disk.hang()
        scene.happen(3)
        scene.disk.awaitHanging()
        #expect(scene.registry.sequence == 0 && scene.registry.recordedSequence == 3)
        #expect(scene.seen().isEmpty)
        #expect(scene.registry.overview.sequence == 0)
        #expect(scene.registry.page(after: 0, limit: 1).sequence == 0)
        #expect(scene.recorder.status.waiting == 3)
        let version = scene.registry.version
        scene.disk.go()
        scene.wait { scene.registry.sequence == 3 }
        #expect(scene.kept == [1, 2, 3] && scene.seen() == [1, 2, 3])
        #expect(scene.registry.version != version)
    }

    @Test("Events during a commit are in one other commit")
    func grouping() throws {
        let scene = try RecorderScene()
        try scene.recorder.start()
        scene.disk.hang()
        scene.happen()
        scene.disk.awaitHanging()
        scene.happen(2000)
        scene.disk.go()
        scene.wait { scene.registry.sequence == 2001 }
        #expect(scene.kept == Array(1...2001))
        #expect(scene.disk.state.withLock { $0.batches.count } < 10)
    }

    @Test("Maintenance of the file runs a second after the last event, not between events")
    func rest() throws {
        let scene = try RecorderScene()
        let rests = { scene.disk.state.withLock { $0.rests } }
        // Time passes here while a commit may still run on a busy machine: that is not a slow disk.
        scene.settings.withLock { $0.slowLimit = .seconds(1 << 40) }
        try scene.recorder.start()
        scene.recorder.apply(scene.settings.withLock { $0 })
        scene.disk.state.withLock { $0.wantsRest = true }
        for count in 1...5 {
            scene.happen()
            scene.wait { scene.registry.sequence == UInt64(count) }
            #expect(rests() == 0)
            scene.timers.advance(by: 900_000_000)
            // The loop looks at the clock when it has something to do.
            scene.recorder.apply(scene.settings.withLock { $0 })
        }
        scene.advance { rests() == 1 }
        scene.happen()
        scene.wait { scene.registry.sequence == 6 }
        scene.advance(seconds: 10)
        scene.happen()
        scene.wait { scene.registry.sequence == 7 }
        #expect(rests() == 1)
    }

    @Test("Readers have the first of many events before the last is written")
    func commits() throws {
        let scene = try RecorderScene()
        try scene.recorder.start()
        scene.disk.hang()
        scene.happen()
        scene.disk.awaitHanging()
        scene.happen(2000)
        scene.disk.go()
        scene.wait { scene.registry.sequence == 2001 }
        #expect(scene.disk.state.withLock { $0.batches.max() ?? 0 } <= 512)
    }

    @Test("After a restart sequences and epoch continue, and events that are not in memory are read from disk")
    func restart() throws {
        let disk = FakeDisk()
        let epoch: String
        do {
            let scene = try RecorderScene(disk)
            try scene.recorder.start()
            scene.happen(1000)
            scene.recorder.stop()
            epoch = scene.registry.epoch
            #expect(scene.kept.count == 1000)
        }
        let scene = try RecorderScene(disk)
        try scene.recorder.start()
        #expect(scene.registry.epoch == epoch && scene.registry.sequence == 1000)
        scene.happen(5)
        scene.wait { scene.registry.sequence == 1005 }
        #expect(scene.seen() == Array(1...1005))
        #expect(scene.seen(after: 998) == Array(999...1005) || scene.seen(after: 998) == Array(999...1000))
        #expect(scene.seen(after: 1000) == Array(1001...1005))
        #expect(scene.registry.events(after: .max - 1, limit: 0).oldest == 1)
    }

    @Test("A failure shows everything at once and under another epoch; then it is written again", arguments: failures)
    func failure(_ code: HistoryError.Code) throws {
        let scene = try RecorderScene()
        try scene.recorder.start()
        scene.happen(2)
        scene.wait { scene.registry.sequence == 2 }
        let epoch = scene.registry.epoch
        scene.disk.fail(code)
        scene.happen(3)
        scene.wait { scene.notes.list.count == 1 }
        #expect(scene.registry.sequence == 5)
        #expect(scene.registry.epoch != epoch)
        #expect(scene.seen() == [1, 2, 3, 4, 5])
        let second = scene.registry.epoch
        let status = scene.recorder.status
        #expect(status.state == .degraded && status.failure?.code == code && !scene.recorder.isDurable)
        #expect(status.waiting == 3)
        // A disk that is not better yet is asked again later and later, without another word.
        scene.advance { scene.disk.state.withLock { $0.openings.count } == 3 }
        scene.happen()
        #expect(scene.registry.sequence == 6 && scene.registry.epoch == second)
        #expect(scene.disk.state.withLock { $0.openings.prefix(3) } == [nil, code, code])
        scene.disk.fail(nil)
        scene.advance { scene.recorder.isDurable }
        scene.wait { scene.notes.list.count == 2 }
        #expect(scene.notes.list.map(\.level) == [.error, .info])
        #expect(scene.kept == [1, 2, 3, 4, 5, 6])
        #expect(scene.disk.store.epoch == second && scene.registry.epoch == second)
        #expect(try scene.disk.store.gaps().isEmpty)
        scene.happen()
        scene.wait { scene.registry.sequence == 7 }
        #expect(scene.kept.last == 7)
    }

    @Test("A slow disk delays no client")
    func slow() throws {
        let scene = try RecorderScene()
        try scene.recorder.start()
        scene.disk.hang()
        scene.happen()
        scene.disk.awaitHanging()
        scene.advance(seconds: 1)
        #expect(scene.registry.sequence == 0)
        let epoch = scene.registry.epoch
        scene.advance(seconds: 1)
        scene.wait { scene.notes.list.count == 1 }
        #expect(scene.recorder.status.failure?.code == .slow)
        #expect(scene.registry.sequence == 1 && scene.registry.epoch != epoch)
        let second = scene.registry.epoch
        scene.happen(2)
        #expect(scene.seen() == [1, 2, 3])
        // What it did after all is not forgotten, and not done twice.
        scene.disk.go()
        scene.advance { scene.recorder.isDurable }
        #expect(scene.kept == [1, 2, 3] && scene.disk.store.epoch == second)
    }

    @Test("A queue beyond its limit is not waited for")
    func overrun() throws {
        var settings = HistorySettings()
        settings.waitingLimit = 100
        let scene = try RecorderScene(settings: settings)
        try scene.recorder.start()
        scene.disk.hang()
        scene.happen()
        scene.disk.awaitHanging()
        scene.happen(101)
        scene.wait { scene.notes.list.count == 1 }
        #expect(scene.recorder.status.failure?.code == .overrun)
        #expect(scene.registry.sequence == 102)
        scene.disk.go()
    }

    @Test("Memory keeps unwritten events beyond its limits")
    func protection() throws {
        let scene = try RecorderScene(capacity: 16)
        try scene.recorder.start()
        scene.disk.hang()
        scene.happen()
        scene.disk.awaitHanging()
        scene.happen(1000)
        scene.disk.go()
        scene.wait { scene.registry.sequence == 1001 }
        #expect(scene.kept == Array(1...1001))
        scene.happen()
        scene.wait { scene.registry.sequence == 1002 }
        #expect(scene.registry.recordedEvents(after: 0, limit: 5000).events.count <= 17)
        #expect(scene.seen() == Array(1...1002))
    }

    @Test("Events that memory could not keep are a gap, which is always marked")
    func gap() throws {
        let scene = try RecorderScene(capacity: 16)
        try scene.recorder.start()
        scene.happen(3)
        scene.wait { scene.registry.sequence == 3 }
        scene.disk.fail(.full)
        scene.happen()
        scene.wait { scene.notes.list.count == 1 }
        let began = scene.wall.now()
        scene.wall.advance(milliseconds: 5000)
        scene.happen(40)
        scene.disk.fail(nil)
        scene.advance { scene.recorder.isDurable }
        let first = try #require(scene.disk.store.gaps().first)
        #expect(first.first == 4 && first.last == 28)
        #expect(first.reason == .full && first.began == began && first.ended == scene.wall.now())
        #expect(scene.recorder.status.lost == 25)
        scene.wait { scene.notes.list.count == 2 }
        #expect(scene.notes.list.last?.level == .warning)
        #expect(scene.kept == [1, 2, 3])
        let behind = scene.registry.events(after: 3, limit: 100)
        #expect(behind.events.isEmpty && behind.oldest == 29)
        #expect(scene.seen(after: 28) == Array(29...44))
        scene.recorder.stop()
        let again = try RecorderScene(scene.disk, capacity: 16)
        try again.recorder.start()
        let replayed = again.registry.events(after: 3, limit: 100)
        #expect(replayed.events.isEmpty && replayed.oldest == 29)
        #expect(again.seen(after: 28) == Array(29...44))
    }

    @Test(
        "A disk that cannot be written at the start is retried; events until then follow those in the log"
    )
    func badStart() throws {
        let disk = FakeDisk()
        do {
            let scene = try RecorderScene(disk)
            try scene.recorder.start()
            scene.happen(100)
            scene.recorder.stop()
        }
        disk.fail(.readOnly)
        let scene = try RecorderScene(disk)
        try scene.recorder.start()
        #expect(scene.recorder.status.state == .degraded && scene.notes.list.count == 1)
        scene.happen(5)
        #expect(scene.seen() == [1, 2, 3, 4, 5])
        let epoch = scene.registry.epoch
        // Places are of numbers, and those of before mean other events behind.
        scene.recorder.keep(deliveryMarks: ["hook": "4"], numbering: 0)
        disk.fail(nil)
        scene.advance { scene.recorder.isDurable }
        #expect(scene.registry.epoch != epoch && scene.registry.sequence == 105 && scene.registry.numbering == 100)
        scene.recorder.keep(deliveryMarks: ["old": "4"], numbering: 0)
        scene.recorder.keep(deliveryMarks: ["new": "104"], numbering: 100)
        scene.happen()
        scene.wait { scene.registry.sequence == 106 }
        #expect(scene.kept == Array(1...106) && scene.recorder.status.lost == 0)
        scene.recorder.stop()
        #expect(try disk.store.marks() == ["new": "104"])
        #expect(disk.store.epoch == scene.registry.epoch)
    }

    @Test("A disk that fails again during recovery gets each event once")
    func badReturn() throws {
        let disk = FakeDisk()
        try disk.store.append(
            (1...100).map {
                RecordedEvent(sequence: $0, at: Timestamp(milliseconds: 0), type: .config, data: Array("{}".utf8))
            }
        )
        disk.fail(.readOnly)
        let scene = try RecorderScene(disk)
        try scene.recorder.start()
        scene.happen(5_000)
        disk.fail(nil)
        disk.hang()
        scene.advance { disk.state.withLock { $0.openings.count } == 2 }
        // The opening, the first batch, and the second one, which fails.
        for _ in 0..<2 {
            disk.awaitHanging()
            disk.hang()
            disk.go()
        }
        disk.awaitHanging()
        #expect(scene.recorder.isReturning && scene.registry.sequence == 5_100)
        disk.fail(.full)
        disk.go()
        scene.wait { scene.recorder.status.failure?.code == .full }
        #expect(!scene.recorder.isReturning && scene.kept.count > 100 && scene.kept.count < 5_100)
        disk.fail(nil)
        scene.advance { scene.recorder.isDurable }
        #expect(scene.kept == Array(1...5_100) && scene.registry.numbering == 100)
    }

    @Test("Events that left memory before an earlier run's log was back are a gap after its events")
    func badStartGap() throws {
        let disk = FakeDisk()
        do {
            let scene = try RecorderScene(disk)
            try scene.recorder.start()
            scene.happen(10)
            scene.recorder.stop()
        }
        disk.fail(.readOnly)
        let scene = try RecorderScene(disk, capacity: 16)
        try scene.recorder.start()
        scene.happen(40)
        disk.fail(nil)
        scene.advance { scene.recorder.isDurable }
        let gap = try #require(try disk.store.gaps().first)
        #expect(gap.first == 11 && gap.last == 34 && scene.recorder.status.lost == 24)
        #expect(scene.seen(after: 34) == Array(35...50))
    }

    @Test("A new file receives the events in memory")
    func newFile() throws {
        let scene = try RecorderScene()
        try scene.recorder.start()
        scene.happen(3)
        scene.wait { scene.registry.sequence == 3 }
        scene.disk.fail(.removed)
        scene.happen()
        scene.wait { scene.notes.list.count == 1 }
        scene.disk.state.withLock { state in
            state.store = MemoryEventStore()
            state.fault = nil
        }
        scene.advance { scene.recorder.isDurable }
        #expect(scene.kept == [1, 2, 3, 4] && scene.disk.store.epoch == scene.registry.epoch)
    }

    @Test("Errors that need an operator, and any failure of a required log, prevent the start")
    func refusal() throws {
        for code in [HistoryError.Code.locked, .tooNew, .foreign] {
            let scene = try RecorderScene()
            scene.disk.fail(code)
            #expect(#expect(throws: HistoryError.self) { try scene.recorder.start() }?.code == code)
        }
        var settings = HistorySettings()
        settings.isRequired = true
        for code in [HistoryError.Code.full, .cannotOpen] {
            let scene = try RecorderScene(settings: settings)
            scene.disk.fail(code)
            #expect(throws: HistoryError.self) { try scene.recorder.start() }
        }
    }

    @Test("A file that cannot be opened, where the log is not required: events are in memory, and it is tried again")
    func cannotOpen() throws {
        let scene = try RecorderScene()
        scene.disk.fail(.cannotOpen)
        try scene.recorder.start()
        #expect(scene.recorder.status.state == .degraded && scene.recorder.status.failure?.code == .cannotOpen)
        scene.wait { scene.notes.list.count == 1 }
        scene.happen(3)
        scene.wait { scene.seen() == [1, 2, 3] }
        scene.disk.state.withLock { $0.fault = nil }
        scene.advance { scene.recorder.isDurable }
        #expect(scene.kept == [1, 2, 3])
    }

    @Test("A log that failed is tried once more at the end, and then the number of lost events is reported")
    func lastTry() throws {
        let scene = try RecorderScene()
        try scene.recorder.start()
        scene.happen(2)
        scene.wait { scene.registry.sequence == 2 }
        scene.disk.fail(.full)
        scene.happen(3)
        scene.wait { scene.notes.list.count == 1 }
        scene.disk.fail(nil)
        scene.recorder.stop()
        #expect(scene.kept == [1, 2, 3, 4, 5])
        #expect(scene.notes.list.map(\.level) == [.error, .info])
    }

    @Test("The end writes everything first, and does not wait for a disk that hangs")
    func ending() throws {
        let scene = try RecorderScene()
        try scene.recorder.start()
        scene.happen(20_000)
        scene.recorder.stop()
        #expect(scene.kept.count == 20_000)
        let hanging = try RecorderScene()
        try hanging.recorder.start()
        hanging.disk.fail(.full)
        hanging.happen()
        hanging.recorder.stop()
        #expect(hanging.registry.sequence == 1)
        #expect(
            hanging.notes.list.last?.text.hasPrefix("1 events were not stored and are lost when reachd ends: ") == true
        )
        let stuck = try RecorderScene()
        try stuck.recorder.start()
        stuck.disk.hang()
        stuck.happen()
        stuck.disk.awaitHanging()
        defer { stuck.disk.go() }
        stuck.advance(seconds: 3)
        stuck.recorder.stop(within: .milliseconds(1))
        #expect(stuck.registry.sequence == 1)
    }

    @Test("Limits hold, and others take their place at once; a clock that was set forward removes nothing")
    func retention() throws {
        var settings = HistorySettings()
        // Here time goes by without anybody waiting.
        settings.slowLimit = .seconds(1 << 30)
        let scene = try RecorderScene(settings: settings)
        try scene.recorder.start()
        scene.happen(100)
        scene.wait { scene.registry.sequence == 100 }
        scene.wall.advance(milliseconds: 365 * 86_400_000)
        scene.advance(seconds: 3600)
        scene.happen()
        scene.wait { scene.registry.sequence == 101 }
        #expect(scene.kept.count == 101)
        // It stays so for longer than a mistake would: it is the time. A look between the two clocks sees one of them jump, and
        // then it takes as long once more.
        var count: UInt64 = 101
        repeat {
            scene.wall.advance(milliseconds: 600_000)
            scene.advance(seconds: 600)
            scene.happen()
            count += 1
            scene.wait { scene.registry.sequence == count }
        } while scene.disk.store.oldest == 1
        #expect(scene.disk.store.oldest == 101)
        #expect(scene.registry.events(after: .max - 1, limit: 0).oldest <= 101)
        settings.retention.bytes = 1
        scene.recorder.apply(settings)
        scene.happen()
        scene.settings.withLock { $0 = settings }
        scene.advance { scene.kept.count <= 1 }
    }
}
