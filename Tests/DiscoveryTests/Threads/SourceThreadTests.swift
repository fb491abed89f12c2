// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Discovery
import LinuxIO
import Schema
import Synchronization
import TestSupport
import Testing

struct BackoffTests {
    @Test func pausesGrowToTheLongestAndBeginAgain() {
        var backoff = Backoff(first: .seconds(1), longest: .seconds(5))
        var greatest = GreatestNumber()
        let limits = (0..<4).map { _ in backoff.next(using: &greatest) }
        #expect(limits == [.seconds(1), .seconds(2), .seconds(4), .seconds(5)])
        backoff.reset()
        #expect(backoff.next(using: &greatest) == .seconds(1))
    }

    @Test func aPauseIsAtLeastHalfOfItsLimit() {
        var backoff = Backoff(first: .seconds(8), longest: .seconds(60))
        var least = LeastNumber()
        #expect(backoff.next(using: &least) == .seconds(4))
        for _ in 0..<100 {
            var other = Backoff(first: .seconds(8), longest: .seconds(60))
            #expect((.seconds(4) ... .seconds(8)).contains(other.next()))
        }
    }
}

private struct GreatestNumber: RandomNumberGenerator {
    mutating func next() -> UInt64 { .max }
}

private struct LeastNumber: RandomNumberGenerator {
    mutating func next() -> UInt64 { 0 }
}

struct PolledSourceTests {
    @Test func looksAfterEachPauseAndSoonerAfterAnError() throws {
        let pauses = TestPauses(count: 4)
        let outcomes = Mutex<[Result<PolledSource.Look, SourceError>]>([
            .success(.init(items: [item("a")])), .failure(SourceError(.timeout, "no answer")),
            .success(.init(items: [item("b")], next: .seconds(7))), .success(.init(items: nil)),
        ])
        let source = PolledSource(
            on: SourceThread(name: "test", pauses: pauses),
            every: .seconds(60)
        ) { _ throws(SourceError) in
            try outcomes.withLock { $0.removeFirst() }.get()
        }
        let reports = Mutex<[SourceReport]>([])
        source.start { report in reports.withLock { $0.append(report) } }
        pauses.waitForLast()
        source.stop()

        let made = reports.withLock { $0 }
        #expect(made.map { $0.items?.map(\.address) } == [["a"], nil, ["b"], nil])
        #expect(made.map { $0.error?.code } == [nil, .timeout, nil, nil])
        let lengths = pauses.lengths
        #expect(lengths[0] == .seconds(60))
        #expect(lengths[1] <= .seconds(1))
        #expect(lengths[2...] == [.seconds(7), .seconds(60)])
    }

    @Test func aStoppedSourceReportsNothing() throws {
        let pauses = TestPauses(count: 1)
        let thread = SourceThread(name: "test", pauses: pauses)
        let ended = Semaphore()
        let source = PolledSource(on: thread, every: .seconds(60)) { thread throws(SourceError) in
            // As when it is stopped during a request.
            thread.stop()
            ended.post()
            return .init(items: [])
        }
        let count = Atomic(0)
        source.start { _ in count.add(1, ordering: .relaxed) }
        ended.wait()
        source.stop()
        #expect(thread.isStopped)
        #expect(!thread.pause(.seconds(3_600)))
        #expect(count.load(ordering: .relaxed) == 0)
    }

    private func item(_ address: String) -> DiscoveredItem {
        DiscoveredItem(address: address, place: .source("test"))
    }
}

/// Pauses without waiting, except the last one, which lasts until the source is stopped.
final class TestPauses: SourcePauses {
    private let count: Int
    private let made = Mutex<[Duration]>([])
    private let last = Semaphore()
    private let ended = Semaphore()

    init(count: Int) { self.count = count }

    var lengths: [Duration] { made.withLock { $0 } }

    func wait(_ length: Duration) {
        let isLast = made.withLock { made in
            made.append(length)
            return made.count == count
        }
        guard isLast else { return }
        last.post()
        ended.wait()
    }

    func end() { ended.post() }

    /// Waits until the last pause began.
    func waitForLast() { last.wait() }
}
