// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import LinuxIO
import Probing
import ServerTrust
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct TLSProbeTests {
    static let day: Int64 = 86_400
    let certificates: TestCertificates

    init() throws {
        certificates = try TestCertificates()
    }

    func request(
        _ port: UInt16,
        _ dialogue: [DialogueStep] = [],
        edit: (inout TLSSettings) -> Void = { _ in }
    ) -> ProbeRequest {
        var tls = TLSSettings(serverName: "good.test", authorityFile: certificates["ca"])
        edit(&tls)
        return ProbeRequest(
            host: .address(IPAddress(ipv4: 0x7F00_0001)),
            kind: .tls(TLSProbeSettings(port: port, tls: tls, dialogue: dialogue)),
            timeout: .seconds(20)
        )
    }

    func bench(daysFromNow days: Int64 = 0) throws -> ProbeBench {
        // An hour more: a certificate that was made in this second must not have a whole number of days left.
        try ProbeBench(wallClock: { SystemTime.now() + days * Self.day + 3_600 })
    }

    @Test("A handshake and its report") func report() async throws {
        let server = try TLSServer(certificates, "leaf", ["-cert_chain", "middle.pem", "-alpn", "h2"])
        let result = try await bench().run(request(server.port) { $0.applicationProtocols = ["http/1.1", "h2"] })
        #expect(result.outcome == .success, "\(result.detail)")
        #expect(result.phases[.connect] != nil && result.phases[.tls] != nil)
        let report = try #require(result.tls)
        #expect(report == result.addresses.first?.tls)
        #expect(report.version == "TLSv1.3")
        #expect(report.cipher?.hasPrefix("TLS_") == true)
        #expect(report.applicationProtocol == "h2")
        #expect(report.isTrusted && report.trust.sentCount == 2)
        #expect(report.chain.map(\.subject) == ["CN=leaf", "CN=Middle"])
        #expect(report.chain.map(\.issuer) == ["CN=Middle", "CN=Root,O=Test"])
        let leaf = report.chain[0]
        #expect(
            leaf.names
                == ["good.test", "*.wild.test", "127.0.0.1", "::1", "URI:https://good.test/", "email:me@good.test"]
        )
        #expect(leaf.nameCount == 6)
        let known = try certificates.shell(
            """
            openssl x509 -in leaf.pem -noout -fingerprint -sha256 | sed 's/.*=//; s/://g' | tr A-F a-f
            openssl x509 -in leaf.pem -noout -serial | sed 's/.*=//' | tr A-F a-f
            openssl x509 -in leaf.pem -noout -pubkey | openssl pkey -pubin -outform der | sha256sum | cut -c1-64
            date -d "$(openssl x509 -in leaf.pem -noout -enddate | cut -d= -f2)" +%s
            """
        ).split(separator: "\n").map(String.init)
        #expect([leaf.fingerprint, leaf.serialNumber, leaf.publicKeyDigest] == Array(known.prefix(3)))
        #expect(report.trust.expiry.leaf == Int64(known[3]))
        #expect(
            report.trust.expiry.earliestSent == report.trust.expiry.leaf
                && report.trust.expiry.verifiedChain == report.trust.expiry.leaf
        )
    }

    static let refusals: [(ProbeReason, TrustFault.Code, String, Int64, String?, Bool)] = [
        (.tlsExpired, .expired, "leaf", 301, "good.test", true),
        (.tlsExpired, .expired, "leaf", 301, "other.test", true),
        (.tlsNotYetValid, .notYetValid, "leaf", -1, "good.test", true),
        (.tlsHostnameMismatch, .hostnameMismatch, "leaf", 0, "other.test", true),
        (.tlsHostnameMismatch, .hostnameMismatch, "leaf", 0, "a.b.wild.test", true),
        (.tlsHostnameMismatch, .hostnameMismatch, "leaf", 0, "leaf", true),
        (.tlsHostnameMismatch, .hostnameMismatch, "own", 0, nil, true),
        (.tlsSelfSigned, .selfSigned, "own", 0, "good.test", true),
        (.tlsUntrustedRoot, .untrustedRoot, "leaf", 0, "good.test", false),
        (.tlsWrongPurpose, .wrongPurpose, "client", 0, "good.test", true),
    ]

    @Test(
        "tls_expired, _not_yet_valid, _hostname_mismatch, _self_signed, _untrusted_root, _wrong_purpose: reported, recorded",
        arguments: refusals.indices
    )
    func refused(index: Int) async throws {
        let (reason, kind, name, days, serverName, hasAuthority) = Self.refusals[index]
        let options = name == "leaf" ? ["-cert_chain", "middle.pem"] : []
        let server = try TLSServer(certificates, name, options)
        let bench = try bench(daysFromNow: days)
        for skips in [false, true, false] {
            let result = await bench.run(
                request(server.port) { tls in
                    tls.serverName = serverName
                    if !hasAuthority { tls.authorityFile = nil }
                    if skips { tls.policy = .permissive }
                }
            )
            #expect(result.outcome == (skips ? .success : .failure))
            #expect(result.reason == (skips ? nil : reason), "\(result.detail)")
            #expect(result.detail.utf8.count < 600)
            let report = try #require(result.tls)
            #expect(report.trust.allFaults.first?.code == kind)
            #expect(report.version == "TLSv1.3" && report.cipher != nil)
            #expect(report.chain.count == (name == "leaf" ? 2 : 1))
            // The chain of a server with another name is good for its dates all the same.
            #expect((report.trust.expiry.verifiedChain == nil) == !report.trust.predicates.isValid)
        }
    }

    @Test("Names of a certificate: names, wildcards, addresses, and a server's own certificate that is trusted")
    func names() async throws {
        let server = try TLSServer(certificates)
        let bench = try ProbeBench(hosts: "127.0.0.1 good.test\n")
        for name in ["good.test", "good.test.", "GOOD.test", "x.wild.test", "127.0.0.1", nil] {
            let result = await bench.run(request(server.port) { $0.serverName = name })
            #expect(result.outcome == .success, "\(String(describing: name)): \(result.detail)")
        }
        for authority in ["middle", "leaf"] {
            let result = await bench.run(request(server.port) { $0.authorityFile = certificates[authority] })
            #expect(result.outcome == .success, "\(authority): \(result.detail)")
        }
        var byName = request(server.port) { $0.serverName = nil }
        byName.host = .name("good.test")
        #expect(await bench.run(byName).outcome == .success)
        let impossible = await bench.run(request(server.port) { $0.serverName = "a b" })
        #expect(impossible.reason == .invalidRequest)
    }

    @Test("A cached verdict on a chain is valid until the next date of its certificates") func remembered() async throws
    {
        let server = try TLSServer(certificates)
        let days = Count()
        let bench = try ProbeBench(wallClock: { SystemTime.now() + Int64(days.add(0)) * Self.day })
        for (step, reason) in [(0, nil), (299, nil), (2, ProbeReason.tlsExpired), (-2, nil), (-300, .tlsNotYetValid)] {
            _ = days.add(step)
            for _ in 0..<2 { #expect(await bench.run(request(server.port)).reason == reason, "\(step)") }
        }
    }

    @Test("certificate_expires_soon") func expiresSoon() async throws {
        let server = try TLSServer(certificates)
        let bench = try bench(daysFromNow: 290)
        var request = request(server.port)
        request.expiry.certificate = 9
        #expect(await bench.run(request).outcome == .success)
        request.expiry.certificate = 11
        let soon = await bench.run(request)
        #expect(soon.outcome == .degraded && soon.reason == .certificateExpiresSoon)
        #expect(soon.detail.contains("9 days"), "\(soon.detail)")
        let late = try self.bench(daysFromNow: 302)
        request.kind = self.request(server.port) { $0.policy = .permissive }.kind
        let over = await late.run(request)
        #expect(over.reason == .certificateExpiresSoon && over.detail.contains("ago"), "\(over.detail)")
    }

    @Test(
        "A server that requires a certificate: success with one, tls_alert without",
        arguments: ["-tls1_2", "-tls1_3"]
    )
    func identity(version: String) async throws {
        let options = [
            "-cert_chain", "middle.pem", "-Verify", "1", "-verify_return_error", "-CAfile", "ca.pem", version,
        ]
        let server = try TLSServer(certificates, "leaf", options)
        let bench = try bench()
        let without = await bench.run(request(server.port))
        #expect(without.reason == .tlsAlert, "\(without.detail)")
        #expect(without.tls?.isTrusted == true)
        let stranger = await bench.run(
            request(server.port) {
                $0.certificateFile = certificates["own"]
                $0.keyFile = certificates.key("own")
            }
        )
        #expect(stranger.reason == .tlsAlert, "\(stranger.detail)")
        let shown = await bench.run(
            request(server.port) {
                $0.certificateFile = certificates["client"]
                $0.keyFile = certificates.key("client")
            }
        )
        #expect(shown.outcome == .success, "\(shown.detail)")
        try certificates.shell("cat client.key client.pem > both.pem")
        let both = await bench.run(request(server.port) { $0.certificateFile = certificates["both"] })
        #expect(both.outcome == .success, "\(both.detail)")
    }

    @Test("tls_version_unsupported") func versions() async throws {
        let old = try TLSServer(certificates, "leaf", ["-cert_chain", "middle.pem", "-tls1_2"])
        let new = try TLSServer(certificates, "leaf", ["-cert_chain", "middle.pem", "-tls1_3"])
        let ancient = try TLSServer(certificates, "leaf", ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"])
        let bench = try bench()
        let refused = await bench.run(request(old.port) { $0.minimumVersion = .tls13 })
        #expect(refused.reason == .tlsVersionUnsupported, "\(refused.detail)")
        #expect(await bench.run(request(new.port) { $0.maximumVersion = .tls12 }).reason == .tlsVersionUnsupported)
        #expect(await bench.run(request(ancient.port)).reason == .tlsVersionUnsupported)
        let accepted = await bench.run(
            request(ancient.port) {
                $0.minimumVersion = .tls10
                $0.policy = .permissive
            }
        )
        #expect(accepted.tls?.version == "TLSv1.1", "\(accepted.detail)")
        let impossible = await bench.run(
            request(new.port) {
                $0.minimumVersion = .tls13
                $0.maximumVersion = .tls12
            }
        )
        #expect(impossible.reason == .invalidRequest)
    }

    @Test("tls_alert and tls_handshake_failed: the peer does not speak TLS, or sends an alert") func strangers()
        async throws
    {
        let bench = try bench()
        let alert = try TestPeer(SOCK_STREAM, .says([21, 3, 3, 0, 2, 2, 40]))
        let refused = await bench.run(request(alert.port))
        #expect(refused.reason == .tlsAlert && refused.detail.contains("handshake failure"), "\(refused.detail)")
        let web = try TestPeer(SOCK_STREAM, .answers { _ in Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8) })
        #expect(await bench.run(request(web.port)).reason == .tlsHandshakeFailed)
        var inverse = request(web.port)
        inverse.expectsFailure = true
        #expect(await bench.run(inverse).reason == .unexpectedlyReachable)
        let shy = try TestPeer(SOCK_STREAM, .halfCloses)
        #expect(await bench.run(request(shy.port)).reason == .connectionClosed)
        let rude = try TestPeer(SOCK_STREAM, .resets)
        #expect(await bench.run(request(rude.port)).reason == .connectionReset)
    }

    @Test("tls_files_unreadable; a file that changed is read again") func files() async throws {
        let server = try TLSServer(certificates)
        let bench = try bench()
        try certificates.shell(
            """
            echo nothing > empty.pem; head -c 300 ca.pem > cut.pem; head -c 5000000 /dev/zero > big.pem
            openssl ec -in own.key -aes128 -passout pass:secret -out locked.key
            """
        )
        for name in ["missing", "empty", "cut", "big"] {
            let result = await bench.run(request(server.port) { $0.authorityFile = certificates[name] })
            #expect(result.reason == .tlsFilesUnreadable, "\(name): \(result.detail)")
            #expect(result.phases.isEmpty)
        }
        for (certificate, key) in [
            ("missing", "own"), ("empty", "own"), ("own", "missing"), ("own", "leaf"), ("own", "locked"),
        ] {
            let result = await bench.run(
                request(server.port) {
                    $0.certificateFile = certificates[certificate]
                    $0.keyFile = certificates.key(key)
                }
            )
            #expect(result.reason == .tlsFilesUnreadable, "\(certificate), \(key): \(result.detail)")
        }
        #expect(
            await bench.run(request(server.port) { $0.keyFile = certificates.key("own") }).reason == .invalidRequest
        )
        let request = request(server.port) { $0.authorityFile = certificates["changing"] }
        #expect(await bench.run(request).reason == .tlsFilesUnreadable)
        try certificates.shell("cp own.pem changing.pem")
        #expect(await bench.run(request).reason == .tlsUntrustedRoot)
        try certificates.shell("cat own.pem ca.pem > new.pem; mv new.pem changing.pem")
        #expect(await bench.run(request).outcome == .success)
    }

    @Test("A dialogue over TLS, and one that the peer does not end") func dialogue() async throws {
        let server = try TLSServer(certificates)
        let bench = try bench()
        let steps: [DialogueStep] = [
            .send("hello\n"), .expect(try ProbePattern("^olleh$")), .send("abc\n"), .expect(try ProbePattern("cba")),
        ]
        let result = await bench.run(request(server.port, steps))
        #expect(result.outcome == .success, "\(result.detail)")
        #expect(result.phases[.request] != nil)
        try certificates.shell("head -c 3000000 /dev/zero | tr '\\0' a > endless")
        let web = try TLSServer(certificates, mode: "-WWW")
        let endless = await bench.run(
            request(web.port, [.send("GET /endless HTTP/1.0\r\n\r\n"), .expect(try ProbePattern("never"))])
        )
        #expect(endless.reason == .unexpectedResponse)
        #expect(endless.detail.contains("65536 bytes"), "\(endless.detail)")
        let whole = await bench.run(
            request(web.port, [.send("GET /leaf.csr HTTP/1.0\r\n\r\n"), .expect(try ProbePattern("END CERT.*\\s*$"))])
        )
        #expect(whole.outcome == .success, "\(whole.detail)")
    }

    static let greetings: [(StartTLSProtocol, String, StartTLSPeer.Script)] = [
        (.smtp, "220 mail\r\n", [("EHLO ", "250-mail\r\n250 STARTTLS\r\n"), ("STARTTLS\r\n", "220 go\r\n")]),
        (.imap, "* OK\r\n", [("A1 STARTTLS\r\n", "A1 OK\r\n")]),
        (.pop3, "+OK\r\n", [("STLS\r\n", "+OK\r\n")]),
        (.ftp, "220 files\r\n", [("AUTH TLS\r\n", "234 go\r\n")]),
    ]

    @Test("STARTTLS, of both kinds", arguments: greetings.indices, [false, true])
    func startTLS(index: Int, isTCP: Bool) async throws {
        let (name, greeting, script) = Self.greetings[index]
        let server = try TLSServer(certificates)
        let peer = try StartTLSPeer(greeting: greeting, script, server: server.port)
        let tls = TLSSettings(serverName: "good.test", authorityFile: certificates["ca"])
        var request = request(peer.port)
        request.kind =
            isTCP
            ? .tcp(TCPProbeSettings(port: peer.port, startTLS: StartTLS(name, tls: tls)))
            : .tls(TLSProbeSettings(port: peer.port, tls: tls, startTLS: name))
        let result = try await bench().run(request)
        #expect(result.outcome == .success, "\(result.detail)")
        #expect(result.phases[.startTLS] != nil && result.phases[.tls] != nil)
        #expect(result.tls?.isTrusted == true)
    }

    @Test("starttls_refused") func startTLSRefused() async throws {
        let peer = try StartTLSPeer(greeting: "220 mail\r\n", [("EHLO ", "250 mail\r\n")], server: 1)
        var request = request(peer.port)
        request.kind = .tcp(TCPProbeSettings(port: peer.port, startTLS: StartTLS(.smtp)))
        let result = try await bench().run(request)
        #expect(result.reason == .startTLSRefused && result.tls == nil, "\(result.detail)")
    }

    @Test("Long chains, many names and strange subjects are bounded") func bounds() async throws {
        try certificates.shell(
            """
            for i in $(seq 20); do cat middle.pem; done > long.pem
            for i in $(seq 200); do cat middle.pem; done > giant.pem
            """
        )
        let bench = try bench()
        let long = try TLSServer(certificates, "leaf", ["-cert_chain", "long.pem"])
        let chain = try #require(await bench.run(request(long.port)).tls)
        #expect(chain.isTrusted && chain.chain.count == 10 && chain.trust.sentCount == 21)
        let giant = try TLSServer(certificates, "leaf", ["-cert_chain", "giant.pem"])
        let refused = await bench.run(request(giant.port))
        #expect(refused.reason == .tlsHandshakeFailed, "\(refused.detail)")
        let strange = try TLSServer(certificates, "strange")
        let report = try #require(await bench.run(request(strange.port) { $0.serverName = "host300.good.test" }).tls)
        #expect(report.isTrusted)
        #expect(report.chain[0].names.count == 100 && report.chain[0].nameCount == 300)
        let subject = report.chain[0].subject
        #expect(subject.utf8.allSatisfy { (0x20..<0x7F).contains($0) }, "\(subject)")
        #expect(subject.contains("a\\01\\1Bb"), "\(subject)")
    }
}
