// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import LinuxIO
import TestSupport
import Testing

@testable import Traffic

@Suite(
    "Hanging connections of a kernel",
    .timeLimit(.minutes(15)),
    .enabled(if: Testbed.isAvailable, "\(Testbed.requirement)")
)
struct HangingConnectionsLiveTests {
    @Test("an established connection whose data is not acknowledged", arguments: AddressFamily.allCases)
    func retransmitting(_ family: AddressFamily) async throws {
        try await TrafficScene.with { scene in
            let (listener, endpoint) = try TCPSocket.listen(at: TrafficScene.peer(family), in: scene.testbed.peer)
            let (other, otherEndpoint) = try TCPSocket.listen(at: TrafficScene.peer(family), in: scene.testbed.peer)
            let unused = TrafficEndpoint(TrafficScene.silent(family), port: 1)
            scene.watch(["web": [unused, endpoint], "other": [unused], "both": [otherEndpoint, unused, endpoint]])
            let (client, server) = try scene.connect(to: endpoint, of: listener)
            let (idle, idleServer) = try scene.connect(to: endpoint, of: listener)
            let (stranger, strangerServer) = try scene.connect(to: otherEndpoint, of: other)
            #expect(try await scene.readHanging("web").examined == 2)
            #expect(try await scene.readHanging("web").connections.isEmpty)
            try scene.setPeer(family, isPresent: false)
            client.send(100)
            stranger.send(100)
            let result = try await scene.hanging("web") { $0.cause == .retransmitting && $0.backoff > 0 }
            #expect(result.isComplete)
            #expect(result.examined == 2)
            #expect(result.connections.count == 1)
            let hanging = try #require(result.connections.first)
            #expect(hanging.remote == endpoint)
            #expect(hanging.attempts >= 1)
            #expect(hanging.unacknowledged >= 1)
            #expect(hanging.sendQueue == 100)
            #expect(hanging.sinceLastAcknowledgement != nil)
            #expect(try await scene.readHanging("other").examined == 0)
            #expect(try await scene.readHanging("unknown").examined == 0)
            _ = try await scene.hanging("both") { $0.remote == otherEndpoint }
            #expect(try await scene.readHanging("both").examined == 3)
            // Probes' sockets do not count.
            scene.observer.exclude(idle.descriptor.number)
            #expect(try await scene.readHanging("web").examined == 1)
            scene.observer.noteHangingConnections(of: "web")
            scene.observer.noteHangingConnections(of: "other")
            _ = scene.loop.executeAndWait {}
            let noted = try #require(scene.observer.summary(of: "web")?.hanging)
            #expect(noted.examined == 1 && noted.count == 1 && noted.causes == [.retransmitting: 1] && noted.isComplete)
            #expect(scene.observer.summary(of: "other") == TrafficSummary())
            withExtendedLifetime((server, idle, idleServer, strangerServer)) {}
        }
    }

    @Test("an attempt without a reply", arguments: AddressFamily.allCases)
    func connecting(_ family: AddressFamily) async throws {
        try await TrafficScene.with { scene in
            let endpoint = TrafficEndpoint(TrafficScene.silent(family), port: 80)
            scene.watch(["web": [endpoint]])
            let client = try TCPSocket.begin(to: endpoint, in: scene.testbed.namespace)
            let result = try await scene.hanging("web") { $0.cause == .connecting }
            #expect(result.connections.first?.remote == endpoint)
            #expect(result.connections.first?.sinceLastAcknowledgement == nil)
            withExtendedLifetime(client) {}
        }
    }

    @Test("a peer that does not read")
    func zeroWindow() async throws {
        try await TrafficScene.with { scene in
            let (listener, endpoint) = try TCPSocket.listen(at: TrafficScene.peer(.ipv4), in: scene.testbed.peer)
            listener.set(SOL_SOCKET, SO_RCVBUF, 4096)
            scene.watch(["web": [endpoint]])
            let (client, server) = try scene.connect(to: endpoint, of: listener)
            for _ in 0..<100 where client.send(65_536) > 0 {}
            let result = try await scene.hanging("web") { $0.cause == .zeroWindow }
            #expect((result.connections.first?.sendQueue ?? 0) > 0)
            withExtendedLifetime(server) {}
        }
    }

    @Test("keep-alive probes without a reply")
    func keepAlive() async throws {
        try await TrafficScene.with { scene in
            let (listener, endpoint) = try TCPSocket.listen(at: TrafficScene.peer(.ipv4), in: scene.testbed.peer)
            scene.watch(["web": [endpoint]])
            let (client, server) = try scene.connect(to: endpoint, of: listener)
            try scene.setPeer(.ipv4, isPresent: false)
            // Without it the kernel gives the connection up after ten seconds.
            client.set(Int32(IPPROTO_TCP), TCP_KEEPCNT, 127)
            client.set(Int32(IPPROTO_TCP), TCP_KEEPINTVL, 1)
            client.set(Int32(IPPROTO_TCP), TCP_KEEPIDLE, 1)
            client.set(SOL_SOCKET, SO_KEEPALIVE, 1)
            let result = try await scene.hanging("web") { $0.cause == .keepAlive }
            #expect((result.connections.first?.attempts ?? 0) >= 1)
            withExtendedLifetime(server) {}
        }
    }

    @Test("a connection over IPv4 of an IPv6 socket, on the side that serves")
    func mapped() async throws {
        try await TrafficScene.with { scene in
            let namespace = scene.testbed.namespace
            let (listener, any) = try TCPSocket.listen(at: IPAddress(ipv6High: 0, low: 0), in: namespace)
            let endpoint = TrafficEndpoint(TrafficScene.own(.ipv4), port: any.port)
            scene.watch(["here": [endpoint]])
            let client = try TCPSocket.begin(to: endpoint, in: scene.testbed.peer)
            let server = try listener.accept()
            try scene.setPeer(.ipv4, isPresent: false)
            server.send(10)
            let result = try await scene.hanging("here") { $0.cause == .retransmitting }
            #expect(result.connections.first?.local == endpoint)
            withExtendedLifetime(client) {}
        }
    }

    @Test("the largest request is accepted, a larger one is cut and says so; no time is a dump that is not complete")
    func bounds() throws {
        let namespace = try NetworkNamespace()
        let (full, cut, late) = try namespace.run {
            let endpoints = (0...UInt16(DiagRequest.maximumEndpoints)).map {
                TrafficEndpoint(IPAddress(ipv6High: 1, low: UInt64($0)), port: 80)
            }
            return (
                try HangingConnections.read(of: endpoints.dropLast(), within: .seconds(600)),
                try HangingConnections.read(of: endpoints, within: .seconds(600)),
                try HangingConnections.read(of: endpoints.dropLast(), within: .zero)
            )
        }
        #expect(full.isComplete)
        #expect(!cut.isComplete)
        #expect(!late.isComplete)
    }

    @Test("both ends of 1,000 connections are examined, and none hangs")
    func many() throws {
        let namespace = try NetworkNamespace()
        try namespace.ip("link set lo up")
        let (listener, endpoint) = try TCPSocket.listen(at: IPAddress(ipv4: 0x7f00_0001), in: namespace)
        let result = try namespace.run {
            var sockets: [TCPSocket] = []
            for _ in 0..<1000 {
                sockets.append(try TCPSocket.begin(to: endpoint))
                sockets.append(try listener.accept())
            }
            return try HangingConnections.read(of: [endpoint], within: .seconds(600))
        }
        #expect(result.isComplete)
        #expect(result.examined == 2000)
        #expect(result.connections.isEmpty)
    }
}
