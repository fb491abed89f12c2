// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Synchronization
import TestSupport
import Testing

@testable import NetworkPaths

@Suite struct PathHubTests {
    private let hub: SharedPathEngine
    private let engine: ScriptedPathEngine

    init() throws {
        (hub, engine) = try ScriptedPathEngine.makeHub()
    }

    private final class Log: Sendable {
        private let entries = Mutex<[SCNetworkReachabilityFlags]>([])
        var all: [SCNetworkReachabilityFlags] { entries.withLock { $0 } }
        func take(_ flags: SCNetworkReachabilityFlags) { entries.withLock { $0.append(flags) } }
    }

    @Test("The engine starts when it is needed first, and only once")
    func lazy() throws {
        let made = Mutex(0)
        let hub = SharedPathEngine { _, observer in
            made.withLock { $0 += 1 }
            return ScriptedPathEngine(observer: observer)
        }
        #expect(hub.environment == NetworkEnvironment())
        #expect(made.withLock { $0 } == 0)
        _ = try hub.evaluate(PathRequest(.defaultPath()))
        _ = try hub.subscribe(to: PathRequest(.defaultPath())) { _ in }
        #expect(made.withLock { $0 } == 1)
    }

    @Test("An engine that cannot start is an error for each caller, and the next caller retries")
    func failure() throws {
        let attempts = Mutex(0)
        let hub = SharedPathEngine { _, observer throws(PathEngineError) in
            let attempt = attempts.withLock { count in
                count += 1
                return count
            }
            if attempt < 3 { throw PathEngineError(code: .netlinkRefused, message: "refused") }
            return ScriptedPathEngine(observer: observer)
        }
        #expect(throws: PathEngineError(code: .netlinkRefused, message: "refused")) {
            try hub.evaluate(PathRequest(.defaultPath()))
        }
        #expect(throws: PathEngineError.self) { try PathMonitor(hub: hub) }
        #expect(try hub.evaluate(PathRequest(.defaultPath())).flags == .reachable)
    }

    @Test("Updates reach their own subscriber, in order")
    func routing() throws {
        let one = Log()
        let other = Log()
        let first = try hub.subscribe(to: PathRequest(.name("one"))) { one.take($0.path.flags) }
        engine.emit([])
        let second = try hub.subscribe(to: PathRequest(.name("other"))) { other.take($0.path.flags) }
        engine.emit(.reachable)
        first.cancel()
        engine.emit([])
        second.cancel()
        engine.emit(.reachable)
        #expect(one.all == [[], .reachable])
        #expect(other.all == [.reachable, []])
        #expect(engine.counts.removed == 2)
    }

    @Test("A first verdict that overtakes the handle is delivered before later ones")
    func early() throws {
        engine.firstVerdict = NetworkPath(flags: .isDirect)
        let log = Log()
        let subscription = try hub.subscribe(to: PathRequest(.defaultPath())) { log.take($0.path.flags) }
        #expect(log.all == [.isDirect])
        engine.emit(.reachable)
        #expect(log.all == [.isDirect, .reachable])
        subscription.cancel()
    }

    @Test("Letting go of a subscription ends it; cancelling twice does nothing")
    func letGo() throws {
        let log = Log()
        do {
            let subscription = try hub.subscribe(to: PathRequest(.defaultPath())) { log.take($0.path.flags) }
            #expect(engine.watched.count == 1)
            _ = subscription
        }
        #expect(engine.watched.isEmpty)
        let subscription = try hub.subscribe(to: PathRequest(.defaultPath())) { log.take($0.path.flags) }
        subscription.cancel()
        subscription.cancel()
        #expect(engine.counts.removed == 2)
        engine.emit([])
        #expect(log.all.isEmpty)
    }

    @Test("Cancelled from inside its handler, a subscription's running call is the last")
    func cancelInside() throws {
        let log = Log()
        let held = Mutex<PathSubscription?>(nil)
        let subscription = try hub.subscribe(to: PathRequest(.defaultPath())) { update in
            log.take(update.path.flags)
            let mine = held.withLock { $0 }
            mine?.cancel()
        }
        held.withLock { $0 = subscription }
        engine.emit([])
        engine.emit(.reachable)
        #expect(log.all == [[]])
    }

    @Test("The environment is delivered at once and on each change")
    func environment() throws {
        let seen = Mutex<[NetworkEnvironment]>([])
        let subscription = try hub.observeEnvironment { environment in seen.withLock { $0.append(environment) } }
        let changed = NetworkEnvironment(supportsDNS: true)
        engine.emit(changed)
        #expect(hub.environment == changed)
        subscription.cancel()
        engine.emit(NetworkEnvironment())
        #expect(seen.withLock { $0 } == [NetworkEnvironment(), changed])
    }

    @Test("A closed hub ends its engine and refuses further work")
    func closed() throws {
        let log = Log()
        let subscription = try hub.subscribe(to: PathRequest(.defaultPath())) { log.take($0.path.flags) }
        hub.close()
        hub.close()
        #expect(engine.counts.isClosed)
        engine.emit([])
        #expect(log.all.isEmpty)
        #expect(throws: PathEngineError.self) { try hub.evaluate(PathRequest(.defaultPath())) }
        subscription.cancel()
    }

    @Test("The last reference to hub and subscriptions ends the engine")
    func lastReference() throws {
        var (hub, engine): (SharedPathEngine?, ScriptedPathEngine) = try ScriptedPathEngine.makeHub()
        var subscription = try hub?.subscribe(to: PathRequest(.defaultPath())) { _ in }
        hub = nil
        #expect(!engine.counts.isClosed)
        subscription?.cancel()
        subscription = nil
        #expect(engine.counts.isClosed)
    }

    @Test("With two threads bringing values, a mailbox keeps their order and delivers one at a time")
    func mailbox() throws {
        let seen = Mutex<[Int]>([])
        let running = Atomic(0)
        let overlaps = Atomic(0)
        let mailbox = PathDeliveryQueue<Int> { value in
            if running.add(1, ordering: .sequentiallyConsistent).newValue > 1 {
                overlaps.add(1, ordering: .relaxed)
            }
            seen.withLock { $0.append(value) }
            running.subtract(1, ordering: .sequentiallyConsistent)
        }
        let turn = Mutex(0)
        let bring: @Sendable () -> Void = {
            for _ in 0..<5000 {
                turn.withLock { next in
                    mailbox.enqueue(next)
                    next += 1
                }
                mailbox.drain()
            }
        }
        let threads = [try Thread(name: "one", body: bring), try Thread(name: "two", body: bring)]
        for thread in threads { thread.end() }
        #expect(seen.withLock { $0 } == Array(0..<10_000))
        #expect(overlaps.load(ordering: .relaxed) == 0)
    }

    @Test("The engine itself: loopback is evaluated, and cancelling is a barrier")
    func loopback() throws {
        let hub = SharedPathEngine()
        let address = try #require(IPAddress("127.0.0.1"))
        #expect(try hub.evaluate(PathRequest(.address(address))).flags == [.reachable, .isLocalAddress, .isDirect])
        let told = Semaphore()
        let subscription = try hub.subscribe(to: PathRequest(.address(address))) { _ in told.post() }
        told.wait()
        subscription.cancel()
        hub.close()
    }
}
