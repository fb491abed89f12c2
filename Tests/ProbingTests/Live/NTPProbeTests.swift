// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import NetworkPaths
import TestSupport
import Testing

@testable import Probing

@Suite(.timeLimit(.minutes(15))) struct NTPProbeTests {
    func request(_ port: UInt16, _ settings: NTPProbeSettings = NTPProbeSettings(), host: String = "127.0.0.1")
        -> ProbeRequest
    {
        var settings = settings
        settings.port = port
        return ProbeRequest(
            host: IPAddress(host).map(ProbeHost.address) ?? .name(host),
            kind: .ntp(settings),
            timeout: .seconds(20)
        )
    }

    /// A server that has this machine's time, and says of itself what a test wants.
    static func server(
        isIPv6: Bool = false,
        ahead: UInt64 = 0,
        _ edit: @escaping @Sendable (inout NTPBytes) -> Void = { _ in }
    ) throws -> TestPeer {
        try TestPeer(
            SOCK_DGRAM,
            isIPv6: isIPv6,
            .answers { request in
                guard request.count == 48 else { return nil }
                var time = timespec()
                _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
                var reply = NTPBytes()
                reply.origin = request[40...].reduce(0) { $0 << 8 | UInt64($1) }
                reply.received = NTPTime(
                    nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec) + ahead
                )
                reply.transmitted = reply.received
                edit(&reply)
                return reply.bytes
            }
        )
    }

    @Test("The time, its offset and where it is from", arguments: [false, true]) func time(isIPv6: Bool) async throws {
        let peer = try Self.server(isIPv6: isIPv6, ahead: 3_600_000_000_000)
        let bench = try ProbeBench()
        let result = await bench.run(request(peer.port, host: isIPv6 ? "::1" : "127.0.0.1"))
        #expect(result.outcome == .success, "\(result.detail)")
        let answer = try #require(result.answers.first(NTPAnswer.self))
        // An hour, but for half of the round trip.
        #expect(answer.offset > .seconds(3_599) && answer.offset < .seconds(3_601))
        #expect(answer.delay >= .zero && answer.delay <= result.duration)
        #expect(answer.stratum == 2 && answer.source == "192.0.2.9")
        #expect(result.phases[.request] != nil)
        let hidden = result.hidingAddress.answers.first(NTPAnswer.self)
        #expect(hidden?.source == "" && hidden?.offset == answer.offset)
    }

    @Test("Reasons of its own")
    func reasons() async throws {
        let bench = try ProbeBench()
        let kiss = try Self.server { reply in
            reply.stratum = 0
            reply.leap = 3
            reply.reference = Array("RATE".utf8)
        }
        let refused = await bench.run(request(kiss.port))
        #expect(refused.reason == .ntpKissOfDeath && refused.detail.contains("RATE"))
        #expect(refused.answers.all.isEmpty)
        let alone = try Self.server { $0.stratum = 16 }
        #expect(await bench.run(request(alone.port)).reason == .ntpUnsynchronized)
        let far = try Self.server { $0.stratum = 5 }
        #expect(await bench.run(request(far.port, NTPProbeSettings(maximumStratum: 4))).reason == .ntpStratum)
        let ahead = try Self.server(ahead: 60_000_000_000)
        let offset = await bench.run(request(ahead.port, NTPProbeSettings(maximumOffset: .seconds(30))))
        #expect(offset.reason == .ntpOffset && offset.answers.first(NTPAnswer.self) != nil)
        let client = try TestPeer(SOCK_DGRAM, .answers { [0x23] + $0[1..<24] + $0[40..<48] + $0[32..<48] })
        #expect(await bench.run(request(client.port)).reason == .malformedResponse)
    }

    @Test("Unrequested replies are ignored") func strangers() async throws {
        let peer = try Self.server { $0.origin &+= 1 }
        let clock = ManualClock()
        let bench = try ProbeBench(clock: clock)
        let results = bench.begin(request(peer.port))
        // The first and both repetitions.
        for _ in 0..<3 {
            bench.onLoop { _ in }
            bench.onLoop { _ in clock.advance(by: 7_000_000_000) }
        }
        let result = try await results.next()
        #expect(result.reason == .timeout, "\(result.detail)")
    }

    @Test("connect_refused: ICMP port unreachable") func refused() async throws {
        let bound = try TestPeer(SOCK_STREAM, host: 78, .silent)
        let bench = try ProbeBench()
        #expect(await bench.run(request(bound.port, host: "127.0.0.78")).reason == .connectRefused)
    }

    @Test("Debian's chrony: synchronised by its own word, and not") func chrony() async throws {
        let bench = try ProbeBench()
        let good = try Chrony("local stratum 3")
        let result = try await good.run(bench) { request($0, NTPProbeSettings(maximumOffset: .seconds(1))) }
        #expect(result.outcome == .success, "\(result.detail)")
        let answer = try #require(result.answers.first(NTPAnswer.self))
        #expect(answer.stratum == 3 && answer.leap == .none && answer.distance < .seconds(1))
        let lost = try Chrony("")
        let other = try await lost.run(bench) { request($0) }
        #expect(other.reason == .ntpUnsynchronized, "\(other.detail)")
    }
}

/// A chronyd of the test's own on loopback that leaves the clock alone. It ends with this object.
private final class Chrony {
    private let folder: TemporaryFolder
    private let process: ChildProcess
    private let port: UInt16

    init(_ configuration: String) throws {
        folder = try TemporaryFolder()
        port = try TestPeer(SOCK_DGRAM, .silent).port
        let text = """
            \(configuration)
            port \(port)
            bindaddress 127.0.0.1
            allow 127.0.0.1
            cmdport 0
            bindcmdaddress /
            pidfile \(folder.path)/pid
            """
        let path = try folder.write(text, to: "chrony.conf")
        // -x: the clock is not touched; -U: an ordinary user may start it.
        let user = geteuid() == 0 ? ["-u", "root"] : ["-U"]
        process = try ChildProcess(["/usr/sbin/chronyd", "-d", "-x"] + user + ["-f", path])
    }

    /// The result of a probe, once the server is there.
    func run(_ bench: ProbeBench, _ request: (UInt16) -> ProbeRequest) async throws -> ProbeResult {
        while let line = process.readLine() {
            if line.contains("control of system clock") { break }
        }
        var result = await bench.run(request(port))
        for _ in 0..<10_000 where result.reason == .connectRefused { result = await bench.run(request(port)) }
        return result
    }
}
