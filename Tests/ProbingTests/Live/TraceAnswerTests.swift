// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Synchronization
import TestSupport
import Testing

@testable import Probing

/// What routers answer that the kernel's own do not: labels, short quotes, forgeries. A script in place of the network.
@Suite(
    .timeLimit(.minutes(15)),
    .enabled(if: Testbed.isAvailable, "\(Testbed.requirement)"),
    .enabled(if: Testbed.isAvailable && Testbed.obstacle(to: "tun") == nil, "needs /dev/net/tun")
)
struct TraceAnswerTests {
    enum Method: String, CaseIterable, Sendable {
        case tcp, udp, datagramICMP, rawICMP

        func request(_ family: AddressFamily, limit: Duration = .seconds(20)) -> TraceRequest {
            let method: TraceRequest.Method =
                switch self {
                case .tcp: .tcp(port: 443)
                case .udp: .udp(port: 53)
                case .datagramICMP, .rawICMP: .icmp
                }
            return TraceRequest(
                destination: ScriptedRouters.destination(family),
                method: method,
                timeLimit: limit
            )
        }

        func with(
            _ script: @escaping ScriptedRouters.Script,
            _ body: (TraceBench) async throws -> Void
        ) async throws {
            try await ScriptedRouters.with(datagramICMP: self == .datagramICMP, script, body)
        }
    }

    private func words(_ result: TraceResult) -> Comment { "\(result.end), \(result.hops)" }

    /// The type of "time exceeded" and of "destination unreachable".
    private static func types(_ family: AddressFamily) -> (exceeded: UInt8, unreachable: UInt8) {
        family == .ipv4 ? (11, 3) : (3, 1)
    }

    /// The label stack 100 with traffic class 5 and TTL 9, 1,048,575 at the bottom.
    private static let stack: [UInt8] = {
        var bytes: [UInt8] = [0x20, 0, 0, 0, 0, 12, 1, 1, 0x00, 0x06, 0x4A, 9, 0xFF, 0xFF, 0xF1, 1]
        let sum = ICMPMessage.checksum(bytes)
        bytes[2] = UInt8(sum >> 8)
        bytes[3] = UInt8(sum & 0xFF)
        return bytes
    }()

    private static let labels = [
        MPLSLabel(label: 100, trafficClass: 5, isBottom: false, timeToLive: 9),
        MPLSLabel(label: 0xFFFFF, trafficClass: 0, isBottom: true, timeToLive: 1),
    ]

    @Test(
        "The MPLS labels of hop 2, with a stated and with an assumed length of the quote",
        arguments: Method.allCases,
        [true, false]
    )
    func labels(_ method: Method, statesLength: Bool) async throws {
        let script: ScriptedRouters.Script = { packet in
            let types = Self.types(packet.family)
            guard packet.hop < 4 else {
                return [packet.error(types.unreachable, 0, from: ScriptedRouters.router(packet.family, 3))]
            }
            return [
                packet.error(
                    types.exceeded,
                    0,
                    from: ScriptedRouters.router(packet.family, packet.hop),
                    extensions: packet.hop == 2 ? Self.stack : [],
                    statesLength: statesLength
                )
            ]
        }
        try await method.with(script) { bench in
            for family in AddressFamily.allCases {
                let result = await bench.run(method.request(family))
                #expect(result.hops.map(\.labels) == [[], Self.labels, []], words(result))
                #expect(result.hops.map(\.addresses) == (1...3).map { [ScriptedRouters.router(family, $0)] })
            }
        }
    }

    @Test("Routers that quote eight bytes are named, of datagrams by one packet at a time", arguments: Method.allCases)
    func shortQuotes(_ method: Method) async throws {
        let script: ScriptedRouters.Script = { packet in
            let types = Self.types(packet.family)
            let isLast = packet.hop >= 5
            let sender =
                isLast
                ? ScriptedRouters.destination(packet.family) : ScriptedRouters.router(packet.family, packet.hop)
            return [
                packet.error(
                    isLast ? types.unreachable : types.exceeded,
                    isLast ? (packet.family == .ipv4 ? 3 : 4) : 0,
                    from: sender,
                    quoting: 8
                )
            ]
        }
        try await method.with(script) { bench in
            for family in AddressFamily.allCases {
                let result = await bench.run(method.request(family))
                let routers = (1...4).map { [ScriptedRouters.router(family, $0)] }
                #expect(
                    result.hops.map(\.addresses) == routers + [[ScriptedRouters.destination(family)]],
                    words(result)
                )
                guard case .refused(.some) = result.end else { return #expect(Bool(false), words(result)) }
            }
        }
    }

    @Test("A service that replies with data of its own is reached, and its hop is found")
    func service() async throws {
        let script: ScriptedRouters.Script = { packet in
            guard packet.hop < 4 else { return [packet.reply([1, 2, 3, 4, 5], from: Self.destination(packet))] }
            return [
                packet.error(
                    Self.types(packet.family).exceeded,
                    0,
                    from: ScriptedRouters.router(packet.family, packet.hop)
                )
            ]
        }
        try await Method.udp.with(script) { bench in
            for family in AddressFamily.allCases {
                let result = await bench.run(Method.udp.request(family))
                #expect(result.end == .reached && result.hops.count == 4, words(result))
            }
        }
    }

    private static func destination(_ packet: SentPacket) -> IPAddress { ScriptedRouters.destination(packet.family) }

    @Test(
        "Forged errors, of another packet, destination or flow, are not believed",
        arguments: Method.allCases
    )
    func forged(_ method: Method) async throws {
        let script: ScriptedRouters.Script = { packet in
            let types = Self.types(packet.family)
            let liar = ScriptedRouters.router(packet.family, 99)
            let at = packet.header
            // The quoted destination, port (or identifier), and what names the packet: sequence number or data.
            var places = [at - 1, at + 4]
            switch packet.kind {
            case 6: places = [at - 1, at + 1, at + 3, at + 4]
            case 17: places = [at - 1, at + 1, at + 3, at + 8 + 5]
            default: places = [at - 1, at + 5, at + 8 + 4]
            }
            var answers = places.map { place in
                packet.error(types.unreachable, 0, from: liar) { $0[place] ^= 0x41 }
            }
            // A reply of another machine.
            if packet.kind == 1 || packet.kind == 58 { answers.append(packet.echoReply(from: liar)) }
            guard packet.hop < 3 else {
                return answers + [packet.error(types.unreachable, 0, from: ScriptedRouters.router(packet.family, 3))]
            }
            let router = ScriptedRouters.router(packet.family, packet.hop)
            return answers + [packet.error(types.exceeded, 0, from: router)]
        }
        try await method.with(script) { bench in
            for family in AddressFamily.allCases {
                let result = await bench.run(method.request(family))
                let routers = (1...3).map { [ScriptedRouters.router(family, $0)] }
                #expect(result.hops.map(\.addresses) == routers, words(result))
            }
        }
    }

    @Test("All packets are of one flow, by the fields that routers balance load by", arguments: Method.allCases)
    func flow(_ method: Method) async throws {
        let seen = FlowSet()
        let script: ScriptedRouters.Script = { packet in
            seen.insert(packet.flow)
            guard packet.hop <= 20 else { return [] }
            let router = ScriptedRouters.router(packet.family, packet.hop)
            return [packet.error(Self.types(packet.family).exceeded, 0, from: router)]
        }
        try await method.with(script) { bench in
            for family in AddressFamily.allCases {
                seen.clear()
                var request = method.request(family)
                request.maximumHops = 20
                let result = await bench.run(request)
                #expect(result.hops.count == 20 && result.isOneFlow, words(result))
                #expect(seen.count == 1)
            }
        }
    }

    @Test("Answers that repeat for ever do not keep the loop from the time limit", arguments: Method.allCases)
    func flood(_ method: Method) async throws {
        let script: ScriptedRouters.Script = { packet in
            let router = ScriptedRouters.router(packet.family, packet.hop)
            let answer = packet.error(Self.types(packet.family).exceeded, 0, from: router)
            return [[UInt8]](repeating: answer, count: 500)
        }
        try await method.with(script) { bench in
            let result = await bench.run(method.request(.ipv4, limit: .seconds(1)))
            // Answers may be lost in the flood.
            #expect(result.hops.count <= result.request.maximumHops && !result.hops.isEmpty && result.end == .silent)
            #expect(result.hops.allSatisfy { $0.roundTrips.count <= 3 })
        }
    }
}

/// The distinct flows of packets.
private final class FlowSet: Sendable {
    private let flows = Mutex<Set<[UInt8]>>([])

    var count: Int { flows.withLock { $0.count } }
    func insert(_ flow: [UInt8]) { flows.withLock { _ = $0.insert(flow) } }
    func clear() { flows.withLock { $0 = [] } }
}
