// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import CLinux
import TestSupport
import Testing

@testable import Traffic

@Suite("The kernel's filter of ended connections", .timeLimit(.minutes(15))) struct ConnectionFilterTests {
    private static func endpoint(_ random: inout SeededGenerator) -> TrafficEndpoint {
        let port = UInt16.random(in: 1...9, using: &random)
        // Few addresses, so that some share an address and some a port.
        return random.once(in: 2)
            ? TrafficEndpoint(IPAddress(ipv4: 0xc000_0200 + UInt32.random(in: 0..<400, using: &random)), port: port)
            : TrafficEndpoint(
                IPAddress(ipv6High: 0x2001_0db8 << 32, low: UInt64.random(in: 0..<400, using: &random)),
                port: port
            )
    }

    @Test(
        "passes whole messages with a watched endpoint on either side, and no others",
        arguments: [0, 1, 8, 9, 16, 17, 100, 511, 512]
    )
    func matches(count: Int) throws {
        var random = SeededGenerator(seed: UInt64(count))
        var watched: Set<TrafficEndpoint> = []
        while watched.count < count { watched.insert(Self.endpoint(&random)) }
        let program = try #require(ConnectionFilter.program(watched))
        #expect(program.count <= 4096)
        var (hits, most) = (0, 0)
        for round in 0..<2000 {
            let isWatched = round % 2 == 0 && !watched.isEmpty
            let first = isWatched ? try #require(watched.randomElement(using: &random)) : Self.endpoint(&random)
            let address =
                first.address.family == .ipv4
                ? IPAddress(ipv4: UInt32.random(in: 1...UInt32.max, using: &random))
                : IPAddress(ipv6High: random.next() | 1, low: random.next())
            let second = TrafficEndpoint(address, port: UInt16.random(in: 1...UInt16.max, using: &random))
            let (local, remote) = random.once(in: 2) ? (first, second) : (second, first)
            let isMapped = first.address.family == .ipv4 && random.once(in: 2)
            let message = SampleMessage.client.between(local, remote, mapped: isMapped)
            let outcome = PacketFilterMachine.run(program, on: message.bytes, random: 1)
            #expect(message.parse { $0.remote } == remote)
            #expect(outcome.passed == (watched.contains(first) ? .max : 0), "\(local) \(remote)")
            hits += watched.contains(first) ? 1 : 0
            most = max(most, outcome.steps)
        }
        #expect(hits >= (count == 0 ? 0 : 1000))
        #expect(most < 130)
    }

    @Test("one in 64 of the other messages passes, whole")
    func sampling() throws {
        let program = try #require(ConnectionFilter.program([TrafficEndpoint(IPAddress(ipv4: 1), port: 1)]))
        var random = SeededGenerator(seed: 1)
        let passed = (0..<64_000).count { _ in
            let value = UInt32.random(in: 0...UInt32.max, using: &random)
            return PacketFilterMachine.run(program, on: SampleMessage.client.bytes, random: value).passed == .max
        }
        #expect((900...1100).contains(passed))
    }

    @Test("messages that are too short are dropped")
    func truncated() throws {
        let program = try #require(ConnectionFilter.program([TrafficEndpoint(IPAddress(ipv4: 1), port: 1)]))
        for length in 0..<56 {
            let bytes = Array(SampleMessage.ipv6.bytes[..<length])
            #expect(PacketFilterMachine.run(program, on: bytes, random: 1).passed == 0)
        }
    }

    @Test("too many endpoints have no filter")
    func tooMany() {
        let endpoints = (0...UInt16(ConnectionFilter.maximumEndpoints)).map {
            TrafficEndpoint(IPAddress(ipv4: 1), port: $0)
        }
        #expect(ConnectionFilter.program(endpoints) == nil)
        #expect(ConnectionFilter.program(endpoints.dropLast()) != nil)
    }

    @Test("the kernel takes the largest filter, and replaces it")
    func kernel() throws {
        let socket = try DiagSocket(slots: 1, slot: 1024)
        for offset in 0..<3 {
            let endpoints = (0..<UInt64(ConnectionFilter.maximumEndpoints)).map {
                TrafficEndpoint(IPAddress(ipv6High: UInt64(offset), low: $0), port: UInt16($0 + 1))
            }
            #expect(socket.setFilter(ConnectionFilter.program(endpoints)))
        }
        #expect(socket.setFilter(nil))
    }
}
