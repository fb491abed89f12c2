// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@testable import Monitoring

@Suite("The probe scheduler")
struct StartQueueTests {
    typealias Queue = ProbeScheduler<String>

    private func queue(_ total: Int, _ perAddress: Int) throws -> Queue {
        Queue(limits: try ProbeSchedulerLimits(total: total, perAddress: perAddress))
    }

    private func startAll(_ queue: Queue, at now: UInt64) -> [UInt64] {
        var started: [UInt64] = []
        while let start = queue.start(at: now) { started.append(start.id) }
        return started
    }

    @Test("Probes start in order of due time, then of submission, never early, with their lag")
    func order() throws {
        let queue = try queue(10, 10)
        for (id, due) in [(1, 30), (2, 10), (3, 20), (4, 10), (5, 31)] as [(UInt64, UInt64)] {
            queue.schedule(id, due: due, address: nil)
        }
        #expect(queue.nextDue() == 10)
        #expect(queue.start(at: 9) == nil)
        #expect(queue.start(at: 15) == ProbeStart(id: 2, due: 10, lag: 5))
        #expect(startAll(queue, at: 30) == [4, 3, 1])
        #expect(queue.nextDue() == 31)
        #expect(queue.runningCount == 4)
    }

    @Test("Above the total limit probes wait in order of due time")
    func total() throws {
        let queue = try queue(2, 2)
        for id in 1...5 as ClosedRange<UInt64> { queue.schedule(id, due: 10 - id, address: nil) }
        #expect(startAll(queue, at: 100) == [5, 4])
        #expect(queue.nextDue() == nil)
        queue.finish(4, timedOut: false)
        #expect(startAll(queue, at: 100) == [3])
        queue.finish(5, timedOut: false)
        queue.finish(3, timedOut: false)
        #expect(startAll(queue, at: 100) == [2, 1])
    }

    @Test("Above its address's limit a target waits without delaying other addresses")
    func perAddress() throws {
        let queue = try queue(100, 2)
        for id in 0..<10 as Range<UInt64> { queue.schedule(id, due: id, address: "slow") }
        queue.schedule(20, due: 50, address: "fast")
        #expect(startAll(queue, at: 100) == [0, 1, 20])
        queue.finish(0, timedOut: true)
        #expect(startAll(queue, at: 200) == [2])
        queue.finish(2, timedOut: true)
        queue.finish(1, timedOut: true)
        #expect(startAll(queue, at: 200) == [3, 4])
    }

    @Test("Above an address limit a probe starts 20 ms after the last start, and the next time is reported")
    func spacing() throws {
        let queue = try queue(100, 2)
        for id in 0..<5 as Range<UInt64> { queue.schedule(id, due: 100, address: "slow") }
        #expect(startAll(queue, at: 100) == [0, 1])
        for id in 2..<5 as Range<UInt64> {
            let turn = 100 + (id - 1) * ProbeLane.spacing
            #expect(queue.nextDue() == turn)
            #expect(queue.start(at: turn - 1) == nil)
            #expect(queue.start(at: turn) == ProbeStart(id: id, due: 100, lag: 0, wait: turn - 100))
        }
        #expect(queue.nextDue() == nil)
        queue.schedule(9, due: 200, address: "slow")
        #expect(queue.nextDue() == 200)
        #expect(queue.start(at: 200) == nil, "20 ms after the last")
        for id in 0..<5 as Range<UInt64> { queue.finish(id, timedOut: true) }
        #expect(queue.start(at: 300)?.id == 9, "a place is free")
    }

    @Test("No probe waits more than a second for its address, and starts are spread over that second")
    func longestWait() throws {
        for count in [60, 1_000, 20_000] as [UInt64] {
            let queue = try queue(100_000, 1)
            for id in 0..<count { queue.schedule(id, due: 0, address: "slow") }
            var now: UInt64 = 0
            var started = 0
            var most = 0
            while started < count {
                let batch = startAll(queue, at: now).count
                most = max(most, batch)
                started += batch
                guard let due = queue.nextDue() else { break }
                // As the driver does, in steps.
                now = (due + 9_999_999) / 10_000_000 * 10_000_000
            }
            #expect(started == count)
            #expect(now <= ProbeLane.longestWait)
            #expect(most <= Int(count) / 100 + 2)
        }
    }

    @Test("Only lateness of the thread is lag; waiting for a limit is not")
    func lagAndWait() throws {
        let queue = try queue(2, 1)
        queue.schedule(1, due: 0, address: "a")
        queue.schedule(2, due: 10, address: "a")
        queue.schedule(3, due: 20, address: "b")
        queue.schedule(4, due: 30, address: "c")
        #expect(queue.start(at: 50) == ProbeStart(id: 1, due: 0, lag: 50))
        #expect(queue.start(at: 50) == ProbeStart(id: 3, due: 20, lag: 30))
        #expect(queue.start(at: 60) == nil)
        queue.finish(1, timedOut: false)
        #expect(queue.start(at: 5_000) == ProbeStart(id: 2, due: 10, lag: 40, wait: 4_950))
        queue.finish(3, timedOut: false)
        #expect(queue.start(at: 6_000) == ProbeStart(id: 4, due: 30, lag: 20, wait: 5_950))
    }

    @Test("Probes that time out may use half of the slots")
    func suspects() throws {
        let queue = try queue(4, 1)
        for id in 0..<4 as Range<UInt64> { queue.schedule(id, due: 0, address: nil) }
        #expect(startAll(queue, at: 0) == [0, 1, 2, 3])
        for id in 0..<4 as Range<UInt64> { queue.finish(id, timedOut: true) }
        for id in 0..<4 as Range<UInt64> { queue.schedule(id, due: 10, address: nil) }
        for id in 10..<13 as Range<UInt64> { queue.schedule(id, due: 20, address: nil) }
        #expect(startAll(queue, at: 20) == [0, 1, 10, 11])
        queue.finish(10, timedOut: false)
        #expect(startAll(queue, at: 20) == [12])
        queue.finish(0, timedOut: false)
        #expect(startAll(queue, at: 20) == [2])
        queue.finish(2, timedOut: true)
        queue.finish(11, timedOut: false)
        #expect(startAll(queue, at: 20) == [3])
        queue.schedule(0, due: 30, address: nil)
        queue.finish(12, timedOut: false)
        #expect(startAll(queue, at: 30) == [0], "it answered, and is trusted again")
    }

    @Test("A target runs one probe at a time; one scheduled meanwhile follows")
    func again() throws {
        let queue = try queue(4, 1)
        queue.schedule(1, due: 0, address: "a")
        #expect(startAll(queue, at: 0) == [1])
        queue.schedule(1, due: 5, address: "b")
        queue.schedule(1, due: 7, address: "b")
        #expect(startAll(queue, at: 10).isEmpty)
        queue.finish(1, timedOut: false)
        #expect(queue.start(at: 10)?.due == 7)
        queue.schedule(1, due: 20, address: "b")
        queue.cancel(1)
        queue.finish(1, timedOut: false)
        queue.finish(1, timedOut: false)
        #expect(queue.nextDue() == nil)
        #expect(queue.runningCount == 0)
    }

    @Test("A probe cancelled in any stage does not start and frees its slot")
    func cancelling() throws {
        let queue = try queue(1, 1)
        queue.schedule(0, due: 0, address: "z")
        for (id, address) in [(1, "a"), (2, "a"), (3, "a")] as [(UInt64, String)] {
            queue.schedule(id, due: id, address: address)
        }
        queue.schedule(4, due: 900, address: "a")
        #expect(startAll(queue, at: 10) == [0])  // 1 is ready, 2 and 3 wait, 4 is scheduled
        queue.cancel(2)
        queue.cancel(4)
        queue.cancel(1)
        queue.finish(0, timedOut: false)
        #expect(startAll(queue, at: 1000) == [3])
        queue.remove(3)
        #expect(queue.isRunning(3))
        queue.finish(3, timedOut: false)
        #expect(queue.count == 4)
        for id in [0, 1, 2, 4] as [UInt64] { queue.remove(id) }
        #expect(queue.count == 0)
        #expect(queue.runningCount == 0)
    }

    @Test("A target removed and added again during its probe finishes it, then runs again")
    func removedAndAdded() throws {
        let queue = try queue(4, 4)
        queue.schedule(1, due: 0, address: nil)
        #expect(startAll(queue, at: 0) == [1])
        queue.remove(1)
        queue.schedule(1, due: 1, address: nil)
        #expect(startAll(queue, at: 5).isEmpty)
        queue.finish(1, timedOut: false)
        #expect(startAll(queue, at: 5) == [1])
    }

    @Test("Rescheduling a hundred thousand times leaves no stale entries")
    func sweeping() throws {
        let queue = try queue(4, 4)
        for due in 0..<100_000 as Range<UInt64> { queue.schedule(due % 7, due: 1_000_000 + due, address: "a") }
        #expect(queue.lineCount < 200)
        #expect(startAll(queue, at: 2_000_000).count == 4)
    }

    @Test("Limits below one, or an address limit above the total, are refused")
    func refusals() {
        for (total, perAddress) in [(0, 1), (1, 0), (2, 3), (-1, -1)] {
            #expect(throws: VerdictSettingsError.self) {
                try ProbeSchedulerLimits(total: total, perAddress: perAddress)
            }
        }
    }

    /// Half of the targets never answer. Gives the worst lag of the others, after some intervals.
    private func worstLag(targets: UInt64, cap: Int, after: UInt64, intervals: UInt64) throws -> UInt64 {
        let interval: UInt64 = 10_000_000
        let timeout: UInt64 = 5_000_000
        let queue = try queue(cap, 2)
        for id in 0..<targets { queue.schedule(id, due: id * interval / targets, address: "\(id / 2)") }
        var ends = BinaryHeap<QueuedProbe>()
        var now: UInt64 = 0
        var token: UInt64 = 0
        var worst: UInt64 = 0
        var most = 0
        while now < intervals * interval {
            while let end = ends.first, end.due <= now {
                ends.removeFirst()
                queue.finish(end.id, timedOut: end.id % 4 < 2)
            }
            while let start = queue.start(at: now) {
                most = max(most, queue.runningCount)
                let isSilent = start.id % 4 < 2
                if !isSilent, start.due >= after * interval { worst = max(worst, start.lateness) }
                token += 1
                ends.insert(QueuedProbe(due: now + (isSilent ? timeout : 1000), token: token, id: start.id))
                let next = start.due + interval * ((now - start.due) / interval + 1)
                queue.schedule(start.id, due: next, address: "\(start.id / 2)")
            }
            now = max(now, min(queue.nextDue() ?? .max, ends.first?.due ?? .max))
        }
        #expect(most <= cap && most * 2 >= cap)
        return worst
    }

    @Test("With half of 10,000 targets silent from the start, the others are never late")
    func largeOutage() throws {
        #expect(try worstLag(targets: 10_000, cap: 4096, after: 0, intervals: 2) == 0)
    }

    @Test("With a low total limit, targets are never late once the silent ones are known")
    func tightOutage() throws {
        #expect(try worstLag(targets: 200, cap: 16, after: 20, intervals: 40) == 0)
    }

    @Test("Random operations: limits hold, no probe is lost, and each queue stays in order")
    func random() throws {
        var generator = SeededGenerator(seed: 17)
        let queue = try queue(5, 2)
        var due: [UInt64: UInt64] = [:]
        var running: Set<UInt64> = []
        var now: UInt64 = 0
        func address(_ id: UInt64) -> String? { id % 5 == 0 ? nil : "\(id % 5)" }
        for _ in 0..<30_000 {
            now += 1
            let id = UInt64.random(in: 0..<25, using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0, 1:
                guard !running.contains(id) else { break }
                let time = now + .random(in: 0...20, using: &generator)
                queue.schedule(id, due: time, address: address(id))
                due[id] = time
            case 2:
                queue.cancel(id)
                due[id] = nil
            default:
                guard let ended = running.randomElement(using: &generator) else { break }
                running.remove(ended)
                queue.finish(ended, timedOut: false)
            }
            while let start = queue.start(at: now) {
                #expect(due.removeValue(forKey: start.id) == start.due)
                #expect(running.insert(start.id).inserted)
            }
            let perAddress = Dictionary(grouping: running.filter { $0 % 5 != 0 }) { $0 % 5 }
            #expect(running.count <= 5 && perAddress.values.allSatisfy { $0.count <= 2 })
            // Whoever is due and not started is held by a cap.
            for (id, time) in due where time <= now && running.count < 5 {
                guard id % 5 != 0, perAddress[id % 5]?.count == 2 else {
                    Issue.record("\(id) waits since \(time) at \(now) for nothing")
                    return
                }
            }
        }
        while !running.isEmpty || !due.isEmpty {
            now += 1
            for id in running { queue.finish(id, timedOut: false) }
            running = []
            while let start = queue.start(at: now) {
                #expect(due.removeValue(forKey: start.id) == start.due)
                running.insert(start.id)
            }
            guard now < 40_000 else {
                Issue.record("\(due) never started")
                return
            }
        }
    }
}
