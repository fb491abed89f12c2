// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths
import TestSupport
import Testing

@Suite struct PathMonitorTests {
    private let hub: SharedPathEngine
    private let engine: ScriptedPathEngine

    init() throws {
        (hub, engine) = try ScriptedPathEngine.makeHub()
    }

    @Test("Before the first verdict the current path is evaluated on the spot, then it is the delivered one")
    func current() throws {
        let monitor = try PathMonitor(hub: hub)
        #expect(monitor.currentPath.status == .satisfied)
        #expect(monitor.currentPath.sequence == 0)
        engine.emit(NetworkPath(flags: [], unsatisfiedReason: .noRoute))
        #expect(monitor.currentPath.status == .unsatisfied)
        #expect(monitor.currentPath.unsatisfiedReason == .noRoute)
        #expect(monitor.currentPath.reachability == .notReachable)
        #expect(monitor.currentPath.sequence == 1)
    }

    @Test("A path has all that NWPath users look for", .timeLimit(.minutes(15)))
    func properties() async throws {
        let monitor = try PathMonitor(hub: hub)
        let gateways = [try #require(IPAddress("192.0.2.1")), try #require(IPAddress("fe80::1"))]
        engine.emit(NetworkEnvironment(supportsDNS: true, gateways: gateways.map { DefaultGateway($0) }))
        let interface = NetworkInterface(name: "wwan0", index: 7, type: .cellular)
        engine.emit(
            NetworkPath(
                flags: [.reachable, .isWWAN, .transientConnection],
                interface: interface,
                gateway: gateways[0],
                isExpensive: true,
                isConstrained: true,
                supportsIPv4: true,
                supportsIPv6: true
            )
        )
        var updates = monitor.updates.makeAsyncIterator()
        let path = try #require(await updates.next())
        #expect(path.status == .satisfied)
        #expect(path.unsatisfiedReason == nil)
        #expect(path.reachability == .reachableViaWWAN)
        #expect(path.interface == interface)
        #expect(path.gateways == gateways)
        #expect(path.supportsIPv4 && path.supportsIPv6 && path.supportsDNS)
        #expect(path.isExpensive && path.isConstrained)
    }

    @Test("Gateways: the default routes' for the default path, the route's own for an address")
    func gateways() throws {
        let four = try #require(IPAddress("192.0.2.1"))
        let six = try #require(IPAddress("fe80::1"))
        let both = try PathMonitor(hub: hub)
        let onlySix = try PathMonitor(.defaultPath(family: .ipv6), hub: hub)
        let bound = try PathMonitor(.defaultPath(interface: "eth1"), hub: hub)
        let address = try PathMonitor(.address(try #require(IPAddress("203.0.113.5"))), hub: hub)
        engine.emit(NetworkEnvironment(gateways: [DefaultGateway(four), DefaultGateway(six)]))
        engine.emit(NetworkPath(flags: .reachable, gateway: four))
        #expect(both.currentPath.gateways == [four, six])
        #expect(onlySix.currentPath.gateways == [six])
        #expect(bound.currentPath.gateways == [four])
        #expect(address.currentPath.gateways == [four])
        engine.emit([])
        #expect(both.currentPath.gateways == [])
    }

    @Test("Each reader begins with the present path and takes every change", .timeLimit(.minutes(15)))
    func readers() async throws {
        let monitor = try PathMonitor(hub: hub)
        engine.emit(.reachable)
        var one = monitor.updates.makeAsyncIterator()
        #expect(await one.next()?.flags == .reachable)
        engine.emit([])
        var other = monitor.updates.makeAsyncIterator()
        #expect(await one.next()?.flags == [])
        #expect(await other.next()?.flags == [])
        engine.emit(.reachable)
        #expect(await one.next()?.sequence == 3)
        #expect(await other.next()?.sequence == 3)
    }

    @Test("A reader that waits is woken by the change", .timeLimit(.minutes(15)))
    func wakes() async throws {
        let monitor = try PathMonitor(hub: hub)
        let reader = Task {
            var seen: [SCNetworkReachabilityFlags] = []
            for await path in monitor.updates(keepingNewest: 8) { seen.append(path.flags) }
            return seen
        }
        engine.emit(.reachable)
        // The reader counts as soon as it took the first path or will find it as the present one.
        var probe = monitor.updates.makeAsyncIterator()
        _ = await probe.next()
        monitor.cancel()
        let seen = await reader.value
        #expect(seen == [.reachable] || seen.isEmpty)
    }

    @Test(
        "Waiting for a satisfied path ends with it, with the time limit, or with the monitor",
        .timeLimit(.minutes(15))
    )
    func waits() async throws {
        let monitor = try PathMonitor(hub: hub)
        engine.emit([])
        #expect(await monitor.waitUntilSatisfied(for: .seconds(60), clock: StoppedClock(isOver: true)) == nil)
        async let path = monitor.waitUntilSatisfied(for: .seconds(60), clock: StoppedClock(isOver: false))
        engine.emit(.reachable)
        #expect(await path?.flags == .reachable)
        #expect(await monitor.waitUntilSatisfied(for: .zero, clock: StoppedClock(isOver: true))?.flags == .reachable)
        engine.emit([])
        async let last = monitor.waitUntilSatisfied()
        monitor.cancel()
        #expect(await last == nil)
    }

    @Test("The newest wins: a slow reader finds the latest, and a gap in the numbers", .timeLimit(.minutes(15)))
    func newestWins() async throws {
        let monitor = try PathMonitor(hub: hub)
        engine.emit(.reachable)
        var one = monitor.updates.makeAsyncIterator()
        var three = monitor.updates(keepingNewest: 3).makeAsyncIterator()
        for flags: SCNetworkReachabilityFlags in [[], .reachable, [.reachable, .isDirect]] { engine.emit(flags) }
        #expect(await one.next()?.sequence == 4)
        #expect(await three.next()?.sequence == 2)
        #expect(await three.next()?.sequence == 3)
        #expect(await three.next()?.sequence == 4)
    }

    @Test("A change that does not affect the path is not an update; one of the environment is")
    func distinct() throws {
        let monitor = try PathMonitor(hub: hub)
        engine.emit(.reachable)
        engine.emit(.reachable)
        #expect(monitor.currentPath.sequence == 1)
        engine.emit(NetworkEnvironment(supportsDNS: true))
        #expect(monitor.currentPath.sequence == 2)
        #expect(monitor.currentPath.supportsDNS)
    }

    @Test("Cancelling ends the monitor and all sequences, after their buffered updates", .timeLimit(.minutes(15)))
    func cancel() async throws {
        let monitor = try PathMonitor(hub: hub)
        engine.emit(.reachable)
        var updates = monitor.updates.makeAsyncIterator()
        monitor.cancel()
        monitor.cancel()
        #expect(engine.watched.isEmpty)
        engine.emit([])
        #expect(await updates.next()?.flags == .reachable)
        #expect(await updates.next() == nil)
        #expect(monitor.currentPath.flags == .reachable)
        var late = monitor.updates.makeAsyncIterator()
        #expect(await late.next()?.flags == .reachable)
        #expect(await late.next() == nil)
    }

    @Test("A sequence keeps its monitor watching; without both the watch ends", .timeLimit(.minutes(15)))
    func life() async throws {
        do {
            var updates = try PathMonitor(hub: hub).updates.makeAsyncIterator()
            engine.emit(.reachable)
            #expect(await updates.next()?.flags == .reachable)
            #expect(engine.watched.count == 1)
        }
        #expect(engine.watched.isEmpty)
    }

    @Test("A cancelled task's reader ends and leaves the others alone", .timeLimit(.minutes(15)))
    func cancelledTask() async throws {
        let monitor = try PathMonitor(hub: hub)
        let reader = Task { for await _ in monitor.updates {} }
        reader.cancel()
        await reader.value
        engine.emit(.reachable)
        var updates = monitor.updates.makeAsyncIterator()
        #expect(await updates.next()?.flags == .reachable)
    }

    @Test("The engine itself: loopback", .timeLimit(.minutes(15)))
    func loopback() async throws {
        let hub = SharedPathEngine()
        let monitor = try PathMonitor(.address(try #require(IPAddress("127.0.0.1"))), hub: hub)
        var updates = monitor.updates.makeAsyncIterator()
        let path = try #require(await updates.next())
        #expect(path.flags == [.reachable, .isLocalAddress, .isDirect])
        #expect(path.interface?.type == .loopback)
        #expect(path.supportsIPv4 && !path.supportsIPv6)
        monitor.cancel()
        #expect(await updates.next() == nil)
        hub.close()
    }
}

/// A clock that stands still: a sleep ends at once, or only with its task.
private struct StoppedClock: Clock {
    let isOver: Bool
    var now: ContinuousClock.Instant { ContinuousClock.now }
    var minimumResolution: Duration { .zero }

    func sleep(until _: ContinuousClock.Instant, tolerance _: Duration?) async throws {
        guard !isOver else { return }
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        for await _ in stream {}
        withExtendedLifetime(continuation) {}
    }
}
