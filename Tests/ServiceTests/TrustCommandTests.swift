// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

/// `reachd trust --chain`
@Suite struct TrustCommandTests {
    private static let good = ["leaf", "intermediate"]

    @Test("an accepted chain: exit 0, and the explanation with every certificate's pin and dates")
    func accepted() throws {
        let result = try TrustFixture.judge(Self.good, "--domain", "good.test")
        #expect(result.status == 0)
        let files = Self.good.map { CertificateFixture.path($0) }.joined(separator: ", ")
        #expect(result.lines.first == "\(files) is accepted")
        #expect(result.lines.dropFirst().first == "  the certificates have no faults")
        for line in [
            "  rule             T1, mode none, invalid not allowed, names checked, 0 pins, strict",
            "  judged           for good.test, as a TLS server's, at 2026-02-15T00:00:00Z",
            "  anchors          \(CertificateFixture.path("root"))",
            "  X valid          yes", "  H name           yes", "  K pinned key     –", "  faults           none",
            "chain sent (2)", "  0  CN=leaf,O=reachd tests  (EC 256, ecdsa-with-SHA256)",
            "     issuer CN=intermediate,O=reachd tests",
            "     names  localhost, good.test, www.good.test, 127.0.0.1, ::1",
            "     valid  2025-01-01T00:00:00Z … 2125-01-01T00:00:00Z (in 98 years)",
            "chain built (3)", "  1  CN=intermediate,O=reachd tests  (sent as 1)",
            "  2  CN=root,O=reachd tests  (RSA 2048, RSA-SHA256, authority)",
            "  verified chain   2125-01-01T00:00:00Z (in 98 years)", "  pins             –",
        ] { #expect(result.lines.contains(line), "\(line)\n\(result.output)") }
        #expect(!result.output.contains("\ntls "))
    }

    @Test(
        "the JSON matches the text, for accepted and rejected certificates",
        arguments: ["good.test", "b.test"]
    )
    func json(domain: String) throws {
        let text = try TrustFixture.judge(Self.good, "--domain", domain)
        let document = try TrustFixture.document(Self.good, "--domain", domain)
        #expect(document.trust.is_accepted == (text.status == 0))
        #expect(document.trust.is_accepted == (domain == "good.test"))
        #expect(document.domain == domain && document.at == "2026-02-15T00:00:00.000Z")
        #expect(
            document.policy.mode == "none" && document.policy.compatibility == "strict"
                && document.policy.purpose == "server"
        )
        #expect(document.anchors == .init(source: "files", places: [CertificateFixture.path("root")]))
        #expect(document.predicates == .init(is_valid: true, matches_domain: domain == "good.test"))
        #expect(document.chain_count == 2 && document.chain.count == 2 && document.built_chain.count == 3)
        #expect(document.handshake == nil)
        #expect(text.output.contains("  rule             \(document.trust.row), "))
        let first = document.firstFault
        #expect(
            first?.code == (document.trust.is_accepted ? nil : "hostname_mismatch")
                && first == document.trust.faults.first
        )
        if let first {
            #expect(text.lines.first?.hasSuffix(" is REJECTED: \(first.code)") == true)
            #expect(text.lines.dropFirst().first == "  \(first.detail)")
            #expect(text.lines.contains("  first fault      \(first.code) at depth \(first.depth)"))
        }
        for certificate in document.chain + document.built_chain {
            #expect(text.lines.contains("     sha256 \(certificate.fingerprint_sha256)"))
            #expect(text.lines.contains("     pin    \(try #require(certificate.pin))"))
            #expect(text.output.contains("  \(certificate.subject)  ("))
            #expect(text.output.contains("\(certificate.key), \(certificate.signature_algorithm)"))
            let end = try #require(certificate.not_after).replacing(".000Z", with: "Z")
            #expect(text.output.contains(" … \(end) ("))
        }
        #expect(document.chain.map(\.is_authority) == [false, true])
        #expect(document.trust.expiry.leaf == "2125-01-01T00:00:00.000Z" && document.trust.expiry.pins == nil)
    }

    @Test(
        "each reason for a rejection: exit 1, the code and the depth, and the whole chain all the same",
        arguments: [
            (["two-names", "intermediate"], "example.org", "hostname_mismatch", 0),
            (["expired", "intermediate"], "good.test", "expired", 0),
            (["not-yet-valid", "intermediate"], "good.test", "not_yet_valid", 0),
            (["under-expired", "expired-intermediate"], "good.test", "expired", 1),
            (["client-only", "intermediate"], "good.test", "wrong_purpose", 0),
            (["sha1", "intermediate"], "good.test", "weak_signature", 0),
            (["rsa1024", "intermediate"], "good.test", "weak_key", 0),
            (["critical-extension", "intermediate"], "good.test", "critical_extension", 0),
            (["constrained-bad", "constrained"], "good.test", "name_constraint", 0),
            (["too-deep", "deep", "intermediate"], "good.test", "path_too_long", 2),
            (["from-leaf", "leaf", "intermediate"], "good.test", "not_an_authority", 1),
            (["forged", "intermediate"], "good.test", "bad_signature", 0),
            (["self-san"], "good.test", "self_signed", 0),
            (["leaf"], "good.test", "untrusted_root", 0),
            (["cn-only", "intermediate"], "good.test", "hostname_mismatch", 0),
        ]
    )
    func rejected(chain: [String], domain: String, code: String, depth: Int) throws {
        let document = try TrustFixture.document(chain, "--domain", domain)
        #expect(!document.trust.is_accepted)
        #expect(document.firstFault?.code == code)
        #expect(document.firstFault?.depth == depth)
        #expect(document.chain.count == chain.count)
        let text = try TrustFixture.judge(chain, "--domain", domain)
        #expect(text.status == 1)
        #expect(text.lines.first?.hasSuffix(" is REJECTED: \(code)") == true)
        #expect(text.lines.contains("chain sent (\(chain.count))"))
    }

    @Test("DER and PEM, several certificates in a file, and text around them are read")
    func forms() throws {
        let folder = try TemporaryFolder()
        let bundle = folder.path(of: "bundle.pem")
        let names = ["leaf.pem", "leaf.key", "intermediate.pem"].map { CertificateFixture.folder + $0 }.joined(
            separator: " "
        )
        _ = try Command.run(["sh", "-c", "(echo what it is; cat \(names)) > \(bundle)"])
        let time = ["--at", TrustFixture.time, "--domain", "good.test"]
        let anchors = ["--anchors", CertificateFixture.folder + "root.cer"]
        let one = try Reachd.run(["trust", "--chain", bundle] + time + anchors)
        #expect(one.status == 0, "\(one.output)")
        #expect(!one.output.contains("PRIVATE"))
        let files = ["leaf.cer", "intermediate.cer"].flatMap { ["--chain", CertificateFixture.folder + $0] }
        let binary = try TrustDocument(Reachd.run(["trust", "--json"] + files + time + anchors))
        #expect(binary.trust.is_accepted && binary.chain.map(\.subject).first == "CN=leaf,O=reachd tests")
    }

    @Test("fields of a certificate are printed as printable ASCII of limited length")
    func strange() throws {
        let text = try TrustFixture.judge(["strange", "intermediate"], "--domain", "host7.good.test")
        #expect(text.status == 0)
        #expect(!text.output.utf8.contains { $0 < 0x20 && $0 != 0x0A || $0 == 0x7F })
        #expect(text.output.contains("host10.good.test and 190 more\n"))
        let document = try TrustFixture.document(["strange", "intermediate"])
        #expect(document.chain.first?.name_count == 200)
        #expect(document.predicates.matches_domain == nil, "--chain without --domain is for nobody in particular")
    }

    @Test("of a long chain the first ten certificates are shown, with their total")
    func long() throws {
        let chain = Self.good + Array(repeating: "other-root", count: 10)
        let text = try TrustFixture.judge(chain)
        #expect(text.status == 0)
        #expect(text.lines.contains("chain sent (12, the first 10 shown)"))
        let document = try TrustFixture.document(chain)
        #expect(document.chain_count == 12 && document.chain.count == 10)
    }

    @Test("--help explains the modes and the exit status")
    func help() throws {
        let help = try Reachd.run(["trust", "--help"])
        #expect(help.status == 0)
        for words in ["public_key        - ", "certificate       - ", "0 accepted, 1 rejected, 2 usage", "--starttls"] {
            #expect(help.output.contains(words))
        }
        #expect(try Reachd.run(["--help"]).output.contains("trust "))
    }

    // MARK: What cannot be judged

    @Test(
        "contradictions and nonsense exit 2",
        arguments: [
            [], ["a", "--chain", "b"], ["a", "b"], ["--chain", ""], ["--chain"], ["a", "--domain", ""],
            ["--chain", "a", "--timeout", "1s"], ["--chain", "a", "--starttls", "smtp"], ["a", "--starttls", "http"],
            ["a", "--mode", "keys"], ["a", "--purpose", "client"], ["a", "--compatibility", "lax"],
            ["a", "--mode", "certificate", "--pin", "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="],
            ["a", "--timeout", "5"], ["a", "--timeout", "0s"], ["https://a/"], ["a:"], ["a:0"], ["a:65536"], ["a:+1"],
            ["a:http"], ["192.0.2.256"], ["a..b"], ["-a"], ["[a]"], ["[::1"], ["[::1]443"], ["a b"], ["::1%"], [""],
            ["a", "--at", "today"], ["a", "--at", "2026-02-29T00:00:00Z"], ["a", "--at", "2026-02-15T00:00:00"],
            ["a", "--at", "2026-02-15T24:00:00Z"],
            ["a", "--at", "2026-02-15T00:00:00+1:00"], ["a", "--at", "2026-02-15T00:00:00Zulu"],
            ["a", "--at", "2026-02-15T00:00:00.Z"], ["a", "--at", "2026-13-01T00:00:00Z"],
        ]
    )
    func usage(arguments: [String]) throws {
        let result = try Reachd.run(["trust"] + arguments)
        #expect(result.status == 2)
        #expect(result.lines.contains { $0.hasPrefix("Error: ") }, "\(result.output)")
    }

    @Test(
        "files that cannot be used exit 2 with the reason and nothing else",
        arguments: ["--chain", "--anchors", "--pin"]
    )
    func unusableFiles(option: String) throws {
        let folder = try TemporaryFolder()
        let empty = try folder.write("", to: "empty.pem")
        let text = try folder.write("no certificate\n", to: "text.pem")
        let garbage = try folder.write("0\u{2}garbage that begins as DER does", to: "garbage.cer")
        let broken = try folder.write(
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
            to: "broken.pem"
        )
        let long = folder.path(of: "long.pem")
        _ = try Command.run(["sh", "-c", "head -c 1048577 /dev/zero > \(long)"])
        let missing = folder.path(of: "missing.pem")
        let folders = option == "--pin" ? [folder.path(of: "none")] : [folder.path]
        _ = try Command.run(["mkdir", folder.path(of: "none")])
        let key = CertificateFixture.folder + "leaf.key"
        let rest = option == "--chain" ? [] : ["--chain", CertificateFixture.path("leaf")]
        for file in [empty, text, garbage, broken, long, missing, key] + folders {
            let result = try Reachd.run(["trust", "--json", option, file] + rest)
            #expect(result.status == 2, "\(file)")
            #expect(result.lines.count == 1)
            #expect(result.output.hasPrefix("reachd: ") && result.output.contains(file), "\(result.output)")
            #expect(!result.output.contains("PRIVATE") && !result.output.contains("garbage that"))
        }
    }

    @Test("the content of a private key's file is never printed, whichever option names it")
    func secrets() throws {
        let path = CertificateFixture.folder + "leaf.key"
        let key = try Command.run(["cat", path])
        let secret = try #require(key.split(separator: "\n").dropFirst().first)
        for arguments in [
            ["--chain", path], ["--chain", key], ["--chain=\(key)"], ["--pin=\(key)", "--chain", path], [key],
            ["--anchors", key, "a"], ["a", "--domain=\(key)"],
        ] {
            let result = try Reachd.run(["trust"] + arguments)
            #expect(result.status == 2)
            #expect(!result.output.contains(secret), "\(arguments.first ?? "")")
        }
    }
}
