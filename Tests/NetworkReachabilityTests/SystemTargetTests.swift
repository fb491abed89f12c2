// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Dispatch
import KeyValueObserving
import NetworkReachability
import SystemConfiguration
import TestSupport
import Testing

/// Managers on the kernel's own verdicts, each in a network of its own.
@Suite(
    "Managers on the kernel",
    .enabled(if: Testbed.isAvailable, Comment(rawValue: Testbed.requirement)),
    .timeLimit(.minutes(15))
)
struct SystemTargetTests {
    private typealias Statuses = TestSupport.Recorder<NetworkReachabilityStatus>

    /// A started manager of a target in a testbed, whose block records.
    private func started(_ target: PathTarget, in hub: SharedPathEngine) -> (NetworkReachabilityManager, Statuses) {
        let manager = NetworkReachabilityManager(
            reachability: SCNetworkReachability(PathRequest(target), hub: hub),
            deliveryQueue: DispatchQueue(label: "delivery")
        )
        let statuses = Statuses()
        manager.setReachabilityStatusChange { statuses.record($0) }
        manager.startMonitoring()
        return (manager, statuses)
    }

    private func address(_ text: String) throws -> PathTarget {
        .address(try #require(IPAddress(text)))
    }

    @Test("R14: an address that nothing changes for is delivered once after each start")
    func initialDelivery() async throws {
        try await Testbed.with { testbed in
            try testbed.base()
            let hub = SharedPathEngine(prologue: testbed.namespace.prologue)
            defer { hub.close() }
            let (manager, statuses) = started(try address("127.0.0.1"), in: hub)
            #expect(try await statuses.next() == .reachableViaWiFi)
            manager.startMonitoring()
            #expect(try await statuses.next(after: 1) == .reachableViaWiFi)
            manager.stopMonitoring()
            #expect(statuses.count == 2)
        }
    }

    @Test("L2: loopback is not reachable while lo is down, and is when it comes up")
    func loopback() async throws {
        try await Testbed.with { testbed in
            let hub = SharedPathEngine(prologue: testbed.namespace.prologue)
            defer { hub.close() }
            let (manager, statuses) = started(try address("127.0.0.1"), in: hub)
            #expect(try await statuses.next() == .notReachable)
            #expect(!manager.isReachable)
            try testbed.i("link set lo up")
            try await statuses.next { $0 == .reachableViaWiFi }
            #expect(manager.isReachableViaWiFi)
            manager.stopMonitoring()
        }
    }

    @Test("R17, R20: an address follows its link, and the observers of the dependent keys with it")
    func addressFollowsLink() async throws {
        try await Testbed.with { testbed in
            try testbed.base()
            let hub = SharedPathEngine(prologue: testbed.namespace.prologue)
            defer { hub.close() }
            let (manager, statuses) = started(try address("198.51.100.7"), in: hub)
            #expect(try await statuses.next() == .reachableViaWiFi)
            let changes = TestSupport.Recorder<Change<Bool>>()
            let observation = manager.observe(.reachable, options: [.old, .new]) { changes.record($1) }
            try testbed.i("link set eth0 down")
            try await statuses.next { $0 == .notReachable }
            let change = try await changes.next { $0.new == false }
            #expect(change == Change(old: true, new: false))
            let mark = statuses.count
            try testbed.i("link set eth0 up;route add default via 192.0.2.1")
            try await statuses.next(after: mark) { $0 == .reachableViaWiFi }
            observation.cancel()
            manager.stopMonitoring()
        }
    }

    @Test("R41: the default path is any usable network that is not loopback")
    func defaultPath() async throws {
        try await Testbed.with { testbed in
            try testbed.i("link set lo up")
            let hub = SharedPathEngine(prologue: testbed.namespace.prologue)
            defer { hub.close() }
            let (manager, statuses) = started(.defaultPath(), in: hub)
            #expect(try await statuses.next() == .notReachable)
            try testbed.base()
            try await statuses.next { $0 == .reachableViaWiFi }
            manager.stopMonitoring()
        }
    }

    @Test("R43: a pair needs its local address to be one of this machine")
    func pair() async throws {
        try await Testbed.with { testbed in
            try testbed.base()
            let hub = SharedPathEngine(prologue: testbed.namespace.prologue)
            defer { hub.close() }
            let remote = try #require(IPAddress("198.51.100.7"))
            let (own, ownStatuses) = started(.pair(local: IPAddress("192.0.2.2"), remote: remote), in: hub)
            let (foreign, foreignStatuses) = started(.pair(local: IPAddress("192.0.2.99"), remote: remote), in: hub)
            #expect(try await ownStatuses.next() == .reachableViaWiFi)
            #expect(try await foreignStatuses.next() == .notReachable)
            own.stopMonitoring()
            foreign.stopMonitoring()
        }
    }

    @Test("R25, R26, R27: stopped, a change is not delivered; started again, the state is")
    func stopAndStart() async throws {
        try await Testbed.with { testbed in
            try testbed.base()
            let hub = SharedPathEngine(prologue: testbed.namespace.prologue)
            defer { hub.close() }
            let (manager, statuses) = started(try address("198.51.100.7"), in: hub)
            let (witness, witnessed) = started(try address("198.51.100.8"), in: hub)
            #expect(try await statuses.next() == .reachableViaWiFi)
            try await witnessed.next { $0 == .reachableViaWiFi }
            manager.stopMonitoring()
            let mark = statuses.count
            try testbed.i("link set eth0 down")
            try await witnessed.next { $0 == .notReachable }
            #expect(statuses.count == mark)
            #expect(manager.networkReachabilityStatus == .reachableViaWiFi)
            manager.startMonitoring()
            #expect(try await statuses.next(after: mark) == .notReachable)
            manager.stopMonitoring()
            witness.stopMonitoring()
        }
    }

    @Test("R9: a manager that goes takes its target off the queue")
    func release() async throws {
        try await Testbed.with { testbed in
            let hub = SharedPathEngine(prologue: testbed.namespace.prologue)
            defer { hub.close() }
            let reachability = SCNetworkReachability(PathRequest(try address("127.0.0.1")), hub: hub)
            let queue = DispatchQueue(label: "delivery")
            let statuses = Statuses()
            do {
                let manager = NetworkReachabilityManager(reachability: reachability, deliveryQueue: queue)
                manager.setReachabilityStatusChange { statuses.record($0) }
                manager.startMonitoring()
                try await statuses.next()
            }
            // The delivery's own reference goes with its turn of the queue.
            await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
            #expect(SCNetworkReachabilitySetDispatchQueue(reachability, queue), "it is free to be scheduled again")
            #expect(SCNetworkReachabilitySetDispatchQueue(reachability, nil))
        }
    }

    @Test("localhost by name is reachable once the hosts file was read")
    func names() async throws {
        try await Testbed.with { testbed in
            try testbed.i("link set lo up")
            let hub = SharedPathEngine(prologue: testbed.namespace.prologue)
            defer { hub.close() }
            let (manager, statuses) = started(.name("localhost"), in: hub)
            try await statuses.next { $0 == .reachableViaWiFi }
            manager.stopMonitoring()
        }
    }
}
