// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import LinuxIO
import TestSupport
import Testing

@testable import Traffic

@Suite(
    "Ended connections of a kernel",
    .timeLimit(.minutes(15)),
    .enabled(if: Testbed.isAvailable, "\(Testbed.requirement)")
)
struct EndedConnectionLiveTests {
    @Test("a connection that succeeds, without any capability", arguments: AddressFamily.allCases)
    func success(_ family: AddressFamily) async throws {
        try await TrafficScene.with { scene in
            let (listener, endpoint) = try TCPSocket.listen(at: TrafficScene.peer(family), in: scene.testbed.peer)
            scene.watch(["web": [endpoint]])
            #expect(scene.observer.statistics.filterInstructions > 0)
            do {
                let (client, server) = try scene.connect(to: endpoint, of: listener)
                client.send(100)
                #expect(try server.receive() == 100)
                server.send(50)
                #expect(try client.receive() == 50)
            }
            try await scene.counted(1)
            let report = try #require(scene.observer.report(of: "web"))
            #expect(report.total.connections == 1)
            #expect(report.total.served == 0)
            #expect(report.total.failedAttempts == 0)
            #expect(report.total.bytesSent == 100)
            #expect((50...51).contains(report.total.bytesReceived))
            #expect(report.total.reset == 0)
            #expect(report.minutes.first?.medianRoundTrip != nil)
            #expect(report.minutes.first?.overruns == 0)
            #expect(report.summary.standing.lastSuccess != nil)
            #expect(report.summary.standing.lastFailure == nil)
            #expect(report.share > 0)
            #expect(scene.failures.events.isEmpty)
        }
    }

    @Test("a connection that this machine serves", arguments: AddressFamily.allCases)
    func served(_ family: AddressFamily) async throws {
        try await TrafficScene.with { scene in
            let (listener, endpoint) = try TCPSocket.listen(at: TrafficScene.own(family), in: scene.testbed.namespace)
            scene.watch(["here": [endpoint]])
            do {
                let client = try TCPSocket.begin(to: endpoint, in: scene.testbed.peer)
                let server = try listener.accept()
                server.send(10)
                #expect(try client.receive() == 10)
            }
            try await scene.counted(1)
            let report = try #require(scene.observer.report(of: "here"))
            #expect(report.total.served == 1)
            #expect(report.total.connections == 1)
            #expect(report.total.bytesSent == 10)
        }
    }

    @Test("an IPv6 socket that is connected over IPv4 counts for the IPv4 target")
    func mapped() async throws {
        try await TrafficScene.with { scene in
            let namespace = scene.testbed.namespace
            let (listener, any) = try TCPSocket.listen(at: IPAddress(ipv6High: 0, low: 0), in: namespace)
            let endpoint = TrafficEndpoint(TrafficScene.own(.ipv4), port: any.port)
            scene.watch(["here": [endpoint]])
            do {
                let client = try TCPSocket.begin(to: endpoint, in: scene.testbed.peer)
                let server = try listener.accept()
                client.send(7)
                #expect(try server.receive() == 7)
            }
            try await scene.counted(1)
            #expect(scene.observer.report(of: "here")?.total.served == 1)
        }
    }

    @Test("a refused attempt is reported at once", arguments: AddressFamily.allCases)
    func refused(_ family: AddressFamily) async throws {
        try await TrafficScene.with { scene in
            let endpoint = TrafficEndpoint(TrafficScene.peer(family), port: 9)
            scene.watch(["web": [endpoint]])
            do {
                let client = try TCPSocket.begin(to: endpoint, in: scene.testbed.namespace)
                #expect(try client.outcome() == ECONNREFUSED)
            }
            let failure = try await scene.failures.next()
            #expect(failure.ending == .refused)
            #expect(failure.target == "web")
            #expect(failure.endpoint == endpoint)
            let report = try #require(scene.observer.report(of: "web"))
            #expect(report.total.refused == 1)
            #expect(report.total.connections == 0)
            #expect(report.summary.standing.lastFailure == failure.time)
        }
    }

    @Test("an unanswered attempt is reported when it ends", arguments: AddressFamily.allCases)
    func unanswered(_ family: AddressFamily) async throws {
        try await TrafficScene.with { scene in
            let endpoint = TrafficEndpoint(TrafficScene.silent(family), port: 80)
            scene.watch(["web": [endpoint]])
            do {
                let client = try TCPSocket.begin(to: endpoint, in: scene.testbed.namespace, userTimeout: 1100)
                #expect(try client.outcome() == ETIMEDOUT)
            }
            #expect(try await scene.failures.next().ending == .unanswered)
            let report = try #require(scene.observer.report(of: "web"))
            #expect(report.total.unanswered == 1)
            #expect(report.total.retransmissionShare == 0.5)
        }
    }

    @Test("an attempt that a program gives up at once is no failure, and is reported as a possible one")
    func abandoned() async throws {
        try await TrafficScene.with { scene in
            let endpoint = TrafficEndpoint(TrafficScene.silent(.ipv4), port: 80)
            scene.watch(["web": [endpoint]])
            _ = try TCPSocket.begin(to: endpoint, in: scene.testbed.namespace)
            try await scene.counted(1)
            let report = try #require(scene.observer.report(of: "web"))
            #expect(report.total.abandoned == 1)
            #expect(report.total.failedAttempts == 0)
            #expect(report.summary.standing.lastFailure == nil)
            let change = try await scene.failures.next()
            #expect(change.isPossibleFailure && !change.isFailure)
        }
    }

    @Test(
        "an attempt that an ICMP error ends is reported at once",
        .enabled(if: Testbed.firewallObstacle == nil, "\(Testbed.firewallObstacle ?? "")"),
        arguments: AddressFamily.allCases
    )
    func rejected(_ family: AddressFamily) async throws {
        try await TrafficScene.with { scene in
            let endpoint = TrafficEndpoint(TrafficScene.peer(family), port: 80)
            scene.watch(["web": [endpoint]])
            for rule in [
                "add table inet far", "add chain inet far input { type filter hook input priority 0 ; }",
                "add rule inet far input tcp dport 80 reject with icmpx host-unreachable",
            ] {
                try scene.testbed.peer.exec("nft \(rule)")
            }
            do {
                let client = try TCPSocket.begin(to: endpoint, in: scene.testbed.namespace)
                #expect(try client.outcome() == EHOSTUNREACH)
            }
            let change = try await scene.failures.next()
            #expect(change.target == "web")
            let total = try #require(scene.observer.report(of: "web")).total
            // An error that arrives before connect(2) returns may count only after the SYN is sent again: the attempt is unanswered then.
            #expect(change.isPossibleFailure ? total.abandoned == 1 : total.unanswered == 1)
            #expect(total.failedAttempts == total.unanswered)
        }
    }

    @Test("a reset after data is counted, and no failure", arguments: AddressFamily.allCases)
    func reset(_ family: AddressFamily) async throws {
        try await TrafficScene.with { scene in
            let (listener, endpoint) = try TCPSocket.listen(at: TrafficScene.peer(family), in: scene.testbed.peer)
            scene.watch(["web": [endpoint]])
            do {
                let client: TCPSocket
                do {
                    let (opened, server) = try scene.connect(to: endpoint, of: listener)
                    client = opened
                    client.send(100)
                    #expect(try server.receive() == 100)
                    server.resetOnClose()
                }
                #expect(try client.receive() == -Int(ECONNRESET))
            }
            try await scene.counted(1)
            let report = try #require(scene.observer.report(of: "web"))
            #expect(report.total.reset == 1)
            #expect(report.total.connections == 1)
            #expect(report.summary.standing.lastFailure == nil)
        }
    }

    @Test("a connection that this machine closes with unread data was aborted here")
    func aborted() async throws {
        try await TrafficScene.with { scene in
            let (listener, endpoint) = try TCPSocket.listen(at: TrafficScene.peer(.ipv4), in: scene.testbed.peer)
            scene.watch(["web": [endpoint]])
            do {
                let (client, server) = try scene.connect(to: endpoint, of: listener)
                server.send(5000)
                // A part only.
                #expect(try client.receive() > 0)
            }
            try await scene.counted(1)
            #expect(scene.observer.report(of: "web")?.total.aborted == 1)
        }
    }

    @Test(
        "a connection whose peer falls silent is reported when the kernel gives up",
        arguments: AddressFamily.allCases
    )
    func timedOut(_ family: AddressFamily) async throws {
        try await TrafficScene.with { scene in
            let (listener, endpoint) = try TCPSocket.listen(at: TrafficScene.peer(family), in: scene.testbed.peer)
            scene.watch(["web": [endpoint]])
            let server: TCPSocket
            do {
                let (client, accepted) = try scene.connect(to: endpoint, of: listener, userTimeout: 900)
                server = accepted
                try scene.setPeer(family, isPresent: false)
                client.send(100)
                #expect(try client.receive() == -Int(ETIMEDOUT))
            }
            #expect(try await scene.failures.next().ending == .timedOut)
            let report = try #require(scene.observer.report(of: "web"))
            #expect(report.total.timedOut == 1)
            #expect(report.total.connections == 1)
            #expect(report.summary.standing.lastFailure != nil)
            withExtendedLifetime(server) {}
        }
    }
}
