// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import History
import LinuxIO
import Monitoring
import MonitoringTestSupport
import Synchronization
import TestSupport
import Testing

/// What any implementation of ``EventStore`` must do. A new one is added to ``Kind``.
@Suite("Every event store", .timeLimit(.minutes(15)))
struct EventStoreConformance {
    enum Kind: String, CaseIterable, Sendable {
        case memory, sqlite
    }

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func store(_ kind: Kind, _ name: String = "log.db") throws -> any EventStore {
        switch kind {
        case .memory: MemoryEventStore()
        case .sqlite: try SQLiteEventFile(path: folder.path(of: name)).open(now: Timestamp(milliseconds: 0)).store
        }
    }

    @Test("An empty one has an epoch, an identity, and nothing else", arguments: Kind.allCases)
    func empty(_ kind: Kind) throws {
        let (first, second) = (try store(kind), try store(kind, "other.db"))
        #expect(EventID(parsing: "\(first.epoch)-0") != nil)
        #expect(first.epoch != second.epoch && first.identity != second.identity)
        #expect(first.head == 0 && first.oldest == 1)
        #expect(try first.events(after: 0, limit: 10).isEmpty)
        #expect(try first.oldestTime() == nil)
        #expect(try first.gaps().isEmpty)
    }

    @Test("Events come back as they were, in order, behind any number", arguments: Kind.allCases)
    func replay(_ kind: Kind) throws {
        let store = try store(kind)
        let events = (1...99).map { RecordedEvent.sample($0) } + [.bare(100)]
        try store.append(Array(events[..<40]))
        try store.append([])
        try store.append(Array(events[40...]))
        #expect(store.head == 100 && store.oldest == 1)
        for position in 0...101 as ClosedRange<UInt64> {
            let rest = Array(events.dropFirst(Int(position)))
            #expect(try store.events(after: position, limit: 1000) == rest)
            #expect(try store.events(after: position, limit: 7) == Array(rest.prefix(7)))
        }
        #expect(try store.oldestTime() == events[0].at)
    }

    @Test("Events out of order are refused, and none is stored", arguments: Kind.allCases)
    func order(_ kind: Kind) throws {
        let store = try store(kind)
        try store.append((1...3).events)
        #expect(throws: HistoryError.self) { try store.append([.sample(4), .sample(4)]) }
        #expect(throws: HistoryError.self) { try store.append([.sample(3)]) }
        #expect(store.head == 3)
        #expect(try store.events(after: 0, limit: 10).map(\.sequence) == [1, 2, 3])
        try store.append([.sample(4)])
        #expect(store.head == 4)
    }

    @Test("A missing sequence ends a read, and later events are found", arguments: Kind.allCases)
    func missing(_ kind: Kind) throws {
        let store = try store(kind)
        let gap = EventGap(
            first: 4,
            last: 9,
            began: Timestamp(milliseconds: 1),
            ended: Timestamp(milliseconds: 2),
            reason: .full
        )
        try store.append((1...3).events)
        try store.append((10...12).events)
        try store.adopt(epoch: "abc", head: 12, gaps: [gap])
        #expect(store.epoch == "abc" && store.head == 12)
        #expect(try store.events(after: 0, limit: 10).map(\.sequence) == [1, 2, 3])
        #expect(try store.events(after: 3, limit: 10).map(\.sequence) == [10, 11, 12])
        #expect(try store.events(after: 5, limit: 2).map(\.sequence) == [10, 11])
        #expect(try store.gaps() == [gap])
    }

    @Test("Sequences continue after a head that was adopted, with or without events", arguments: Kind.allCases)
    func adoption(_ kind: Kind) throws {
        let store = try store(kind)
        try store.adopt(epoch: "1", head: 500, gaps: [])
        #expect(store.head == 500 && store.oldest == 501)
        #expect(throws: HistoryError.self) { try store.append([.sample(500)]) }
        try store.append([.sample(501)])
        try store.adopt(epoch: "2", head: 7, gaps: [])
        #expect(store.head == 501 && store.oldest == 501 && store.epoch == "2")
    }

    @Test("Old events go by age, the newer ones stay", arguments: Kind.allCases)
    func age(_ kind: Kind) throws {
        let store = try store(kind)
        try store.append((1...5000).map { .sample($0, at: 0) })
        let limit = RetentionLimit(age: .seconds(1), bytes: 1 << 40)
        #expect(try !store.trim(to: limit, now: nil))
        #expect(store.oldest == 1)
        while try store.trim(to: limit, now: Timestamp(milliseconds: 4501)) {}
        #expect(store.oldest == 3501)
        #expect(try store.events(after: 0, limit: 1).map(\.sequence) == [3501])
        #expect(try store.oldestTime() == Timestamp(milliseconds: 3501))
        // A clock that was set back makes nothing old.
        while try store.trim(to: limit, now: Timestamp(milliseconds: -9_000_000)) {}
        #expect(store.oldest == 3501)
    }

    @Test("The oldest events go when all take more room than they may", arguments: Kind.allCases)
    func size(_ kind: Kind) throws {
        let store = try store(kind)
        for start in stride(from: UInt64(1), to: 8000, by: 1000) {
            try store.append((start...(start + 999)).map { .sample($0, size: 1000) })
        }
        _ = try store.trim(to: RetentionLimit(age: .seconds(1 << 40), bytes: 1 << 40), now: nil)
        let before = store.size
        let limit = RetentionLimit(age: .seconds(1 << 40), bytes: 2 << 20)
        while try store.trim(to: limit, now: nil) {}
        #expect(before > 8 << 20)
        #expect(store.size <= (2 << 20) + (256 << 10))
        #expect(store.oldest > 5000 && store.oldest < 8000 && store.head == 8000)
    }

    @Test("Marks are kept, replaced and forgotten, by any name", arguments: Kind.allCases)
    func marks(_ kind: Kind) throws {
        let store = try store(kind)
        #expect(try store.marks().isEmpty)
        try store.setMarks(["a": "1", "b'%_;": "2 3-4", "": "5"])
        #expect(try store.marks() == ["a": "1", "b'%_;": "2 3-4", "": "5"])
        try store.setMarks(["a": "9", "": nil, "none": nil])
        #expect(try store.marks() == ["a": "9", "b'%_;": "2 3-4"])
        #expect(EventID(parsing: "\(store.epoch)-0") != nil)
    }

    @Test("The last problem of each target up to a number", arguments: Kind.allCases)
    func problems(_ kind: Kind) throws {
        let store = try store(kind)
        let steps: [(target: String, to: TargetState)] = [
            ("a", .down), ("b", .unreachable), ("a", .up), ("c", .degraded), ("b", .down), ("b", .paused),
            ("a", .degraded),
        ]
        let events = steps.enumerated().map { index, step in
            RecordedEvent(
                sequence: UInt64(index) + 1,
                at: Timestamp(milliseconds: 0),
                type: .state,
                target: step.target,
                transition: .init(from: .unknown, to: step.to, reason: nil, cause: nil),
                data: Array("{}".utf8)
            )
        }
        try store.append(events + [.bare(8)])
        func problems(_ sequence: UInt64) throws -> [UInt64] {
            try store.lastProblems(through: sequence).map(\.sequence)
        }
        #expect(try problems(0) == [])
        #expect(try problems(2) == [1, 2])
        #expect(try problems(4) == [2, 4])
        // A pause is no judgement: it was down before.
        #expect(try problems(6) == [4, 5])
        #expect(try problems(100) == [4, 5, 7])
        #expect(try store.lastProblems(through: 4) == [events[1], events[3]])
    }

    @Test("Others read while one writes, and see whole batches", arguments: Kind.allCases)
    func concurrency(_ kind: Kind) throws {
        let store = try store(kind)
        let isOver = Atomic(false)
        let faults = Mutex<[String]>([])
        let flags = Shared(isOver: isOver, faults: faults)
        let reader = try Thread(name: "reader") {
            repeat {
                do throws(HistoryError) {
                    let events = try store.events(after: 0, limit: 10_000)
                    let numbers = events.map(\.sequence)
                    if numbers != (0..<numbers.count).map({ UInt64($0) + 1 }) || numbers.count % 10 != 0 {
                        flags.faults.withLock { $0.append("\(numbers.count)") }
                    }
                } catch {
                    flags.faults.withLock { $0.append("\(error)") }
                }
            } while !flags.isOver.load(ordering: .relaxed)
        }
        for batch in 0..<100 as Range<UInt64> { try store.append((batch * 10 + 1...batch * 10 + 10).events) }
        flags.isOver.store(true, ordering: .relaxed)
        reader.end()
        #expect(flags.faults.withLock { $0 } == [])
    }

    private final class Shared: Sendable {
        let isOver: Atomic<Bool>
        let faults: Mutex<[String]>

        init(isOver: consuming Atomic<Bool>, faults: consuming Mutex<[String]>) {
            self.isOver = isOver
            self.faults = faults
        }
    }
}
