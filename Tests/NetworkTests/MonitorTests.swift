// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths
import Synchronization
import TestSupport
import Testing

@testable import Network

@Suite struct MonitorTests {
    private let hub: SharedPathEngine
    private let engine: ScriptedPathEngine
    private let queue = DispatchQueue(label: "client")
    private let record = PathRecord()

    init() throws {
        (hub, engine) = try ScriptedPathEngine.makeHub()
        queue.setSpecific(key: PathRecord.label, value: "client")
        engine.interfacePaths = States.online()
    }

    private func started() -> NWPathMonitor {
        let monitor = NWPathMonitor(.none, hub: hub)
        monitor.pathUpdateHandler = record.handler
        monitor.start(queue: queue)
        return monitor
    }

    @Test("The handler gets the path as it is right after the start, then each change, on the queue and in order")
    func updates() {
        let monitor = started()
        #expect(monitor.queue === queue)
        engine.interfacePaths = States.offline
        engine.interfacePaths = States.online(States.wlan0)
        queue.sync {}
        #expect(record.statuses == [.satisfied, .unsatisfied, .satisfied])
        #expect(record.paths.last?.availableInterfaces.map(\.name) == ["wlan0"])
        #expect(record.queues == ["client"])
        #expect(monitor.currentPath == record.paths.last)
        monitor.cancel()
    }

    @Test("A change that no property shows makes no update")
    func distinct() {
        let monitor = started()
        var state = States.online()
        state.defaultPath.sourceAddress = IPAddress("192.0.2.2")
        engine.interfacePaths = state
        engine.interfacePaths = States.offline
        queue.sync {}
        #expect(record.statuses == [.satisfied, .unsatisfied])
        monitor.cancel()
    }

    @Test("A concurrent queue runs one call at a time, in order")
    func concurrentQueue() {
        let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let monitor = NWPathMonitor(.none, hub: hub)
        let running = Atomic(0)
        let overlaps = Atomic(0)
        let names = Mutex<[String]>([])
        let (began, others) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        monitor.pathUpdateHandler = { path in
            let isFirst = names.withLock { $0.isEmpty }
            if running.add(1, ordering: .sequentiallyConsistent).newValue > 1 { overlaps.add(1, ordering: .relaxed) }
            names.withLock { $0 += path.availableInterfaces.map(\.name) }
            // The first call lasts until the queue ran something behind the others.
            if isFirst {
                began.signal()
                others.wait()
            }
            running.subtract(1, ordering: .sequentiallyConsistent)
        }
        monitor.start(queue: concurrent)
        began.wait()
        let expected = (1...50).map { "eth\($0)" }
        for (index, name) in expected.enumerated() {
            engine.interfacePaths = States.online(
                NetworkInterface(name: name, index: UInt32(index + 1), type: .wiredEthernet)
            )
        }
        concurrent.async { others.signal() }
        // The monitor's deliveries are serial: a handler that is called now is called after all of them.
        concurrent.sync(flags: .barrier) {}
        let last = DispatchSemaphore(value: 0)
        monitor.pathUpdateHandler = { _ in last.signal() }
        engine.interfacePaths = States.offline
        last.wait()
        #expect(names.withLock { $0 } == ["eth0"] + expected)
        #expect(overlaps.load(ordering: .relaxed) == 0)
        monitor.cancel()
    }

    @Test("A handler that is set after the start begins with the present path, also when that came before it")
    func lateHandler() {
        let monitor = NWPathMonitor(.none, hub: hub)
        monitor.start(queue: queue)
        queue.sync {}
        engine.interfacePaths = States.offline
        queue.sync {}
        monitor.pathUpdateHandler = record.handler
        queue.sync {}
        #expect(record.statuses == [.unsatisfied])
        monitor.cancel()
    }

    @Test("A handler that replaces another gets changes only; without one nothing is called")
    func otherHandler() {
        let monitor = started()
        queue.sync {}
        let other = PathRecord()
        monitor.pathUpdateHandler = other.handler
        queue.sync {}
        #expect(other.paths.isEmpty)
        engine.interfacePaths = States.offline
        queue.sync {}
        monitor.pathUpdateHandler = nil
        #expect(monitor.pathUpdateHandler == nil)
        engine.interfacePaths = States.online()
        queue.sync {}
        #expect(record.statuses == [.satisfied])
        #expect(other.statuses == [.unsatisfied])
        monitor.cancel()
    }

    @Test(
        "After cancel() nothing is called, also not what was pending; the path stays, and no start follows"
    )
    func cancel() {
        let monitor = started()
        queue.sync {}
        queue.suspend()
        engine.interfacePaths = States.offline
        monitor.cancel()
        monitor.cancel()
        queue.resume()
        queue.sync {}
        #expect(record.statuses == [.satisfied])
        #expect(engine.interfaceObservers == 0)
        #expect(monitor.currentPath.status == .unsatisfied)
        #expect(monitor.pathUpdateHandler == nil)
        monitor.pathUpdateHandler = record.handler
        monitor.start(queue: queue)
        engine.interfacePaths = States.online()
        queue.sync {}
        #expect(record.statuses == [.satisfied])
        #expect(engine.interfaceObservers == 0)
    }

    @Test("Cancelled before its start, a monitor never starts")
    func cancelledFirst() {
        let monitor = NWPathMonitor(.none, hub: hub)
        monitor.pathUpdateHandler = record.handler
        monitor.cancel()
        monitor.start(queue: queue)
        queue.sync {}
        #expect(record.paths.isEmpty)
        #expect(monitor.queue == nil)
    }

    @Test("A handler may cancel its monitor, which it holds")
    func cancelInside() {
        let monitor = NWPathMonitor(.none, hub: hub)
        monitor.pathUpdateHandler = { [record] path in
            record.handler(path)
            monitor.cancel()
        }
        monitor.start(queue: queue)
        queue.sync {}
        engine.interfacePaths = States.offline
        queue.sync {}
        #expect(record.statuses == [.satisfied])
    }

    @Test("Only the first start counts")
    func startTwice() {
        let monitor = started()
        monitor.start(queue: DispatchQueue(label: "other"))
        #expect(monitor.queue === queue)
        queue.sync {}
        #expect(record.statuses == [.satisfied])
        #expect(engine.interfaceObservers == 1)
        monitor.cancel()
    }

    @Test("Before the start there is no queue, and the path is asked for on the spot")
    func before() {
        let monitor = NWPathMonitor(.none, hub: hub)
        #expect(monitor.queue == nil)
        #expect(monitor.currentPath.status == .satisfied)
        engine.interfacePaths = States.offline
        #expect(monitor.currentPath.status == .unsatisfied)
        #expect(engine.interfaceObservers == 0)
    }

    @Test("A monitor that was started lives until it is cancelled, without a reference too")
    func life() {
        weak var monitor: NWPathMonitor?
        do { monitor = started() }
        engine.interfacePaths = States.offline
        queue.sync {}
        #expect(record.statuses == [.satisfied, .unsatisfied])
        monitor?.cancel()
        #expect(monitor == nil)
        #expect(engine.interfaceObservers == 0)
    }

    @Test("An engine that cannot start is an unsatisfied path, which says why")
    func refusal() {
        let hub = SharedPathEngine { _, _ throws(PathEngineError) in
            throw PathEngineError(code: .netlinkRefused, message: "netlink is refused")
        }
        let monitor = NWPathMonitor(.none, hub: hub)
        monitor.pathUpdateHandler = record.handler
        monitor.start(queue: queue)
        queue.sync {}
        #expect(record.statuses == [.unsatisfied])
        #expect(monitor.currentPath.debugDescription == "unsatisfied (netlink is refused)")
    }

    // MARK: The sequence

    @Test(
        "A sequence starts its monitor, begins with the present path and takes every change",
        .timeLimit(.minutes(15))
    )
    func sequence() async {
        let monitor = NWPathMonitor(.none, hub: hub)
        var paths = monitor.makeAsyncIterator()
        var other = monitor.makeAsyncIterator()
        engine.interfacePaths = States.offline
        engine.interfacePaths = States.online(States.wlan0)
        #expect(await paths.next()?.availableInterfaces.map(\.name) == ["eth0"])
        #expect(await paths.next()?.status == .unsatisfied)
        #expect(await paths.next()?.availableInterfaces.map(\.name) == ["wlan0"])
        #expect(await other.next()?.availableInterfaces.map(\.name) == ["eth0"])
        #expect(monitor.queue == nil)
        monitor.pathUpdateHandler = record.handler
        monitor.start(queue: queue)
        queue.sync {}
        #expect(record.paths.map { $0.availableInterfaces.map(\.name) } == [["wlan0"]])
        monitor.cancel()
        #expect(await paths.next() == nil)
        var late = monitor.makeAsyncIterator()
        #expect(await late.next() == nil)
    }

    @Test("A loop over a temporary monitor keeps it, and ends it", .timeLimit(.minutes(15)))
    func temporary() async {
        var seen: [NWPath.Status] = []
        for await path in NWPathMonitor(.none, hub: hub) {
            seen.append(path.status)
            #expect(engine.interfaceObservers == 1)
            if path.status == .unsatisfied { break }
            engine.interfacePaths = States.offline
        }
        #expect(seen == [.satisfied, .unsatisfied])
        #expect(engine.interfaceObservers == 0)
    }

    @Test("A cancelled task's loop ends", .timeLimit(.minutes(15)))
    func cancelledTask() async {
        let monitor = NWPathMonitor(.none, hub: hub)
        let reader = Task { for await _ in monitor {} }
        reader.cancel()
        await reader.value
        monitor.cancel()
    }
}
