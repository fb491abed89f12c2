// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths
import Synchronization
import TestSupport
import Testing

@Suite(.enabled(if: Testbed.isAvailable, Comment(rawValue: Testbed.requirement)), .timeLimit(.minutes(15)))
struct EngineTests {
    @Test("Each target's first verdict is delivered once, with the trigger initial")
    func initial() async throws {
        try await Scene.with { scene in
            let mark = scene.log.updates.count
            let requests = try ["203.0.113.5", "203.0.113.5", "127.0.0.1"].map {
                PathRequest(try PathTarget(parsing: $0))
            }
            let ids = scene.engine.add(requests)
            #expect(Set(ids).count == 3)
            for id in ids {
                let update = try await scene.log.next(id, after: mark)
                #expect(update.trigger.kind == .initial)
                #expect(update.previous == nil)
                #expect(update.isDelivery)
            }
            try await scene.barrier()
            #expect(scene.updates(after: mark).count == 3)
        }
    }

    @Test("remove is a barrier: nothing is delivered after it")
    func removal() async throws {
        try await Scene.with { scene in
            scene.engine.remove([scene.remote])
            let mark = scene.log.updates.count
            try scene.testbed.i("route add unreachable 203.0.113.0/24")
            try scene.testbed.i("link set eth0 down")
            try await scene.log.next(scene.neighbour, after: mark) { $0.path.flags == [] }
            try await scene.barrier()
            #expect(scene.log.updates(of: scene.remote, after: mark).isEmpty)
        }
    }

    @Test("close ends everything and may be called again")
    func closing() async throws {
        try await Scene.with { scene in
            scene.engine.close()
            let count = scene.log.updates.count
            scene.engine.close()
            #expect(scene.engine.evaluate([PathRequest(.defaultPath())]).isEmpty)
            _ = scene.engine.add([PathRequest(.defaultPath())])
            scene.engine.remove([scene.remote])
            try scene.testbed.i("link set eth0 down")
            #expect(scene.log.updates.count == count)
        }
    }

    @Test("New rules cause a new evaluation of everything, with the trigger settings")
    func settings() async throws {
        try await Scene.with { scene in
            let mark = scene.log.updates.count
            var options = PathEngineOptions()
            options.sysfsRoot = "/nonexistent"
            options.interfaceRules = [InterfaceRule(patterns: [.init(.name, "eth0")], type: .cellular)]
            scene.engine.apply(options)
            let update = try await scene.log.next(scene.remote, after: mark)
            #expect(update.trigger.kind == .settings)
            #expect(update.path.reachability == .reachableViaWWAN)
            options.interfaceRules = []
            options.connections = [
                DeclaredConnection(name: "dial", prefixes: nil, mode: .traffic)
            ]
            scene.engine.apply(options)
            try await scene.log.settle(scene.remote) { $0.flags == .reachable }
            try scene.testbed.i("link set eth0 down")
            try await scene.log.settle(scene.remote) { $0.flags.rawValue == 0x0f }
            #expect(scene.log.path(of: scene.remote)?.status == .requiresConnection)
        }
    }

    @Test("An observer may add and remove targets from inside a callback")
    func reentrancy() async throws {
        try await Testbed.with { testbed in
            try testbed.base()
            let observer = ReentrantObserver()
            let engine = try PathEngine(observer: observer, prologue: testbed.namespace.prologue)
            defer { engine.close() }
            observer.engine.withLock { $0 = engine }
            let first = engine.add([PathRequest(try PathTarget(parsing: "203.0.113.5"))])[0]
            // The callback for the first target removed it and added the second.
            let second = try await observer.log.updates.next { $0.id != first }
            #expect(second.trigger.kind == .initial)
            #expect(second.path.flags == [.reachable, .isLocalAddress, .isDirect])
            observer.engine.withLock { $0 = nil }
            try testbed.i("link set eth0 down;link set lo down")
            try await observer.log.updates.next { $0.id == second.id && $0.path.flags == [] }
            #expect(observer.log.updates(of: first, after: 0).count == 1)
        }
    }

    @Test("Row 1: a pair of mixed families, which no text can name, is unreachable")
    func mixedFamilies() async throws {
        #expect(throws: PathTargetError.self) { try PathTarget(parsing: "192.0.2.2>2001:db8:9::1") }
        try await Scene.with { scene in
            let mark = scene.log.updates.count
            let pair = PathTarget.pair(local: IPAddress("192.0.2.2"), remote: IPAddress("2001:db8:9::1"))
            let id = scene.engine.add([PathRequest(pair)])[0]
            let update = try await scene.log.next(id, after: mark)
            #expect(update.path.flags == [])
        }
    }

    @Test("Statistics and the environment describe the engine's view")
    func statistics() async throws {
        try await Scene.with { scene in
            let statistics = scene.engine.statistics
            #expect(Set(statistics.groups) == [1, 5, 9, 7, 11, 8, 19, 32, 24, 25])
            #expect(statistics.receiveBuffer > 0)
            #expect(statistics.verdicts >= 4)
            #expect(statistics.overruns == 0)
            #expect(!statistics.hasSysfs)
            #expect(statistics.namespaceInode != 0)
            #expect(statistics.groupNames.count == statistics.groups.count)
            #expect(statistics.groupNames.contains("ipv6_route"))
            #expect(statistics.namespaceName == scene.testbed.namespace.name)
            let gateways = scene.engine.environment.gateways
            #expect(gateways.map(\.address) == [IPAddress("192.0.2.1"), IPAddress("2001:db8:1::1")])
            #expect(gateways.map(\.interface) == ["eth0", "eth0"])
            #expect(scene.engine.environment.families == [.ipv4, .ipv6])
            let mark = scene.log.environments.count
            try scene.testbed.i("route replace default via 192.0.2.254")
            try await scene.log.environments.next(after: mark) {
                $0.gateways.first?.address == IPAddress("192.0.2.254")
            }
            try scene.testbed.i("route del default")
            try await scene.log.environments.next(after: mark) { $0.families == [.ipv6] }
        }
    }

    @Test("E18: an idle engine waits in epoll_wait without a time limit, and makes no other system call")
    func idle() async throws {
        let thread = Mutex<Int32>(0)
        try await Testbed.with { testbed in
            try testbed.namespace.sysctl("net.ipv6.conf.default.accept_dad", "0")
            try testbed.base()
            let enter = testbed.namespace.prologue
            let log = PathLog()
            let engine = try PathEngine(observer: log) {
                enter()
                thread.withLock { $0 = currentThreadNumber() }
            }
            defer { engine.close() }
            let ids = engine.add(
                try ["default", "2001:db8:9::1", "192.0.2.9"].map {
                    PathRequest(try PathTarget(parsing: $0))
                }
            )
            for id in ids { try await log.settle(id) { $0.status == .satisfied } }
            let number = thread.withLock { $0 }
            // Carrier changes are told up to a second late; strace's first three seconds see the last of the set-up.
            _ = try Self.systemCalls(of: number)
            let calls = try Self.systemCalls(of: number)
            #expect(calls.count == 1 && calls[0].hasPrefix("epoll_wait("), "\(calls)")
            let timeLimit = try Self.fourthArgument(of: number)
            #expect(timeLimit?.hasSuffix("ffffffff") == true, "the wait's time limit is \(timeLimit ?? "unknown")")
        }
    }

    /// The fourth argument of the system call that a thread waits in. Just let go by strace it may still be running.
    private static func fourthArgument(of thread: Int32) throws -> String? {
        for _ in 0..<100 {
            let words = try Command.run(["cat", "/proc/\(thread)/syscall"]).split(separator: " ")
            if words.count > 4 { return String(words[4]) }
        }
        return nil
    }

    /// What a thread asks of the kernel in three seconds; the call that it waits in is the last.
    private static func systemCalls(of thread: Int32) throws -> [String] {
        do {
            let output = try Command.run(["timeout", "3", "strace", "-qq", "-p", "\(thread)"])
            return output.split(separator: "\n").map(String.init)
        } catch let failure as Command.Failure where failure.status == 124 && failure.output.contains("(") {
            return failure.output.split(separator: "\n").map(String.init)
        } catch {
            try skip("E18", because: "strace cannot attach: \(error)")
        }
    }
}

private final class ReentrantObserver: PathEngineObserver {
    let engine = Mutex<PathEngine?>(nil)
    let log = PathLog()

    func pathsDidChange(_ updates: [PathUpdate]) {
        log.pathsDidChange(updates)
        guard let engine = engine.withLock({ $0 }), updates.allSatisfy({ $0.path.gateway != nil }) else { return }
        engine.remove(updates.map(\.id))
        _ = engine.add([PathRequest(.address(IPAddress(ipv4: 0x7f00_0001)))])
    }

    func environmentDidChange(_ environment: NetworkEnvironment) {}
}
