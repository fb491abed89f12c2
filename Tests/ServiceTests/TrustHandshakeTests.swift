// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

/// `reachd trust HOST` and real handshakes.
@Suite struct TrustHandshakeTests {
    @Test("an accepted server: exit 0, the TLS parameters, and the stapled response")
    func accepted() throws {
        let server = try HandshakeServer("leaf", ["-status", "-status_file", "ocsp-good.der"])
        let text = try server.judge(host: "localhost")
        #expect(text.status == 0)
        #expect(text.lines.first == "localhost:\(server.port) is accepted")
        #expect(text.output.contains("  judged           for localhost, as a TLS server's, at 2026-02-15T00:00:00Z\n"))
        let last = "tls TLSv1.3 TLS_AES_256_GCM_SHA384  alpn –  stapled OCSP good  from 127.0.0.1"
        #expect(text.lines.last == last)
        let document = try server.document(host: "localhost")
        #expect(document.subject == "localhost:\(server.port)" && document.domain == "localhost")
        let tls = try #require(document.handshake)
        #expect(tls.version == "TLSv1.3" && tls.cipher == "TLS_AES_256_GCM_SHA384" && tls.alpn == nil)
        #expect(tls.address == "127.0.0.1" && tls.staple == .init(status: "good") && tls.failure == nil)
        #expect(document.chain_count == 2 && document.built_chain.count == 3)
    }

    @Test("TLS 1.2, and nothing stapled")
    func oldVersion() throws {
        let server = try HandshakeServer("leaf", ["-tls1_2"])
        let text = try server.judge()
        #expect(text.status == 0)
        #expect(text.lines.last?.hasPrefix("tls TLSv1.2 ECDHE-ECDSA-") == true)
        #expect(text.lines.last?.hasSuffix("  stapled OCSP –  from 127.0.0.1") == true)
    }

    @Test(
        "a rejected server: exit 1, the reason, and the whole chain all the same",
        arguments: [
            ("two-names", "hostname_mismatch"), ("expired", "expired"), ("not-yet-valid", "not_yet_valid"),
            ("client-only", "wrong_purpose"), ("self-cn", "hostname_mismatch"), ("cn-only", "hostname_mismatch"),
            ("critical-extension", "critical_extension"),
        ]
    )
    func rejected(name: String, code: String) throws {
        let server = try HandshakeServer(name)
        let document = try server.document("--domain", "localhost")
        #expect(!document.trust.is_accepted && document.firstFault?.code == code)
        #expect(document.chain_count == 2 && document.chain.count == 2)
        #expect(document.handshake?.version == "TLSv1.3" && document.handshake?.failure == nil)
        let text = try server.judge("--domain", "localhost")
        #expect(text.status == 1)
        #expect(text.lines.first == "127.0.0.1:\(server.port) is REJECTED: \(code)")
        #expect(text.lines.contains("chain sent (2)"))
    }

    @Test("the policy of the command is that of the handshake")
    func policy() throws {
        let server = try HandshakeServer("expired")
        let pin = try #require(server.document("--domain", "localhost").chain.first?.pin)
        let pinned = try server.document("--domain", "a.test", "--pin", pin, "--allow-invalid")
        #expect(
            !pinned.trust.is_accepted && pinned.trust.row == "T14" && pinned.firstFault?.code == "hostname_mismatch"
        )
        let original = try server.document(
            "--domain",
            "a.test",
            "--pin",
            pin,
            "--allow-invalid",
            "--compatibility",
            "afnetworking"
        )
        #expect(original.trust.is_accepted && original.trust.tolerated.map(\.code).contains("expired"))
        let everybody = try server.document("--no-validate-domain", "--allow-invalid")
        #expect(everybody.trust.is_accepted && everybody.trust.row == "T7")
        let renewed = try HandshakeServer("leaf-renewed")
        let key = try #require(TrustFixture.document(["leaf"]).chain.first?.pin)
        #expect(try renewed.document("--pin", key).trust.is_accepted, "a key outlives its certificate (S4)")
        let certificate = try renewed.document("--mode", "certificate", "--pin", CertificateFixture.path("leaf"))
        #expect(certificate.firstFault?.code == "pin_mismatch")
    }

    @Test("--at is the time of the handshake's judgement, too")
    func time() throws {
        let server = try HandshakeServer("short-lived")
        #expect(try server.document().trust.is_accepted)
        #expect(try server.document("--at", "2026-05-01T00:00:00Z").firstFault?.code == "expired")
    }

    @Test("--domain is the server name that is sent and that the certificate must have")
    func domain() throws {
        let server = try HandshakeServer(
            "leaf",
            ["-servername", "two.test", "-cert2", "two-names.pem", "-key2", "two-names.key"]
        )
        let other = try server.document("--domain", "two.test")
        #expect(other.domain == "two.test" && other.chain.first?.names == ["one.test", "two.test"])
        #expect(other.predicates.matches_domain == true)
        let own = try server.document()
        #expect(own.trust.is_accepted && own.domain == "127.0.0.1" && own.chain.first?.names.first == "localhost")
    }

    @Test("several --anchors, DER too, and SSL_CERT_FILE in a handshake")
    func anchors() throws {
        let server = try HandshakeServer()
        #expect(try server.document(anchors: ["other-root", "root"]).trust.is_accepted)
        #expect(try server.document(anchors: ["other-root"]).firstFault?.code == "untrusted_root")
        #expect(try server.document("--anchors", CertificateFixture.folder + "root.cer", anchors: []).trust.is_accepted)
        let words = ["trust", "127.0.0.1:\(server.port)", "--at", TrustFixture.time, "--json"]
        let environment = ["SSL_CERT_FILE": CertificateFixture.path("root"), "SSL_CERT_DIR": "/nonexistent"]
        #expect(try TrustDocument(Reachd.run(words, environment: environment)).trust.is_accepted)
        #expect(try TrustDocument(Reachd.run(words)).firstFault?.code == "untrusted_root")
    }

    @Test("IPv6, in brackets")
    func ipv6() throws {
        let server = try HandshakeServer(address: "[::1]")
        let document = try server.document(host: "[::1]")
        #expect(document.trust.is_accepted && document.domain == "::1" && document.handshake?.address == "::1")
        #expect(document.subject == "[::1]:\(server.port)")
    }

    private static let dialogues: [(name: String, greeting: String, script: ScriptedServer.Script)] = [
        ("smtp", "220 mail\r\n", [("EHLO ", "250-mail\r\n250 STARTTLS\r\n"), ("STARTTLS\r\n", "220 go\r\n")]),
        ("imap", "* OK\r\n", [("A1 STARTTLS\r\n", "A1 OK\r\n")]),
        ("pop3", "+OK\r\n", [("STLS\r\n", "+OK\r\n")]),
        ("ftp", "220 files\r\n", [("AUTH TLS\r\n", "234 go\r\n")]),
    ]

    @Test("--starttls of each kind", arguments: dialogues.indices)
    func startTLS(index: Int) throws {
        let (name, greeting, script) = Self.dialogues[index]
        let server = try HandshakeServer()
        let peer = try ScriptedServer(greeting: greeting, script, next: server.port)
        let result = try Reachd.run([
            "trust", "127.0.0.1:\(peer.port)", "--starttls", name, "--at", TrustFixture.time,
            "--anchors", CertificateFixture.path("root"),
        ])
        #expect(result.status == 0, "\(result.output)")
        #expect(result.lines.last?.hasPrefix("tls TLSv1.3 ") == true)
    }

    @Test("a server that requires a client certificate is still evaluated by its own")
    func clientCertificate() throws {
        let server = try HandshakeServer("leaf", ["-Verify", "1", "-verify_return_error", "-CAfile", "root.pem"])
        let document = try server.document()
        #expect(document.trust.is_accepted && document.handshake?.failure?.code == "tls_alert")
        let text = try server.judge()
        #expect(text.status == 0)
        #expect(text.lines.last?.hasPrefix("  the handshake failed nevertheless: ") == true)
    }

    @Test("certificates of a server without their key: exit 2")
    func withoutKey() throws {
        let server = try HandshakeServer("leaf", ["-tls1_2"])
        // The signature that proves the key is the end of the message that follows the certificates (RFC 5246, 7.4.3).
        let liar = try ScriptedServer(next: server.port) { bytes in
            var bytes = bytes
            var place = 0
            while place + 5 < bytes.count {
                let size = Int(bytes[place + 3]) << 8 | Int(bytes[place + 4])
                if bytes[place] == 22, bytes[place + 5] == 12 { bytes[place + 4 + size] ^= 1 }
                place += 5 + size
            }
            return bytes
        }
        let result = try Reachd.run([
            "trust", "127.0.0.1:\(liar.port)", "--at", TrustFixture.time, "--domain", "good.test",
            "--anchors", CertificateFixture.path("root"),
        ])
        #expect(result.status == 2, "\(result.output)")
        #expect(result.output.contains("did not prove that it has their key"), "\(result.output)")
        #expect(!result.output.contains("is accepted"))
    }

    // MARK: No certificate

    private func failure(_ arguments: [String]) throws -> String {
        let result = try Reachd.run(["trust"] + arguments)
        #expect(result.status == 2, "\(result.output)")
        #expect(result.lines.count == 1)
        return result.output
    }

    @Test("a host that refuses: exit 2, and the phase")
    func refused() throws {
        let words = "reachd: 127.0.0.1:1: no certificate to evaluate: the connection to 127.0.0.1 failed: "
        let text = try failure(["127.0.0.1:1"])
        #expect(text.hasPrefix(words) && text.hasSuffix("(connect_refused)\n"))
        #expect(try failure(["[::1]:1", "--json"]).hasPrefix("reachd: [::1]:1: no certificate to evaluate: "))
    }

    @Test("a host without a response: exit 2 after the timeout, with the phase")
    func silent() throws {
        let server = try SilentServer()
        let place = "127.0.0.1:\(server.port)"
        let text = try failure([place, "--timeout", "200ms"])
        #expect(text.contains("with 127.0.0.1 failed: connected, but the TLS handshake timed out (timeout)"))
        let mail = try failure([place, "--timeout", "200ms", "--starttls", "smtp"])
        #expect(
            mail.contains("with 127.0.0.1 failed: connected, but no response to STARTTLS in time (timeout)")
        )
    }

    @Test("a host that does not speak TLS, or refuses to: exit 2, and the phase")
    func clearText() throws {
        let plain = try ScriptedServer(greeting: "220 mail\r\n")
        let text = try failure(["127.0.0.1:\(plain.port)"])
        #expect(text.contains("the handshake with 127.0.0.1 failed: ") && text.contains("(tls_handshake_failed)"))
        let mail = try ScriptedServer(greeting: "220 mail\r\n", [("EHLO ", "250 mail\r\n")], next: 1)
        let refusal = try failure(["127.0.0.1:\(mail.port)", "--starttls", "smtp"])
        #expect(refusal.contains("STARTTLS with 127.0.0.1 failed: ") && refusal.contains("(starttls_refused)"))
    }

    @Test("files are checked before a connection is opened")
    func filesFirst() throws {
        let words = "reachd: open(/nonexistent): No such file or directory\n"
        #expect(try failure(["127.0.0.1:1", "--anchors", "/nonexistent"]) == words)
        #expect(try failure(["127.0.0.1:1", "--pin", "/nonexistent"]) == words)
    }

    @Test("an interface that is not there: exit 2")
    func interface() throws {
        #expect(try failure(["[fe80::1%nosuch0]:443"]).contains("(interface_not_found)"))
    }

    @Test(
        "a name that cannot be looked up: exit 2, and the phase",
        .enabled(if: Testbed.isAvailable, Comment(rawValue: Testbed.requirement))
    )
    func nameless() async throws {
        try await Testbed.with { bed in
            let result = try Reachd.run(["trust", "nobody.test", "--timeout", "300ms"], in: bed.namespace)
            #expect(result.status == 2)
            let words = "reachd: nobody.test:443: no certificate to evaluate: name resolution failed: "
            #expect(result.output.hasPrefix(words), "\(result.output)")
        }
    }
}
