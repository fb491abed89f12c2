// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import LinuxIO
import TestSupport
import Testing

@testable import Traffic

@Suite(
    "The traffic observer on a kernel",
    .timeLimit(.minutes(15)),
    .serialized,
    .enabled(if: Testbed.isAvailable, "\(Testbed.requirement)")
)
struct TrafficObserverLiveTests {
    private static let loopback = IPAddress(ipv4: 0x7f00_0001)

    /// Makes connections inside the calling thread's namespace, one after the other, each closed by the client first.
    private static func connect(_ count: Int, to endpoint: TrafficEndpoint, of listener: TCPSocket) throws {
        for _ in 0..<count {
            let server: TCPSocket
            do {
                let client = try TCPSocket.begin(to: endpoint)
                server = try listener.accept()
                withExtendedLifetime(client) {}
            }
            withExtendedLifetime(server) {}
        }
    }

    @Test("20,000 connections are counted exactly, and leave no memory behind")
    func many() throws {
        let namespace = try NetworkNamespace()
        try namespace.ip("link set lo up")
        let waiter = CountWaiter()
        let loop = try EventLoop(name: "traffic", prologue: namespace.prologue)
        defer { loop.close() }
        let observer = try TrafficObserver.start(
            on: loop,
            limit: 10_000_000,
            receiveBuffer: ConnectionEndSource.receiveBuffer,
            filterInterval: .zero,
            changed: { _ in },
            batchTaken: { waiter.check() }
        )
        defer { observer.close() }
        waiter.attach(observer)
        let (listener, endpoint) = try TCPSocket.listen(at: Self.loopback, in: namespace)
        observer.watch(["web": [endpoint]])
        _ = loop.executeAndWait {}
        let growths = try namespace.run {
            var growths: [Int] = []
            for window in 0..<5 {
                let before = Heap.bytesInUse
                for batch in 1...20 {
                    try Self.connect(200, to: endpoint, of: listener)
                    guard waiter.wait(for: window * 4000 + batch * 200) else {
                        throw SystemError(code: ETIMEDOUT, operation: "counting")
                    }
                }
                growths.append(Heap.bytesInUse - before)
            }
            return growths
        }
        // Other tests use the same heap, so the smallest of the windows of 4,000 counts: less than four bytes a connection.
        #expect(try #require(growths.min()) < 16_000, "\(growths) bytes")
        let report = try #require(observer.report(of: "web"))
        #expect(report.total.connections == 20_000)
        #expect(report.total.failedAttempts == 0)
        #expect(report.total.reset == 0)
        let statistics = observer.statistics
        #expect(statistics.overruns == 0)
        #expect(statistics.connections == 20_000)
        #expect(statistics.others == 0)
    }

    @Test("connections of others stay in the kernel, except the sample")
    func others() async throws {
        try await TrafficScene.with { scene in
            let namespace = scene.testbed.namespace
            let (listener, endpoint) = try TCPSocket.listen(at: Self.loopback, in: namespace)
            let (other, otherEndpoint) = try TCPSocket.listen(at: Self.loopback, in: namespace)
            scene.watch(["web": [endpoint]])
            try namespace.run {
                try Self.connect(1000, to: otherEndpoint, of: other)
                try Self.connect(1, to: endpoint, of: listener)
            }
            try await scene.counted(1)
            // 2,000 messages, of which one in 64 passes: 31, with a standard deviation of 6.
            #expect(scene.observer.statistics.others < 80)
            // Without a filter all of them are received, and discarded.
            let many = (0...UInt64(ConnectionFilter.maximumEndpoints)).map {
                TrafficEndpoint(IPAddress(ipv6High: 1, low: $0), port: 80)
            }
            scene.watch(["web": [endpoint], "many": many])
            #expect(scene.observer.statistics.filterInstructions == 0)
            try namespace.run { try Self.connect(100, to: otherEndpoint, of: other) }
            try await scene.reached { $0.others >= 200 }
            #expect(scene.observer.statistics.connections == 1)
        }
    }

    @Test("above the limit the groups are left, sampled for a second, and joined again when it is quiet")
    func ration() async throws {
        let clock = ManualClock(at: 10 * ObservedTime.minute)
        let second = SubscriptionRation.second
        try await TrafficScene.with(limit: 100, clock: clock) { scene in
            let namespace = scene.testbed.namespace
            let (listener, endpoint) = try TCPSocket.listen(at: Self.loopback, in: namespace)
            scene.watch(["web": [endpoint]])
            clock.advance(by: 2 * second)
            try namespace.run { try Self.connect(200, to: endpoint, of: listener) }
            try await scene.reached { $0.isRationed }
            #expect(scene.observer.statistics.isSubscribed == false)
            #expect(scene.observer.statistics.rations == 1)
            clock.advance(by: 29 * second)
            _ = scene.loop.executeAndWait {}
            #expect(scene.observer.statistics.isSubscribed == true)
            #expect(scene.observer.statistics.isRationed == true)
            // Seen for two seconds of 31.
            let share = try #require(scene.observer.report(of: "web")?.share)
            #expect(abs(share - 2.0 / 31) < 1e-9)
            // A sample with as many as before, and one without any.
            let counted = scene.observer.statistics.connections
            try namespace.run { try Self.connect(100, to: endpoint, of: listener) }
            try await scene.reached { $0.connections >= counted + 100 }
            clock.advance(by: second)
            _ = scene.loop.executeAndWait {}
            #expect(scene.observer.statistics.isSubscribed == false)
            clock.advance(by: 29 * second)
            _ = scene.loop.executeAndWait {}
            clock.advance(by: second)
            _ = scene.loop.executeAndWait {}
            #expect(scene.observer.statistics.isSubscribed == true)
            #expect(scene.observer.statistics.isRationed == false)
            // Without targets the ration waits, too.
            try namespace.run { try Self.connect(200, to: endpoint, of: listener) }
            try await scene.reached { $0.rations == 2 }
            scene.watch([:])
            clock.advance(by: 60 * second)
            _ = scene.loop.executeAndWait {}
            #expect(scene.observer.statistics.isSubscribed == false)
            scene.watch(["web": [endpoint]])
            _ = scene.loop.executeAndWait {}
            #expect(scene.observer.statistics.isSubscribed == true)
            #expect(scene.observer.statistics.isRationed == true)
        }
    }

    @Test("messages that the kernel dropped are counted, with the minute that lacks them")
    func overrun() async throws {
        try await TrafficScene.with(receiveBuffer: 4096) { scene in
            let namespace = scene.testbed.namespace
            let (listener, endpoint) = try TCPSocket.listen(at: Self.loopback, in: namespace)
            scene.watch(["web": [endpoint]])
            let isBlocked = Semaphore()
            scene.loop.execute { isBlocked.wait() }
            try namespace.run { try Self.connect(500, to: endpoint, of: listener) }
            isBlocked.post()
            try await scene.reached { $0.overruns > 0 }
            #expect(scene.observer.statistics.connections < 500)
            #expect(scene.observer.statistics.isSubscribed == true)
            // It goes on.
            let counted = scene.observer.statistics.connections
            try namespace.run { try Self.connect(1, to: endpoint, of: listener) }
            try await scene.reached { $0.connections > counted }
            #expect(scene.observer.report(of: "web")?.minutes.contains { $0.overruns > 0 } == true)
        }
    }

    @Test("a socket that is excluded is neither counted nor reported")
    func excluded() async throws {
        try await TrafficScene.with { scene in
            let endpoint = TrafficEndpoint(TrafficScene.peer(.ipv4), port: 9)
            scene.watch(["web": [endpoint]])
            for isExcluded in [true, false] {
                let observer = scene.observer
                let client = try TCPSocket.begin(to: endpoint, in: scene.testbed.namespace) {
                    if isExcluded { observer.exclude($0) }
                }
                #expect(try client.outcome() == ECONNREFUSED)
            }
            try await scene.failures.next()
            try await scene.reached { $0.excluded == 1 }
            #expect(scene.failures.count == 1)
            #expect(scene.observer.report(of: "web")?.total.refused == 1)
        }
    }

    @Test("without a target nothing is subscribed; after the close nothing is, and records can be read")
    func end() async throws {
        try await TrafficScene.with { scene in
            #expect(scene.observer.statistics.isSubscribed == false)
            let endpoint = TrafficEndpoint(TrafficScene.peer(.ipv4), port: 9)
            scene.watch(["web": [endpoint]])
            #expect(scene.observer.statistics.isSubscribed == true)
            do {
                let client = try TCPSocket.begin(to: endpoint, in: scene.testbed.namespace)
                _ = try client.outcome()
            }
            try await scene.failures.next()
            scene.watch([:])
            #expect(scene.observer.statistics.isSubscribed == false)
            scene.watch(["web": [endpoint]])
            scene.observer.close()
            scene.observer.close()
            #expect(scene.observer.statistics.isSubscribed == false)
            #expect(scene.observer.statistics.failure == nil)
            scene.watch(["web": [endpoint], "other": [TrafficEndpoint(TrafficScene.own(.ipv4), port: 9)]])
            #expect(scene.observer.statistics.isSubscribed == false)
            #expect(scene.observer.report(of: "web")?.total.connections == 0)
        }
    }

    @Test("a closed loop, and refusals of kernels and sandboxes, are errors with a code")
    func errors() throws {
        let loop = try EventLoop(name: "traffic")
        loop.close()
        let error = #expect(throws: TrafficError.self) { try TrafficObserver.start(on: loop) { _ in } }
        #expect(error?.code == .closed)
        for (code, expected) in [
            (EPERM, TrafficError.Code.refused), (EAFNOSUPPORT, .refused), (EPROTONOSUPPORT, .unsupported),
            (ENOENT, .unsupported), (EMFILE, .system),
        ] {
            let error = TrafficError(SystemError(code: code, operation: "socket(NETLINK_SOCK_DIAG)"))
            #expect(error.code == expected)
            #expect(error.message.contains("socket(NETLINK_SOCK_DIAG)"))
        }
    }
}
