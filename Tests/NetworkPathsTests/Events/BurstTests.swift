// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import NetworkPaths
import Synchronization
import TestSupport
import Testing

/// Hints in masses, and hints that are lost (L9).
@Suite(
    .enabled(if: Testbed.isAvailable, Comment(rawValue: Testbed.requirement)),
    .timeLimit(.minutes(15)),
    .serialized
)
struct BurstTests {
    @Test("E12: 100,000 routes outside the targets notify no target")
    func foreignRoutes() async throws {
        try await Scene.with { scene in
            let mark = scene.log.updates.count
            try scene.testbed.namespace.batch(Self.routes("add"))
            try await scene.barrier()
            #expect(scene.updates(after: mark).isEmpty)
        }
    }

    @Test("L9: 100,000 changes past an engine that cannot read: an overrun, counted, and no wrong verdict afterwards")
    func overrun() async throws {
        var options = PathEngineOptions()
        options.receiveBuffer = 4096
        options.sysfsRoot = "/nonexistent"
        try await Testbed.with { testbed in
            try testbed.base()
            let observer = StoppableObserver()
            let engine = try PathEngine(options: options, observer: observer, prologue: testbed.namespace.prologue)
            defer { engine.close() }
            let requests = try Self.watched.map { PathRequest(try PathTarget(parsing: $0)) }
            let ids = engine.add(requests)
            for id in ids { try await observer.log.settle(id) { _ in true } }

            let mark = observer.log.updates.count
            observer.stop(at: ids[0])
            try testbed.i("route add unreachable 203.0.113.0/24")
            await observer.stopped()
            try testbed.namespace.batch(Self.routes("add"))
            try testbed.i(
                "route del unreachable 203.0.113.0/24;route add prohibit 198.51.100.0/24;link set eth0 mtu 1400"
            )
            try testbed.p("link set p0 down")
            observer.goOn()

            let update = try await observer.log.next(ids[1], after: mark) { $0.trigger.kind == .overrun }
            #expect(update.path.unsatisfiedReason == .prohibited)
            try await observer.log.settle(ids[0]) { $0.unsatisfiedReason == .noCarrier }
            #expect(engine.statistics.overruns > 0)
            for (id, path) in zip(ids, engine.evaluate(requests)) {
                try await observer.log.settle(id) { Self.isAlike($0, path) }
            }
        }
    }

    @Test("200,000 changes among the targets, small buffer: every verdict is the kernel's in the end")
    func nothingStale() async throws {
        var options = PathEngineOptions()
        options.receiveBuffer = 4096
        try await Scene.with(options: options) { scene in
            // 500 targets inside the block that comes and goes, 500 outside.
            let requests = (0..<1000).map { index in
                PathRequest(.address(IPAddress(ipv4: (index < 500 ? 0x0a00_0000 : 0x0b00_0000) + UInt32(index) * 64)))
            }
            let ids = scene.engine.add(requests)
            try scene.testbed.namespace.batch(Self.routes("add"))
            try scene.testbed.namespace.batch(Self.routes("del").dropLast(84_000))
            try await scene.barrier()
            for (id, path) in zip(ids, scene.engine.evaluate(requests)) {
                try await scene.log.settle(id) { Self.isAlike($0, path) }
            }
            let unreachable = ids.filter { scene.log.path(of: $0)?.unsatisfiedReason == .unreachable }
            #expect(!unreachable.isEmpty && unreachable.count < 1000)
            #expect(scene.stale(ids, requests).isEmpty)
        }
    }

    private static let watched = ["203.0.113.5", "198.51.100.7", "default", "192.0.2.2", "2001:db8:9::1"]

    /// 100,000 refusing routes, 10.0.0.0/32 and on.
    private static func routes(_ verb: String) -> [String] {
        (0..<100_000).map { index in
            "route \(verb) unreachable 10.\(index >> 16 & 255).\(index >> 8 & 255).\(index & 255)/32"
        }
    }

    private static func isAlike(_ left: NetworkPath, _ right: NetworkPath) -> Bool {
        var left = left
        left.generation = right.generation
        return left == right
    }
}

/// Holds up the engine's thread at one target's next change.
private final class StoppableObserver: PathEngineObserver {
    let log = PathLog()
    private let target = Mutex<PathID?>(nil)
    private let reached = Recorder<Void>()
    private let semaphore = Semaphore()

    func stop(at id: PathID) {
        target.withLock { $0 = id }
    }

    func stopped() async {
        _ = try? await reached.next()
    }

    func goOn() {
        semaphore.post()
    }

    func pathsDidChange(_ updates: [PathUpdate]) {
        log.pathsDidChange(updates)
        let mustStop = target.withLock { target in
            guard let wanted = target, updates.contains(where: { $0.id == wanted }) else { return false }
            target = nil
            return true
        }
        guard mustStop else { return }
        reached.record(())
        semaphore.wait()
    }

    func environmentDidChange(_ environment: NetworkEnvironment) {
        log.environmentDidChange(environment)
    }
}
