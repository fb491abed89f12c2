// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import TestSupport
import Testing

@testable import Fleet

/// The database's side of the report statement.
private struct NaiveInbox {
    var epoch = ""
    var reported = LocalPosition.zero
    /// The newest state of each target.
    var votes: [String: TargetState] = [:]
    var rows: [(epoch: String, entry: ReportBatch.Entry)] = []

    mutating func beginEpoch(_ epoch: String, end: LocalPosition) -> LocalPosition {
        if self.epoch != epoch || reported > end { reported = .zero }
        self.epoch = epoch
        return reported
    }

    /// - Returns: nil when the epoch is another.
    mutating func store(_ batch: ReportBatch, epoch: String) -> LocalPosition? {
        guard self.epoch == epoch else { return nil }
        for entry in batch.entries where entry.position > reported {
            rows.append((epoch, entry))
            if let observation = entry.report.observation { votes[observation.target] = observation.state }
        }
        reported = max(reported, batch.last ?? .zero)
        return reported
    }
}

@Suite("Reports in random histories") struct ReportQueueWalkTests {
    @Test(
        "In random histories every report is stored once, and in the end the database has every target's state",
        arguments: 0..<200
    )
    func walk(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let source = ListedSource()
        var queue = ReportQueue()
        var inbox = NaiveInbox()
        var backup = inbox
        var epochs = 1
        let tokens: [AssignmentKey: UInt64] = [ListedSource.key(0): 1]
        let states: [TargetState] = [.up, .down, .degraded, .unreachable]

        func exchange(isReliable: Bool) {
            // A renewal first, as on a new connection.
            if inbox.epoch == queue.epoch { queue.reconcile(inbox.reported) }
            if queue.needsEpoch(source) {
                let end = LocalPosition(sequence: source.newest, index: LocalPosition.lastIndex)
                let reported = inbox.beginEpoch(source.epoch, end: end)
                if isReliable || !random.once(in: 5) { queue.adopt(epoch: source.epoch, reported: reported) }
            }
            _ = queue.read(source)
            guard let batch = queue.batch(for: tokens), let epoch = queue.epoch else { return }
            #expect(batch.entries.count <= ReportBatch.limit)
            if !isReliable, random.once(in: 4) { return }
            let copies = random.once(in: 3) ? 2 : 1
            var answer: LocalPosition?
            for _ in 0..<copies { answer = inbox.store(batch, epoch: epoch) }
            if !isReliable, random.once(in: 4) { return }
            if let answer { queue.acknowledge(answer) } else { queue.forgetEpoch() }
        }

        for _ in 0..<300 {
            switch Int.random(in: 0..<24, using: &random) {
            case 0..<10:
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    let target = "t\(Int.random(in: 0..<12, using: &random))"
                    source.vote(target, states[Int.random(in: 0..<4, using: &random)])
                }
            case 10: source.vote("foreign", .down, shard: 3)
            case 11: source.otherEvents(Int.random(in: 1...5, using: &random))
            case 12: source.trim(Int.random(in: 1...10, using: &random))
            case 13 where random.once(in: 4):
                epochs += 1
                source.beginEpoch("e\(epochs)", from: UInt64.random(in: 0...50, using: &random))
            case 14 where random.once(in: 3):
                // The node restarts: the database's position is all that is left.
                queue = ReportQueue()
                queue.adopt(
                    epoch: source.epoch,
                    reported: inbox.beginEpoch(source.epoch, end: .init(stored: .max) ?? .zero)
                )
            case 15: backup = inbox
            case 16 where random.once(in: 6): inbox = backup
            case 17: source.confirm(0)
            default: exchange(isReliable: false)
            }
        }
        for _ in 0..<50 { exchange(isReliable: true) }
        #expect(queue.backlog(newest: source.newest) == 0)
        for target in source.targets where target != "foreign" {
            #expect(inbox.votes[target] == source.state(of: target), "target \(target)")
        }
        #expect(inbox.votes["foreign"] == nil)
        // What the database lost is not among its rows.
        let votes = inbox.rows.filter { $0.entry.report.kind == .vote }.map {
            "\($0.epoch) \($0.entry.report.sequence)"
        }
        #expect(Set(votes).count == votes.count)
    }
}
