// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO
import TestSupport

@testable import Traffic

/// A machine with a server at the far end of its cable, and an observer on the machine that has no capability.
final class TrafficScene: Sendable {
    let testbed: Testbed
    let loop: EventLoop
    let observer: TrafficObserver
    let failures: Recorder<TrafficChange>
    private let batches: Recorder<Bool>

    /// This machine.
    static func own(_ family: AddressFamily) -> IPAddress { address(family, 2) }
    /// The server.
    static func peer(_ family: AddressFamily) -> IPAddress { address(family, 1) }
    /// An address whose packets are dropped at the far end.
    static func silent(_ family: AddressFamily) -> IPAddress { address(family, 9) }

    private static func address(_ family: AddressFamily, _ host: UInt32) -> IPAddress {
        family == .ipv4
            ? IPAddress(ipv4: 0xc000_0200 + host) : IPAddress(ipv6High: 0x2001_0db8_0001_0000, low: UInt64(host))
    }

    private init(_ testbed: Testbed, limit: Int, receiveBuffer: Int32, clock: any MonotonicClock) throws {
        self.testbed = testbed
        try testbed.base()
        try testbed.p("link set lo up;link set p0 address 02:00:00:00:00:01")
        for family in AddressFamily.allCases {
            try testbed.i("neigh add \(Self.silent(family)) lladdr 02:00:00:00:00:01 dev eth0 nud permanent")
        }
        let (failures, batches) = (Recorder<TrafficChange>(), Recorder<Bool>())
        let prologue = testbed.namespace.prologue
        loop = try EventLoop(name: "traffic", clock: clock) {
            prologue()
            precondition(dropCapabilities())
        }
        observer = try TrafficObserver.start(
            on: loop,
            limit: limit,
            receiveBuffer: receiveBuffer,
            filterInterval: .zero,
            changed: { if $0.isFailure || $0.isPossibleFailure { failures.record($0) } },
            batchTaken: { batches.record(true) }
        )
        (self.failures, self.batches) = (failures, batches)
        for family in AddressFamily.allCases { try setPeer(family, isPresent: true) }
    }

    /// Makes a scene for a body.
    static func with(
        limit: Int = 1_000_000,
        receiveBuffer: Int32 = ConnectionEndSource.receiveBuffer,
        clock: any MonotonicClock = SystemMonotonicClock(),
        _ body: (TrafficScene) async throws -> Void
    ) async throws {
        try await Testbed.with { testbed in
            let scene = try TrafficScene(testbed, limit: limit, receiveBuffer: receiveBuffer, clock: clock)
            defer {
                scene.observer.close()
                scene.loop.close()
            }
            try await body(scene)
        }
    }

    /// Adds the server's address, or takes it away so that everything to it is dropped.
    func setPeer(_ family: AddressFamily, isPresent: Bool) throws {
        let prefix = family == .ipv4 ? "24" : "64"
        try testbed.p(
            "addr \(isPresent ? "add" : "del") \(Self.peer(family))/\(prefix) dev p0 \(flags(family, isPresent))"
        )
        // The neighbour must not be looked for when the address has gone.
        try testbed.i("neigh replace \(Self.peer(family)) lladdr 02:00:00:00:00:01 dev eth0 nud permanent")
    }

    private func flags(_ family: AddressFamily, _ isPresent: Bool) -> String {
        family == .ipv6 && isPresent ? "nodad" : ""
    }

    /// Watches targets and waits until the kernel's filter is in place.
    func watch(_ targets: [String: [TrafficEndpoint]]) {
        observer.watch(targets)
        _ = loop.executeAndWait {}
    }

    /// Waits until so many connections were counted.
    func counted(_ count: Int) async throws {
        try await reached { $0.connections >= UInt64(count) }
    }

    /// Waits until the statistics meet a condition.
    func reached(_ condition: (TrafficStatistics) -> Bool) async throws {
        while true {
            let mark = batches.count
            guard !condition(observer.statistics) else { return }
            try await batches.next(after: mark)
        }
    }

    /// Connects to a listener and returns both ends.
    func connect(
        to endpoint: TrafficEndpoint,
        of listener: TCPSocket,
        userTimeout: Int32? = nil
    ) throws -> (client: TCPSocket, server: TCPSocket) {
        let client = try TCPSocket.begin(to: endpoint, in: testbed.namespace, userTimeout: userTimeout)
        let code = try client.outcome()
        guard code == 0 else { throw SystemError(code: code, operation: "connect") }
        return (client, try listener.accept())
    }

    /// Reads a target's hanging connections until one meets a condition.
    func hanging(
        _ id: String,
        where condition: @escaping @Sendable (HangingConnection) -> Bool
    ) async throws -> HangingConnections {
        let deadline = Deadline(after: .seconds(30))
        while deadline.left > .zero {
            let result = try await readHanging(id)
            if result.connections.contains(where: condition) { return result }
        }
        throw SystemError(code: 110, operation: "waiting for a hanging connection")
    }

    /// Reads a target's hanging connections.
    func readHanging(_ id: String) async throws -> HangingConnections {
        try await withCheckedContinuation { continuation in
            observer.readHangingConnections(of: id) { continuation.resume(returning: $0) }
        }.get()
    }
}
