// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Testing

@testable import Fleet

@Suite("Reading and numbering reports") struct ReportQueueTests {
    private static let tokens: [AssignmentKey: UInt64] = [ListedSource.key(0): 1]

    /// A queue whose database has all events so far.
    private static func makeQueue(_ source: ListedSource, at sequence: UInt64 = 1) -> ReportQueue {
        var queue = ReportQueue()
        if source.newest < sequence { source.otherEvents(Int(sequence - source.newest)) }
        queue.adopt(epoch: source.epoch, reported: LocalPosition(sequence: sequence, index: 0))
        return queue
    }

    private static func kinds(_ batch: ReportBatch?) -> [Report.Kind] { batch?.entries.map(\.report.kind) ?? [] }

    @Test("Reports of events have the events' numbers, and other events are passed over")
    func events() {
        let source = ListedSource()
        var queue = Self.makeQueue(source)
        #expect(queue.read(source) == false)
        #expect(queue.pending == nil)
        source.vote("a", .down)
        source.otherEvents(3)
        source.vote("b", .up)
        _ = queue.read(source)
        #expect(queue.pending?.entries.map(\.position.sequence) == [2, 6])
        #expect(queue.pending?.entries.allSatisfy { $0.position.index == 0 } == true)
        #expect(queue.backlog(newest: source.newest) == 2)
        queue.acknowledge(LocalPosition(sequence: 6, index: 0))
        #expect(queue.pending == nil)
        #expect(queue.backlog(newest: source.newest) == 0)
        source.otherEvents(10)
        #expect(queue.read(source) == false)
        #expect(queue.backlog(newest: source.newest) == 0)
    }

    @Test("A batch stays the same until it is acknowledged")
    func resending() {
        let source = ListedSource()
        var queue = Self.makeQueue(source)
        source.vote("a", .down)
        _ = queue.read(source)
        let first = queue.batch(for: Self.tokens)
        source.vote("a", .up)
        _ = queue.read(source)
        #expect(queue.batch(for: Self.tokens) == first)
        // The renewal after a lost answer shows that it was stored.
        queue.reconcile(LocalPosition(sequence: 2, index: 0))
        #expect(queue.pending == nil)
        _ = queue.read(source)
        #expect(queue.pending?.entries.map(\.position.sequence) == [3])
    }

    @Test("Batches grow with what is waiting, to their limits in number and size")
    func growth() {
        let source = ListedSource()
        var queue = Self.makeQueue(source)
        for number in 0..<10_000 { source.vote("t\(number)", .down) }
        var sizes: [Int] = []
        while !queue.read(source), let batch = queue.batch(for: Self.tokens), let last = batch.last {
            sizes.append(batch.entries.count)
            queue.acknowledge(last)
        }
        #expect(sizes == [4_096, 4_096, 1_808])
        for number in 0..<1_000 { source.vote("t\(number)", .down, detail: String(repeating: "x", count: 4_000)) }
        _ = queue.read(source)
        let size = queue.pending?.entries.reduce(0) { $0 + $1.report.size } ?? 0
        #expect(size <= 1 << 20)
        #expect(size > 1_000_000)
    }

    @Test("Reports of shards that the node does not have, or has under another token, are dropped")
    func foreignShards() {
        let source = ListedSource()
        var queue = Self.makeQueue(source)
        source.vote("a", .down, shard: 0, token: 1)
        source.vote("b", .down, shard: 9, token: 1)
        source.vote("c", .down, shard: 0, token: 2)
        _ = queue.read(source)
        #expect(queue.batch(for: Self.tokens)?.entries.map(\.report.observation?.target) == ["a"])
        #expect(queue.dropped == 2)
        // The shard is lost before the batch is sent again.
        #expect(queue.batch(for: [:]) == nil)
        #expect(queue.pending == nil)
        #expect(queue.dropped == 3)
        #expect(queue.backlog(newest: source.newest) == 0)
    }

    @Test("A new local epoch begins with the states of all targets, which end with a completing number")
    func newEpoch() {
        let source = ListedSource()
        var queue = Self.makeQueue(source)
        for number in 0..<5_000 { source.vote("t\(number)", .up) }
        source.beginEpoch("e2", from: 3)
        #expect(queue.needsEpoch(source))
        #expect(queue.read(source) == false)
        #expect(queue.pending == nil)
        queue.adopt(epoch: "e2", reported: .zero)
        _ = queue.read(source)
        #expect(queue.pending?.entries.count == 4_096)
        #expect(Set(Self.kinds(queue.pending)) == [.state])
        #expect(queue.pending?.last == LocalPosition(sequence: 3, index: 4_096))
        #expect(queue.pending?.last?.isPartial == true)
        #expect(queue.backlog(newest: source.newest) > 0)
        queue.acknowledge(LocalPosition(sequence: 3, index: 4_096))
        source.vote("t1", .down)
        _ = queue.read(source)
        #expect(queue.pending?.entries.count == 904)
        #expect(queue.pending?.last == LocalPosition(sequence: 3, index: LocalPosition.firstComplete))
        queue.acknowledge(LocalPosition(sequence: 3, index: LocalPosition.firstComplete))
        _ = queue.read(source)
        #expect(Self.kinds(queue.pending) == [.vote])
        #expect(queue.pending?.last == LocalPosition(sequence: 4, index: 0))
    }

    @Test("A node that restarts between two pages of states reports all states again, under higher numbers")
    func restartBetweenPages() {
        let source = ListedSource()
        for number in 0..<3 { source.vote("t\(number)", .up) }
        var queue = ReportQueue()
        queue.adopt(epoch: "e1", reported: LocalPosition(sequence: 3, index: 2))
        _ = queue.read(source)
        #expect(Self.kinds(queue.pending) == [.state, .state, .state])
        #expect(queue.pending?.entries.map(\.position.index) == [3, 4, LocalPosition.firstComplete])
    }

    @Test("Events that left the log before they were reported are replaced by the states")
    func gap() {
        let source = ListedSource()
        var queue = Self.makeQueue(source)
        source.vote("a", .down)
        source.vote("a", .up)
        source.vote("b", .down)
        source.trim(3)
        _ = queue.read(source)
        #expect(Self.kinds(queue.pending) == [.state, .state])
        #expect(queue.pending?.entries.map(\.report.observation?.state) == [.up, .down])
        #expect(queue.pending?.last == LocalPosition(sequence: 4, index: LocalPosition.firstComplete))
    }

    @Test("Without targets the list of states is empty and nothing is sent")
    func emptyStates() {
        let source = ListedSource()
        source.otherEvents(5)
        var queue = ReportQueue()
        queue.adopt(epoch: "e1", reported: .zero)
        #expect(queue.read(source) == false)
        #expect(queue.pending == nil)
        #expect(queue.backlog(newest: source.newest) == 0)
    }

    @Test("A database that lost data receives the events after its position again")
    func lostData() {
        let source = ListedSource()
        var queue = Self.makeQueue(source)
        for number in 0..<4 { source.vote("t\(number)", .down) }
        _ = queue.read(source)
        queue.acknowledge(LocalPosition(sequence: 5, index: 0))
        queue.reconcile(LocalPosition(sequence: 3, index: 0))
        _ = queue.read(source)
        #expect(queue.pending?.entries.map(\.position.sequence) == [4, 5])
    }

    @Test("A log that ends before the stored position needs a new position")
    func shorterLog() {
        let source = ListedSource()
        var queue = Self.makeQueue(source, at: 9)
        #expect(!queue.needsEpoch(source))
        source.beginEpoch("e1", from: 4)
        #expect(queue.needsEpoch(source))
        queue.adopt(epoch: "e1", reported: .zero)
        #expect(!queue.needsEpoch(source))
    }

    @Test("A confirmation follows the votes before it, and is numbered between events")
    func confirmations() {
        let source = ListedSource()
        var queue = Self.makeQueue(source)
        source.vote("a", .down)
        source.confirm(0)
        source.vote("a", .up)
        _ = queue.read(source)
        #expect(Self.kinds(queue.pending) == [.vote, .vote, .confirmed])
        #expect(queue.pending?.last == LocalPosition(sequence: 3, index: LocalPosition.firstComplete))
        if let last = queue.pending?.last { queue.acknowledge(last) }
        source.confirm(0)
        _ = queue.read(source)
        #expect(queue.pending?.last == LocalPosition(sequence: 3, index: LocalPosition.firstComplete + 1))
        if let last = queue.pending?.last { queue.acknowledge(last) }
        source.vote("b", .down)
        _ = queue.read(source)
        #expect(queue.pending?.last == LocalPosition(sequence: 4, index: 0))
    }

    @Test("After a loss of the database's data a confirmation waits for the votes that precede it")
    func confirmationAfterLoss() {
        let source = ListedSource()
        var queue = Self.makeQueue(source)
        // Two batches by their size; there is room for more reports in each.
        for number in 0..<400 { source.vote("t\(number)", .down, detail: String(repeating: "x", count: 4_000)) }
        source.confirm(0)
        _ = queue.read(source)
        let end = queue.pending?.last ?? .zero
        #expect(end.sequence < 401)
        queue.acknowledge(end)
        _ = queue.read(source)
        #expect(Self.kinds(queue.pending).last == .confirmed)
        queue.reconcile(LocalPosition(sequence: 1, index: 0))
        _ = queue.read(source)
        #expect(Set(Self.kinds(queue.pending)) == [.vote])
        queue.acknowledge(end)
        _ = queue.read(source)
        #expect(Self.kinds(queue.pending).last == .confirmed)
        #expect(queue.pending?.last?.sequence == 401)
    }

    @Test("A rejected batch is halved until one report is left, which is dropped")
    func rejection() {
        let source = ListedSource()
        var queue = Self.makeQueue(source)
        for number in 0..<100 { source.vote("t\(number)", number == 41 ? .maintenance : .down) }
        source.confirm(0)
        var stored: [Report] = []
        for _ in 0..<1_000 {
            _ = queue.read(source)
            guard let batch = queue.batch(for: Self.tokens), let last = batch.last else { break }
            if batch.entries.contains(where: { $0.report.observation?.state == .maintenance }) {
                queue.reject()
            } else {
                stored += batch.entries.map(\.report)
                queue.acknowledge(last)
            }
        }
        #expect(stored.count == 100)
        #expect(stored.last?.kind == .confirmed)
        #expect(queue.dropped == 1)
        #expect(queue.backlog(newest: source.newest) == 0)
    }

    @Test("A source that returns too much, repeats or makes no progress cannot block the queue")
    func uselessSource() {
        final class Useless: ReportSource {
            let epoch = "e1"
            var newest: UInt64 = 10
            func reports(after sequence: UInt64, limit: Int, bytes: Int) -> ReportPage {
                .events([], through: sequence)
            }
            func states(after cursor: String?, limit: Int, bytes: Int) -> StatePage {
                StatePage(reports: [], next: "same")
            }
            func takeAdditions(through sequence: UInt64, limit: Int) -> [Report] { [] }
        }
        var queue = ReportQueue()
        queue.adopt(epoch: "e1", reported: .zero)
        let source = Useless()
        for _ in 0..<10 where !queue.read(source) {}
        #expect(queue.pending == nil)
        source.newest = 20
        #expect(queue.read(source) == false)
    }
}
