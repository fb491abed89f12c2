// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15)))
struct EventLoopTests {
    /// State of a test that only the loop's thread touches.
    private final class Notes: @unchecked Sendable {
        var tokens: [WatchToken] = []
        var timers: [TimerToken] = []
        var descriptors: [OwnedDescriptor] = []
        var count = 0
    }

    @Test("jobs run in the order they were given, also those that jobs give")
    func jobOrder() throws {
        let loop = try EventLoop(name: "test")
        defer { loop.close() }
        let record = Record<Int>()
        for number in 0..<1_000 {
            loop.execute {
                record.append(number)
                if number == 0 { loop.execute { record.append(-1) } }
            }
        }
        let done = Semaphore()
        loop.execute { loop.execute { done.post() } }
        done.wait()
        #expect(record.all.filter { $0 >= 0 } == Array(0..<1_000))
        #expect(record.all.count == 1_001)
    }

    @Test("jobs of many threads all run")
    func manyThreads() throws {
        let loop = try EventLoop(name: "test")
        let count = Atomic<Int>(0)
        let threads = try (0..<8).map { _ in
            try Thread(name: "giver") {
                for _ in 0..<2_000 { loop.execute { count.add(1, ordering: .relaxed) } }
            }
        }
        for thread in threads { thread.end() }
        loop.close()
        #expect(count.load(ordering: .relaxed) == 16_000)
    }

    @Test("executeAndWait gives the value, from outside, on the loop, from a second loop; nil when closed")
    func executeAndWait() throws {
        let loop = try EventLoop(name: "test")
        let other = try EventLoop(name: "other")
        #expect(!loop.isCurrent)
        #expect(loop.executeAndWait { loop.isCurrent } == true)
        #expect(loop.executeAndWait { loop.executeAndWait { 1 } ?? 0 } == 1)
        #expect(other.executeAndWait { loop.executeAndWait { !other.isCurrent } ?? false } == true)
        loop.close()
        other.close()
        #expect(loop.executeAndWait { 1 } == nil)
        #expect(!loop.execute {})
    }

    @Test("closing for a limited time leaves a job that hangs to itself")
    func limitedClose() throws {
        let loop = try EventLoop(name: "test")
        let (begun, go, ended) = (Semaphore(), Semaphore(), Semaphore())
        loop.execute {
            begun.post()
            go.wait()
            ended.post()
        }
        begun.wait()
        #expect(!loop.close(within: .milliseconds(1)))
        #expect(!loop.execute {})
        go.post()
        ended.wait()
        #expect(loop.close(within: .seconds(600)))
        #expect(try EventLoop(name: "test").close(within: .seconds(600)))
    }

    @Test("the prologue runs first, on the named thread")
    func prologue() throws {
        let record = Record<String>()
        let loop = try EventLoop(name: "a-name-far-too-long") {
            let name = (try? FileContents.read("/proc/thread-self/comm", limit: 64)) ?? []
            record.append(String(decoding: name.prefix { $0 != 10 }, as: UTF8.self))
        }
        _ = loop.executeAndWait { record.append("job") }
        loop.close()
        #expect(record.all == ["a-name-far-too-", "job"])
    }

    @Test("timers fire by the injected clock, in order, once, and not when cancelled")
    func timers() throws {
        let clock = ManualClock()
        let loop = try EventLoop(name: "test", clock: clock)
        defer { loop.close() }
        let record = Record<String>()
        _ = loop.executeAndWait {
            let start = clock.now()
            _ = loop.schedule(at: start + 20_000_000) { record.append("20") }
            _ = loop.schedule(after: 10_000_000) { record.append("10") }
            let cancelled = loop.schedule(after: 15_000_000) { record.append("cancelled") }
            _ = loop.schedule(at: start + 10_000_000) {
                record.append("10 again")
                loop.cancel(cancelled)
            }
            _ = loop.schedule(after: .max) { record.append("never") }
        }
        _ = loop.executeAndWait {}
        #expect(record.all == [])
        clock.advance(by: 10_000_000)
        _ = loop.executeAndWait {}
        #expect(record.all == ["10", "10 again"])
        clock.advance(by: 1_000_000_000)
        _ = loop.executeAndWait {}
        #expect(record.all == ["10", "10 again", "20"])
    }

    @Test("a timer that sets itself anew at once keeps neither jobs nor descriptors waiting")
    func greedyTimer() throws {
        let loop = try EventLoop(name: "test", clock: ManualClock())
        defer { loop.close() }
        let notes = Notes()
        let counter = try OwnedDescriptor.eventCounter()
        let readable = Semaphore()
        @Sendable func again() {
            notes.count += 1
            _ = loop.schedule(after: 0, handler: again)
        }
        _ = loop.executeAndWait {
            again()
            notes.tokens.append(
                contentsOf: [
                    try? loop.watch(counter.number, for: .readable) { _ in
                        counter.drain()
                        readable.post()
                    }
                ].compactMap(\.self)
            )
        }
        counter.signal()
        readable.wait()
        #expect((loop.executeAndWait { notes.count } ?? 0) > 0)
    }

    @Test("a timer that is due comes before the next descriptor, however many are ready")
    func timersFirst() throws {
        let clock = ManualClock()
        let loop = try EventLoop(name: "test", clock: clock)
        defer { loop.close() }
        let record = Record<String>()
        let done = Semaphore()
        let notes = Notes()
        _ = loop.executeAndWait {
            // Always ready, each takes a millisecond, and nobody drains them.
            for _ in 0..<40 {
                guard let counter = try? OwnedDescriptor.eventCounter() else { continue }
                notes.descriptors.append(counter)
                counter.signal()
                let token = try? loop.watch(counter.number, for: .readable) { _ in
                    record.append("socket")
                    clock.advance(by: 1_000_000)
                }
                if let token { notes.tokens.append(token) }
            }
            for number in 1...20 {
                _ = loop.schedule(at: clock.now() + UInt64(number) * 2_000_000) {
                    record.append("timer")
                    if number == 20 { done.post() }
                }
            }
        }
        done.wait()
        _ = loop.executeAndWait { for token in notes.tokens { loop.unwatch(token) } }
        // One for every two, from the first to the last.
        let upToLast = record.all.prefix(through: record.all.lastIndex(of: "timer") ?? 0)
        #expect(Array(upToLast) == (0..<20).flatMap { _ in ["socket", "socket", "timer"] })
    }

    @Test("descriptors that are always ready are served in rotation")
    func rotation() throws {
        let loop = try EventLoop(name: "test", clock: ManualClock())
        defer { loop.close() }
        let record = Record<Int>()
        let done = Semaphore()
        let notes = Notes()
        _ = loop.executeAndWait {
            for number in 0..<100 {
                guard let counter = try? OwnedDescriptor.eventCounter() else { continue }
                notes.descriptors.append(counter)
                counter.signal()
                let token = try? loop.watch(counter.number, for: .readable) { _ in
                    record.append(number)
                    notes.count += 1
                    if notes.count == 1_000 { done.post() }
                }
                if let token { notes.tokens.append(token) }
            }
        }
        done.wait()
        _ = loop.executeAndWait { for token in notes.tokens { loop.unwatch(token) } }
        let first = record.all.prefix(1_000)
        let turns = (0..<100).map { number in first.count { $0 == number } }
        #expect(turns.min() == 10 && turns.max() == 10)
    }

    @Test("timers run by the system's clock too")
    func systemClock() async throws {
        let loop = try EventLoop(name: "test")
        defer { loop.close() }
        let start = loop.clock.now()
        let fired = await withCheckedContinuation { continuation in
            loop.execute {
                _ = loop.schedule(after: 3_000_000) { continuation.resume(returning: loop.clock.now()) }
            }
        }
        #expect(fired >= start + 3_000_000)
    }

    @Test("a handler is called for the requested events, and rewatch changes them")
    func watchAndRewatch() async throws {
        let loop = try EventLoop(name: "test")
        defer { loop.close() }
        let (left, right) = try Self.socketPair()
        let heard = EventPipe<EventLoop.Events>()
        let notes = Notes()
        let token = loop.executeAndWait {
            try? loop.watch(left.number, for: .readable) { events in
                heard.send(events)
                var byte: UInt8 = 0
                _ = unsafe recv(left.number, &byte, 1, Int32(MSG_DONTWAIT))
                if events.contains(.writable), let token = notes.tokens.first { loop.unwatch(token) }
            }
        }
        let watch = try #require(token ?? nil)
        _ = loop.executeAndWait { notes.tokens = [watch] }
        var byte: UInt8 = 7
        _ = unsafe send(right.number, &byte, 1, 0)
        #expect(await heard.next() == .readable)
        _ = loop.executeAndWait { try? loop.rewatch(watch, for: .writable) }
        #expect(await heard.next() == .writable)
        // The handler has ended the watch: nothing more, although the socket can be written.
        _ = loop.executeAndWait { try? loop.rewatch(watch, for: .writable) }
        _ = loop.executeAndWait { loop.unwatch(watch) }
        _ = loop.executeAndWait {}
        heard.send([])
        #expect(await heard.next() == [])
    }

    @Test("a peer that goes is something to read")
    func hangUp() async throws {
        let loop = try EventLoop(name: "test")
        defer { loop.close() }
        let (left, right) = try Self.socketPair()
        let heard = EventPipe<EventLoop.Events>()
        let notes = Notes()
        _ = loop.executeAndWait {
            notes.tokens = [
                try? loop.watch(left.number, for: .readable) { events in
                    heard.send(events)
                    for token in notes.tokens { loop.unwatch(token) }
                }
            ].compactMap(\.self)
        }
        shutdown(right.number, Int32(SHUT_RDWR))
        #expect(await heard.next()?.contains(.readable) == true)
    }

    @Test("a descriptor closed and re-used within one batch: the new handler is called, the old one is not")
    func reuseWithinBatch() throws {
        let loop = try EventLoop(name: "test")
        defer { loop.close() }
        let record = Record<String>()
        let notes = Notes()
        let done = Semaphore()
        _ = loop.executeAndWait {
            // Two ready counters in one batch; whichever comes first replaces the other.
            for index in 0..<2 {
                guard let counter = try? OwnedDescriptor.eventCounter() else { continue }
                notes.descriptors.append(counter)
                counter.signal()
                guard
                    let token = try? loop.watch(
                        counter.number,
                        for: .readable,
                        handler: { _ in
                            notes.descriptors[index].drain()
                            record.append("old")
                            guard notes.count == 0 else { return }
                            notes.count += 1
                            let number = notes.descriptors[1 - index].number
                            loop.unwatch(notes.tokens[1 - index])
                            // Closes the old one and gives its number to a new one, in one step.
                            guard let fresh = try? OwnedDescriptor.eventCounter() else { return }
                            fresh.signal()
                            guard dup2(fresh.number, number) == number else { return }
                            _ = try? loop.watch(number, for: .readable) { _ in
                                fresh.drain()
                                record.append("new")
                                done.post()
                            }
                        }
                    )
                else { continue }
                notes.tokens.append(token)
            }
        }
        done.wait()
        #expect(record.all == ["old", "new"])
    }

    @Test("a watch that is ended after its descriptor was closed does not take the next one's along")
    func lateUnwatch() throws {
        let loop = try EventLoop(name: "test")
        defer { loop.close() }
        let done = Semaphore()
        let first = try OwnedDescriptor.eventCounter()
        let fresh = try OwnedDescriptor.eventCounter()
        let isSet = loop.executeAndWait { () -> Bool in
            guard let old = try? loop.watch(first.number, for: .readable, handler: { _ in }) else { return false }
            // Closes the first one, which nothing else refers to, and gives its number to another.
            guard dup2(fresh.number, first.number) == first.number else { return false }
            _ = try? loop.watch(first.number, for: .readable) { _ in
                fresh.drain()
                done.post()
            }
            loop.unwatch(old)
            fresh.signal()
            return true
        }
        try #require(isSet == true)
        done.wait()
    }

    @Test("watching an unsupported descriptor is an error")
    func badDescriptor() throws {
        let loop = try EventLoop(name: "test")
        defer { loop.close() }
        let code = loop.executeAndWait { () -> Int32 in
            do throws(SystemError) {
                _ = try loop.watch(-1, for: .readable) { _ in }
                return 0
            } catch {
                return error.code
            }
        }
        #expect(code == EBADF)
    }

    @Test("close from outside waits for the jobs; on the loop it lets them run; twice is once")
    func closing() throws {
        let loop = try EventLoop(name: "test")
        let record = Record<Int>()
        for number in 0..<100 { loop.execute { record.append(number) } }
        loop.close()
        #expect(record.all.count == 100)
        loop.close()

        let second = try EventLoop(name: "test")
        let over = Semaphore()
        second.execute {
            second.close()
            second.close()
            record.append(100)
            #expect(second.isCurrent)
        }
        second.execute { over.post() }
        over.wait()
        #expect(record.all.count == 101)
        #expect(!second.execute {})
    }

    @Test("handlers of a closed loop are released with it, and may unwatch and cancel meanwhile")
    func lettingGo() throws {
        let live = Atomic<Int>(0)
        live.add(2, ordering: .relaxed)
        let gone = Semaphore()
        let loop = try EventLoop(name: "test")
        let counter = try OwnedDescriptor.eventCounter()
        _ = loop.executeAndWait {
            for _ in 0..<2 {
                let tie = Tie(loop) { gone.post() }
                tie.token = try? loop.watch(dup(counter.number), for: .readable) { _ in withExtendedLifetime(tie) {} }
                tie.timer = loop.schedule(after: 1_000_000_000_000) { withExtendedLifetime(tie) {} }
            }
        }
        loop.close()
        gone.wait()
        gone.wait()
    }

    @Test("a handler that cancel releases may cancel in its turn")
    func nestedCancel() throws {
        let gone = Semaphore()
        let loop = try EventLoop(name: "test")
        _ = loop.executeAndWait {
            let outer = Tie(loop) { gone.post() }
            outer.timer = loop.schedule(after: 1_000_000_000_000) {}
            let holder = loop.schedule(after: 1_000_000_000_000) { withExtendedLifetime(outer) {} }
            loop.cancel(holder)
        }
        loop.close()
        gone.wait()
    }

    /// Ends its watch and its timer when it goes. Touched on the loop only.
    private final class Tie: @unchecked Sendable {
        let loop: EventLoop
        let gone: @Sendable () -> Void
        var token: WatchToken?
        var timer: TimerToken?

        init(_ loop: EventLoop, gone: @escaping @Sendable () -> Void) {
            self.loop = loop
            self.gone = gone
        }

        deinit {
            if let token { loop.unwatch(token) }
            if let timer { loop.cancel(timer) }
            gone()
        }
    }

    @Test("a closed loop is not current on a thread with the same handle")
    func staleHandle() throws {
        let loop = try EventLoop(name: "test")
        loop.close()
        // glibc gives the next thread the same stack, and with it the same handle.
        let answers = Record<Bool>()
        for _ in 0..<4 {
            let thread = try Thread(name: "next") { answers.append(loop.isCurrent) }
            thread.end()
        }
        #expect(answers.all == [false, false, false, false])
    }

    private static func socketPair() throws -> (OwnedDescriptor, OwnedDescriptor) {
        var pair: [Int32] = [0, 0]
        try systemCall("socketpair") { unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) }
        return (OwnedDescriptor(owning: pair[0]), OwnedDescriptor(owning: pair[1]))
    }
}
