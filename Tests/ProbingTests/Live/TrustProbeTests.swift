// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO
import Probing
import ServerTrust
import TestSupport
import Testing

/// The security policy in real handshakes (S28), by probes that make them themselves and by those that have libcurl make
/// them.
@Suite(.timeLimit(.minutes(15))) struct TrustProbeTests {
    static let loopback = IPAddress(ipv4: 0x7F00_0001)

    /// A server, a policy, and what comes of them.
    struct Refusal: Sendable, CustomTestStringConvertible {
        let code: TrustFault.Code
        let reason: ProbeReason
        let name: String
        var depth = 0
        /// What the server sends behind its certificate.
        var chain: [String] = ["intermediate"]
        var options: [String] = []
        var anchors = "root"
        var edit: @Sendable (inout SecurityPolicy) -> Void = { _ in }
        var policy: @Sendable () throws -> SecurityPolicy = { .default }

        var testDescription: String { "\(code.rawValue) of \(name)" }
    }

    static let weak = ["-cipher", "DEFAULT@SECLEVEL=0"]

    static func pinned(_ mode: PinningMode, _ names: String...) throws -> SecurityPolicy {
        try SecurityPolicy(pinningMode: mode, pins: PinSet(names.map { CertificateFixture.path($0) }))
    }

    static let refusals: [Refusal] = [
        Refusal(code: .expired, reason: .tlsExpired, name: "expired"),
        Refusal(
            code: .expired,
            reason: .tlsExpired,
            name: "under-expired",
            depth: 1,
            chain: ["expired-intermediate"]
        ),
        Refusal(code: .notYetValid, reason: .tlsNotYetValid, name: "not-yet-valid"),
        Refusal(code: .hostnameMismatch, reason: .tlsHostnameMismatch, name: "two-names"),
        Refusal(code: .hostnameMismatch, reason: .tlsHostnameMismatch, name: "cn-only"),
        Refusal(code: .badSignature, reason: .tlsBadSignature, name: "forged"),
        Refusal(
            code: .notAnAuthority,
            reason: .tlsNotAnAuthority,
            name: "from-leaf",
            depth: 1,
            chain: ["leaf", "intermediate"]
        ),
        Refusal(
            code: .pathTooLong,
            reason: .tlsPathTooLong,
            name: "too-deep",
            depth: 2,
            chain: ["deep", "intermediate"]
        ),
        Refusal(code: .nameConstraint, reason: .tlsNameConstraint, name: "constrained-bad", chain: ["constrained"]),
        Refusal(code: .criticalExtension, reason: .tlsCriticalExtension, name: "critical-extension"),
        Refusal(code: .wrongPurpose, reason: .tlsWrongPurpose, name: "client-only"),
        Refusal(
            code: .wrongPurpose,
            reason: .tlsWrongPurpose,
            name: "signed-by-client-ca",
            depth: 1,
            chain: ["intermediate-client"]
        ),
        Refusal(code: .weakKey, reason: .tlsWeakKey, name: "rsa1024", options: weak),
        Refusal(code: .weakSignature, reason: .tlsWeakSignature, name: "sha1", options: weak),
        Refusal(
            code: .lifetimeTooLong,
            reason: .tlsLifetimeTooLong,
            name: "leaf",
            edit: { $0.limitsLifetime = true }
        ),
        Refusal(
            code: .pinMismatch,
            reason: .tlsPinMismatch,
            name: "leaf",
            policy: { try pinned(.publicKey, "leaf-other-key", "other-root") }
        ),
        Refusal(
            code: .pinMismatch,
            reason: .tlsPinMismatch,
            name: "leaf",
            policy: { try pinned(.certificate, "leaf-renewed") }
        ),
        Refusal(
            code: .noPins,
            reason: .tlsPinMismatch,
            name: "leaf",
            policy: { try SecurityPolicy(pinningMode: .publicKey) }
        ),
        Refusal(
            code: .nameCheckNeedsPins,
            reason: .tlsUntrusted,
            name: "leaf",
            edit: { $0.allowInvalidCertificates = true }
        ),
        Refusal(code: .selfSigned, reason: .tlsSelfSigned, name: "self-san", chain: []),
        Refusal(code: .untrustedRoot, reason: .tlsUntrustedRoot, name: "leaf", depth: 1, anchors: "other-root"),
        Refusal(code: .untrustedRoot, reason: .tlsUntrustedRoot, name: "leaf", chain: []),
    ]

    func settings(_ refusal: Refusal) throws -> TLSSettings {
        var policy = try refusal.policy()
        refusal.edit(&policy)
        return TLSSettings(
            serverName: "good.test",
            authorityFile: CertificateFixture.path(refusal.anchors),
            policy: policy
        )
    }

    func server(_ name: String, _ chain: [String], _ options: [String] = [], mode: String = "-rev") throws -> TLSServer
    {
        let folder = try TemporaryFolder()
        let texts = try chain.map { try FileContents.read(CertificateFixture.path($0), limit: 1 << 16) }
        let file = try folder.write(String(decoding: texts.joined(), as: UTF8.self), to: "chain.pem")
        let more = chain.isEmpty ? [] : ["-cert_chain", file]
        // It has read its files when it listens.
        return try TLSServer(in: CertificateFixture.folder, name, more + options, mode: mode)
    }

    func bench() throws -> ProbeBench { try ProbeBench(wallClock: { CertificateFixture.time }) }

    func tls(_ port: UInt16, _ settings: TLSSettings) -> ProbeRequest {
        ProbeRequest(
            host: .address(Self.loopback),
            kind: .tls(TLSProbeSettings(port: port, tls: settings)),
            timeout: .seconds(20)
        )
    }

    func https(_ port: UInt16, _ settings: TLSSettings) throws -> ProbeRequest {
        var http = HTTPProbeSettings(url: try HTTPURL("https://good.test:\(port)/"))
        http.tls = settings
        return ProbeRequest(host: .address(Self.loopback), kind: .http(http), timeout: .seconds(20))
    }

    // MARK: Refusals

    @Test("S28: each reason to reject a server, through tls and http probes, with the whole chain", arguments: refusals)
    func refused(_ refusal: Refusal) async throws {
        let server = try server(refusal.name, refusal.chain, refusal.options, mode: "-www")
        let settings = try settings(refusal)
        let bench = try bench()
        for request in [tls(server.port, settings), try https(server.port, settings)] {
            let result = await bench.run(request)
            #expect(result.outcome == .failure)
            #expect(result.reason == refusal.reason, "\(result.detail)")
            let trust = try #require(result.tls?.trust, "\(result.detail)")
            #expect(!trust.isAccepted)
            #expect(trust.firstFault?.code == refusal.code && trust.firstFault?.depth == refusal.depth)
            #expect(trust.sentChain.count == 1 + refusal.chain.count)
            #expect(trust.sentChain.allSatisfy { $0.notBefore != nil && !$0.fingerprint.isEmpty })
            #expect(trust.checkedAt == CertificateFixture.time)
        }
    }

    @Test("S28: so do tcp probes with STARTTLS, and grpc probes") func otherKinds() async throws {
        let server = try server("two-names", ["intermediate"])
        let peer = try StartTLSPeer(greeting: "+OK\r\n", [("STLS\r\n", "+OK\r\n")], server: server.port)
        let settings = TLSSettings(serverName: "good.test", authorityFile: CertificateFixture.path("root"))
        let bench = try bench()
        for kind: ProbeKind in [
            .tcp(TCPProbeSettings(port: peer.port, startTLS: StartTLS(.pop3, tls: settings))),
            .grpc(GRPCProbeSettings(port: server.port, tls: settings)),
        ] {
            let result = await bench.run(
                ProbeRequest(host: .address(Self.loopback), kind: kind, timeout: .seconds(20))
            )
            #expect(result.reason == .tlsHostnameMismatch, "\(result.detail)")
            #expect(result.tls?.trust.firstFault?.code == .hostnameMismatch)
            #expect(result.tls?.chain.count == 2)
        }
    }

    @Test("A server that is rejected receives nothing of the request", arguments: [false, true])
    func silence(isHTTP: Bool) async throws {
        let server = try server("leaf", ["intermediate"], ["-tls1_2"])
        let bench = try bench()
        for name in ["good.test", "other.test"] {
            let relay = try StartTLSPeer(greeting: "", [], server: server.port)
            let settings = TLSSettings(serverName: name, authorityFile: CertificateFixture.path("root"))
            var request = try https(relay.port, settings)
            if !isHTTP {
                let steps: [DialogueStep] = [.send("hello\n"), .expect(try ProbePattern("olleh"))]
                request.kind = .tls(TLSProbeSettings(port: relay.port, tls: settings, dialogue: steps))
            }
            let result = await bench.run(request)
            // To a request it answers with the request the other way round, which is no HTTP.
            let accepted: ProbeReason? = isHTTP ? .httpProtocolError : nil
            #expect(result.reason == (name == "good.test" ? accepted : .tlsHostnameMismatch), "\(result.detail)")
            let types = try Self.recordTypes(Array(relay.relayed.events.joined()))
            // Handshake, perhaps the change of cipher, an alert; application data is 23.
            #expect(types.contains(23) == (name == "good.test"), "\(types)")
            #expect(types.contains(22))
        }
    }

    /// The content types of TLS records (RFC 5246, section 6.2.1).
    static func recordTypes(_ bytes: [UInt8]) throws -> [UInt8] {
        var types: [UInt8] = []
        var rest = bytes[...]
        while rest.count >= 5 {
            let size = Int(rest[rest.startIndex + 3]) << 8 | Int(rest[rest.startIndex + 4])
            types.append(rest[rest.startIndex])
            rest = rest.dropFirst(5 + size)
        }
        #expect(rest.isEmpty)
        return types
    }

    // MARK: Pins

    @Test("S12, S15: a server whose key is pinned, or its authority's, through both") func pinned() async throws {
        let server = try server("leaf", ["intermediate"], mode: "-www")
        let bench = try bench()
        for name in ["leaf", "leaf-renewed", "intermediate", "root"] {
            let settings = TLSSettings(
                serverName: "good.test",
                authorityFile: CertificateFixture.path("root"),
                policy: try Self.pinned(.publicKey, name, "other-root")
            )
            for request in [tls(server.port, settings), try https(server.port, settings)] {
                let result = await bench.run(request)
                #expect(result.outcome == .success, "\(name): \(result.detail)")
                #expect(result.tls?.trust.row.description == "T10")
                #expect(result.tls?.trust.warnings == [])
            }
        }
    }

    @Test("A pin in report-only mode rejects no server, and is reported") func reported() async throws {
        let server = try server("leaf", ["intermediate"], mode: "-www")
        var policy = try Self.pinned(.publicKey, "other-root", "leaf-other-key")
        policy.reportsPinsOnly = true
        let settings = TLSSettings(
            serverName: "good.test",
            authorityFile: CertificateFixture.path("root"),
            policy: policy
        )
        let bench = try bench()
        for request in [tls(server.port, settings), try https(server.port, settings)] {
            let result = await bench.run(request)
            #expect(result.outcome == .success, "\(result.detail)")
            #expect(result.tls?.trust.warnings == [.pinMismatchReported])
            #expect(result.tls?.trust.tolerated.map(\.code) == [.pinMismatch])
        }
    }

    @Test("S27: a redirect does not lead past the pins") func redirect() async throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("HTTP/1.0 302 Found\r\nLocation: http://good.test:1/a?token=b\r\n\r\n", to: "away")
        let options = ["-cert_chain", CertificateFixture.path("intermediate")]
        let server = try TLSServer(in: folder.path, "\(CertificateFixture.folder)leaf", options, mode: "-HTTP")
        let bench = try ProbeBench(hosts: "127.0.0.1 good.test\n", wallClock: { CertificateFixture.time })
        for isPinned in [true, false] {
            var http = HTTPProbeSettings(url: try HTTPURL("https://good.test:\(server.port)/away"))
            http.redirects = 1
            http.tls.authorityFile = CertificateFixture.path("root")
            if isPinned { http.tls.policy = try Self.pinned(.publicKey, "leaf", "other-root") }
            let request = ProbeRequest(host: .name("good.test"), kind: .http(http), timeout: .seconds(20))
            let result = await bench.run(request)
            #expect(result.reason == (isPinned ? .badRedirect : .connectRefused), "\(result.detail)")
            #expect(!result.detail.contains("token"))
        }
    }

    @Test("S17: the service is strict, AFNetworking is not") func compatibility() async throws {
        let server = try server("two-names", ["intermediate"])
        let bench = try bench()
        for compatibility in TrustCompatibility.allCases {
            var policy = try Self.pinned(.publicKey, "two-names", "other-root")
            policy.allowInvalidCertificates = true
            policy.compatibility = compatibility
            let settings = TLSSettings(
                serverName: "good.test",
                authorityFile: CertificateFixture.path("root"),
                policy: policy
            )
            let result = await bench.run(tls(server.port, settings))
            #expect(result.reason == (compatibility == .strict ? .tlsHostnameMismatch : nil), "\(result.detail)")
            #expect(result.tls?.trust.warnings == [.compatibilityDiffers])
        }
    }

    // MARK: Around the policy

    @Test("The verified name can differ from the one that is sent") func verifiedName() async throws {
        // It has one certificate for those who say `one.test`, and another for everybody else.
        let options = [
            "-servername", "one.test", "-cert2", "two-names.pem", "-key2", "two-names.key",
        ]
        let server = try server("leaf", ["intermediate"], options)
        let bench = try bench()
        func run(_ told: String, _ verified: String?) async -> ProbeResult {
            let settings = TLSSettings(
                serverName: told,
                verifiedName: verified,
                // What leads to the root is sent with the first certificate only.
                authorityFile: CertificateFixture.path("intermediate")
            )
            return await bench.run(tls(server.port, settings))
        }
        #expect(await run("one.test", nil).outcome == .success)
        #expect(await run("one.test", "two.test").outcome == .success)
        let other = await run("one.test", "good.test")
        #expect(other.reason == .tlsHostnameMismatch && other.tls?.chain.first?.names == ["one.test", "two.test"])
        #expect(await run("any.test", "good.test").outcome == .success)
        #expect(await run("any.test", "127.0.0.1").outcome == .success)
    }

    @Test("An address is never sent as a server name, whatever name is verified", arguments: [false, true])
    func addressIsNotTold(isHTTP: Bool) async throws {
        // Whoever says a name gets another certificate.
        let options = ["-servername", "good.test", "-cert2", "two-names.pem", "-key2", "two-names.key"]
        let server = try server("leaf", ["intermediate"], options, mode: "-www")
        let settings = TLSSettings(verifiedName: "good.test", authorityFile: CertificateFixture.path("root"))
        var request = tls(server.port, settings)
        if isHTTP {
            var http = HTTPProbeSettings(url: try HTTPURL("https://127.0.0.1:\(server.port)/"))
            http.tls = settings
            request.kind = .http(http)
        }
        let result = try await bench().run(request)
        #expect(result.outcome == .success, "\(result.detail)")
        #expect(result.tls?.chain.first?.names.contains("localhost") == true)
    }

    @Test("The staple of a rejected chain is reported too") func stapleOfRejected() async throws {
        let server = try server(
            "leaf",
            ["intermediate"],
            ["-status_file", "ocsp-revoked.der", "-tls1_3"],
            mode: "-www"
        )
        let settings = TLSSettings(serverName: "other.test", authorityFile: CertificateFixture.path("root"))
        let bench = try bench()
        for request in [tls(server.port, settings), try https(server.port, settings)] {
            let result = await bench.run(request)
            #expect(result.reason == .tlsHostnameMismatch)
            #expect(result.tls?.staple?.status == .revoked)
        }
    }

    @Test(
        "A stapled OCSP response is recorded, and does not affect the verdict",
        arguments: ["-tls1_2", "-tls1_3"],
        ["good", "revoked"]
    )
    func staple(version: String, status: String) async throws {
        let server = try server(
            "leaf",
            ["intermediate"],
            ["-status_file", "ocsp-\(status).der", version],
            mode: "-www"
        )
        let settings = TLSSettings(serverName: "good.test", authorityFile: CertificateFixture.path("root"))
        let bench = try bench()
        for request in [tls(server.port, settings), try https(server.port, settings)] {
            let result = await bench.run(request)
            #expect(result.outcome == .success, "\(result.detail)")
            let staple = try #require(result.tls?.staple)
            #expect(staple.status.rawValue == status)
            #expect(staple.thisUpdate == 1_735_689_600 && staple.nextUpdate == 4_891_363_200)
            #expect(staple.revokedAt == (status == "revoked" ? 1_751_328_000 : nil))
        }
    }

    @Test("A server that staples nothing, or nonsense") func nothingStapled() async throws {
        let settings = TLSSettings(serverName: "two.test", authorityFile: CertificateFixture.path("root"))
        let bench = try bench()
        let silent = try server("two-names", ["intermediate"])
        let none = await bench.run(tls(silent.port, settings))
        #expect(none.outcome == .success && none.tls?.staple == nil, "\(none.detail)")
        // The response is about another certificate.
        let confused = try server("two-names", ["intermediate"], ["-status_file", "ocsp-good.der"])
        let other = await bench.run(tls(confused.port, settings))
        #expect(other.outcome == .success && other.tls?.staple?.status == .unusable, "\(other.detail)")
    }

    @Test("A renewed client certificate is used from the next probe on") func renewedIdentity() async throws {
        let folder = try TemporaryFolder()
        let identity = folder.path(of: "identity.pem")
        func install(_ name: String) throws {
            let pair = [CertificateFixture.path(name), CertificateFixture.key(name)]
            let text = try pair.map { String(decoding: try FileContents.read($0, limit: 1 << 16), as: UTF8.self) }
            _ = try folder.write(text.joined(), to: "new.pem")
            try Command.run(["mv", folder.path(of: "new.pem"), identity])
        }
        let server = try server(
            "leaf",
            ["intermediate"],
            ["-Verify", "3", "-verify_return_error", "-CAfile", "root.pem"]
        )
        let settings = TLSSettings(
            serverName: "good.test",
            authorityFile: CertificateFixture.path("root"),
            certificateFile: identity
        )
        let bench = try bench()
        try install("self-san")
        let stranger = await bench.run(tls(server.port, settings))
        #expect(stranger.reason == .tlsAlert, "\(stranger.detail)")
        try install("client-only")
        // The server knows the root only; what leads there comes with the certificate.
        let text = try [identity, CertificateFixture.path("intermediate")].map {
            String(decoding: try FileContents.read($0, limit: 1 << 16), as: UTF8.self)
        }
        _ = try folder.write(text.joined(), to: "identity.pem")
        let known = await bench.run(tls(server.port, settings))
        #expect(known.outcome == .success, "\(known.detail)")
    }

    @Test("certificate_expires_soon, pins_expire_soon: of the leaf, of all that was sent, of the chain, of the pins")
    func expiry() async throws {
        let server = try server("leaf", ["intermediate", "short-lived"])
        var pins = try PinSet([CertificateFixture.path("leaf"), CertificateFixture.path("other-root")])
        pins.reviewDate = CertificateFixture.time + 10 * 86_400
        let settings = TLSSettings(
            serverName: "good.test",
            authorityFile: CertificateFixture.path("root"),
            policy: try SecurityPolicy(pinningMode: .publicKey, pins: pins)
        )
        let bench = try bench()
        var request = tls(server.port, settings)
        // The short-lived certificate has 45 days; everything that counts has a century.
        let bounds: [(ExpiryBounds, ProbeReason?)] = [
            (ExpiryBounds(), nil), (ExpiryBounds(certificate: 3_000), nil), (ExpiryBounds(leaf: 3_000), nil),
            (ExpiryBounds(verifiedChain: 3_000), nil), (ExpiryBounds(earliestSent: 44), nil),
            (ExpiryBounds(earliestSent: 46), .certificateExpiresSoon), (ExpiryBounds(pins: 9), nil),
            (ExpiryBounds(pins: 11), .pinsExpireSoon), (ExpiryBounds(leaf: 40_000), .certificateExpiresSoon),
            (ExpiryBounds(verifiedChain: 40_000), .certificateExpiresSoon),
        ]
        for (bound, reason) in bounds {
            request.expiry = bound
            let result = await bench.run(request)
            #expect(result.reason == reason, "\(bound): \(result.detail)")
            #expect(result.outcome == (reason == nil ? .success : .degraded))
        }
    }
}
