// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import Probing
import Schema
import TestSupport
import Testing

/// What holds for every kind.
@Suite(.timeLimit(.minutes(15))) struct ConformanceTests {
    enum Kind: String, CaseIterable, Sendable {
        case tcp, startTLS, tls, udp, dns, dnsOverTCP, icmp, http, https, grpc, ntp

        func settings(port: UInt16) throws -> ProbeKind {
            switch self {
            case .tcp:
                .tcp(
                    TCPProbeSettings(
                        port: port,
                        dialogue: [.send("hi\r\n"), .expect(try ProbePattern("^hello there$"))]
                    )
                )
            case .startTLS: .tcp(TCPProbeSettings(port: port, startTLS: StartTLS(.smtp)))
            case .tls:
                .tls(TLSProbeSettings(port: port, dialogue: [.expect(try ProbePattern("^hello there$"))]))
            case .udp:
                .udp(
                    UDPProbeSettings(port: port, payload: [1], reply: .matching(try ProbePattern("^hello there$")))
                )
            case .dns: .dns(DNSProbeSettings(name: "example.test", port: port))
            case .dnsOverTCP: .dns(DNSProbeSettings(name: "example.test", port: port, transport: .tcp))
            case .icmp: .icmp(ICMPProbeSettings(count: 3, spacing: .seconds(1)))
            case .http:
                .http(
                    HTTPProbeSettings(
                        url: try HTTPURL("http://target.test:\(port)/"),
                        expectation: HTTPExpectation(body: [.contains("hello there")])
                    )
                )
            case .https: .http(HTTPProbeSettings(url: try HTTPURL("https://target.test:\(port)/")))
            case .grpc: .grpc(GRPCProbeSettings(port: port))
            case .ntp: .ntp(NTPProbeSettings(port: port))
            }
        }

        var isStream: Bool { ![.udp, .dns, .icmp, .ntp].contains(self) }

        /// Gives up the case where this process may not ask so.
        func require() throws {
            if self == .icmp, let obstacle = EchoRequests.obstacle { try skip("icmp", because: obstacle) }
        }

        /// A peer that takes everything and says nothing; ICMP has the kernel for a peer, which does answer.
        func peer(_ behaviour: TestPeer.Behaviour) throws -> TestPeer {
            try TestPeer(isStream ? SOCK_STREAM : SOCK_DGRAM, behaviour)
        }

        func request(port: UInt16, timeout: Duration = .seconds(10)) throws -> ProbeRequest {
            ProbeRequest(
                host: .address(IPAddress(ipv4: 0x7F00_0001)),
                kind: try settings(port: port),
                timeout: timeout
            )
        }
    }

    @Test("The deadline is kept, by the loop's clock", arguments: Kind.allCases) func deadline(kind: Kind) async throws
    {
        try kind.require()
        let clock = ManualClock()
        let peer = try kind.peer(.silent)
        let bench = try ProbeBench(clock: clock)
        let results = bench.begin(try kind.request(port: peer.port))
        bench.onLoop { _ in clock.advance(by: 9_999_999_999) }
        bench.onLoop { _ in }
        if kind != .icmp { #expect(results.count == 0) }
        bench.onLoop { _ in clock.advance(by: 1) }
        let result = try await results.next()
        if kind == .icmp {
            // The kernel answers: what the deadline cut off is not sent.
            #expect(result.outcome != .failure)
        } else {
            #expect(result.reason == .timeout, "\(result.detail)")
            #expect(result.duration == .seconds(10))
        }
        #expect(results.count == 1)
        #expect(bench.runsInFlight == 0)
    }

    @Test("Cancelled: once, in a later turn, nothing left", arguments: Kind.allCases)
    func cancelled(kind: Kind) async throws {
        try kind.require()
        let peer = try kind.peer(.silent)
        let bench = try ProbeBench(clock: ManualClock())
        let request = try kind.request(port: peer.port)
        let results = Recorder<ProbeResult>()
        bench.onLoop { runner in
            let run = runner.start(request) { results.record($0) }
            run.cancel()
            run.cancel()
            #expect(results.count == 0)
            #expect(runner.runsInFlight == 0)
        }
        #expect(try await results.next().reason == .cancelled)
        let later = bench.begin(request)
        bench.close()
        #expect(later.events.map(\.reason) == [.cancelled])
        #expect(results.count == 1)
    }

    @Test("A probe without a waiting caller ends with the runner; a later one is cancelled at once")
    func closed() async throws {
        let bench = try ProbeBench()
        let request = try Kind.udp.request(port: 9)
        let results = Recorder<ProbeResult>()
        bench.onLoop { runner in
            runner.close()
            runner.close()
            runner.start(request) { results.record($0) }
        }
        #expect(try await results.next().reason == .cancelled)
    }

    static let hostile: [TestPeer.Behaviour] = [
        .silent, .resets, .halfCloses, .saysAndCloses([]), .saysAndCloses([0xFF]), .floods([0x61]),
        .floods([UInt8](repeating: 0x61, count: 16 << 10)), .floods([0x0A]), .floods([0]), .floods([0xFF, 0xFF, 0]),
        // TLS: an alert, a record that is too long, one that does not come to its end, and hellos that are none.
        .says([21, 3, 3, 0, 2, 2, 40]), .says([22, 3, 3, 255, 255]), .says([22, 3, 3, 1, 0, 2, 0, 0, 252]),
        .floods([22, 3, 3, 0, 4, 2, 0, 0, 0]), .floods([20, 3, 3, 0, 1, 1]), .floods([21, 3, 3, 0, 2, 1, 90]),
        .says((0..<1_024).map { UInt8(truncatingIfNeeded: $0 &* 73) }), .says([]),
    ]

    @Test("Whatever the peer sends, there is one failure in time", arguments: Kind.allCases, hostile.indices)
    func hostilePeer(kind: Kind, index: Int) async throws {
        guard kind != .icmp else { return }
        let peer = try kind.peer(Self.hostile[index])
        let bench = try ProbeBench()
        let result = await bench.run(try kind.request(port: peer.port, timeout: .milliseconds(400)))
        #expect(result.outcome == .failure)
        #expect(
            [
                .timeout, .connectionReset, .connectionClosed, .unexpectedResponse, .malformedResponse,
                .tlsHandshakeFailed, .tlsAlert,
                .httpProtocolError,
            ].contains(result.reason),
            "\(String(describing: result.reason)): \(result.detail)"
        )
        #expect(result.detail.utf8.count < 1_000)
        #expect(bench.runsInFlight == 0)
    }

    @Test("An endless answer is read up to 64 KiB") func endless() async throws {
        let peer = try TestPeer(SOCK_STREAM, .floods([UInt8](repeating: 0x61, count: 16 << 10)))
        let bench = try ProbeBench()
        let result = await bench.run(try Kind.tcp.request(port: peer.port))
        #expect(result.reason == .unexpectedResponse)
        #expect(result.detail.contains("65536 bytes"), "\(result.detail)")
    }

    @Test("No descriptor is left, however a run ends") func descriptors() async {
        await #expect(processExitsWith: .success) {
            func openDescriptors() -> Int {
                (0..<1_024).count { fcntl($0, F_GETFD) != -1 }
            }
            let silent = try Kind.allCases.map { try $0.peer(.silent) }
            let talking = try Kind.allCases.map { try $0.peer(.says([1, 2, 3])) }
            let closing = try Kind.allCases.map { try $0.peer(.resets) }
            func round() async throws {
                let bench = try ProbeBench()
                for (index, kind) in Kind.allCases.enumerated() {
                    for peers in [silent, talking, closing] {
                        let request = try kind.request(port: peers[index].port, timeout: .milliseconds(30))
                        _ = await bench.run(request)
                        bench.onLoop { runner in runner.start(request) { _ in }.cancel() }
                        _ = bench.begin(request)
                    }
                    _ = await bench.run(try kind.request(port: 1, timeout: .milliseconds(30)))
                }
                bench.close()
            }
            try await round()
            // The peers close their ends when they see ours: what is counted is ours, so they go first next time.
            let before = openDescriptors()
            for _ in 0..<3 { try await round() }
            // Connections that the peers still hold; each round leaves none on our side.
            for peer in silent + talking + closing { peer.settle() }
            guard openDescriptors() <= before else { exit(1) }
        }
    }

    @Test("Every kind is here") func everyKind() throws {
        #expect(
            Set(try Kind.allCases.map { try $0.settings(port: 1).name }) == Set(ProbeKind.all.map(\.description.name))
        )
    }

    @Test("The description of a kind matches the kind", arguments: ProbeKind.all.map(\.description.name))
    func description(name: String) throws {
        let kind = try #require(ProbeKind.named(name)).description
        let others = ProbeKind.all.map(\.description).filter { $0.name != name }
        #expect(name.allSatisfy { $0.isLowercase } && !kind.label.isEmpty)
        #expect(kind.title.first?.isLowercase == true && kind.title.last?.isLetter == true)
        #expect(Set(kind.schemes + kind.synonyms).isDisjoint(with: others.flatMap { $0.schemes + $0.synonyms }))
        #expect(Set(kind.policies).isDisjoint(with: others.flatMap(\.policies)) && !kind.policies.isEmpty)
        for fields in [kind.fields, kind.expectations] {
            #expect(Set(fields.map(\.name)).count == fields.count)
            for field in fields { #expect(field.summary.hasSuffix("."), "\(field.name)") }
        }
        for question in kind.questions {
            let isExpected = question.path.first == "expect"
            let path = question.path.dropFirst(isExpected ? 1 : 0)
            let field = try #require((isExpected ? kind.expectations : kind.fields).first { $0.name == path.first })
            if let inner = path.dropFirst().first {
                guard case .object(let schema) = field.type else {
                    Issue.record("\(question.path) leads nowhere")
                    continue
                }
                #expect(schema.field(inner) != nil)
            }
        }
        #expect(Set(kind.facts.map { "\($0.name)" }).count == kind.facts.count)
        for fact in kind.facts {
            #expect("\(fact.name)".allSatisfy { $0.isLowercase || $0 == "_" } && !"\(fact.label)".isEmpty)
            guard let metric = fact.metric else { continue }
            #expect("\(metric.name)".hasPrefix("probe_\(name)_\(fact.name)") && "\(metric.help)".hasSuffix("."))
        }
    }
}
