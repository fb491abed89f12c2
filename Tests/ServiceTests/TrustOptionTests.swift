// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

/// What each option of `reachd trust` changes.
@Suite struct TrustOptionTests {
    private static let good = ["leaf", "intermediate"]
    private static let stranger = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    private func pin(_ name: String) throws -> String {
        try #require(TrustFixture.document([name]).chain.first?.pin)
    }

    // MARK: Pins

    @Test("T10: a pin that was printed can be given, and without --mode pins the key")
    func printedPin() throws {
        let document = try TrustFixture.document(Self.good, "--domain", "good.test", "--pin", pin("leaf"))
        #expect(
            document.trust.is_accepted && document.trust.row == "T10" && document.policy.mode == "public_key"
                && document.policy.pin_count == 1
        )
        #expect(document.predicates == .init(is_valid: true, matches_domain: true, has_pinned_key: true))
        #expect(document.trust.warnings == ["no_backup_pin"])
        let both = try TrustFixture.judge(Self.good, "--pin", pin("leaf"), "--pin", Self.stranger)
        #expect(both.status == 0)
        #expect(both.output.contains(" 2 pins, strict\n") && both.output.contains("  K pinned key     yes\n"))
        #expect(both.output.contains("  warnings         none\n"))
    }

    @Test("T10: a pin that fits nothing rejects, and the chain is there to take the right one from")
    func wrongPin() throws {
        let document = try TrustFixture.document(Self.good, "--pin", Self.stranger)
        #expect(document.firstFault?.code == "pin_mismatch")
        #expect(document.predicates.has_pinned_key == false)
        #expect(document.chain.first?.pin == (try pin("leaf")))
    }

    @Test("T17, T18: certificates are pinned by files and directories")
    func certificates() throws {
        let folder = try TemporaryFolder()
        for name in ["root.pem", "other-root.pem"] {
            _ = try Command.run(["cp", CertificateFixture.folder + name, folder.path])
        }
        for place in [folder.path, CertificateFixture.path("root"), CertificateFixture.folder + "root.cer"] {
            let document = try TrustFixture.document(Self.good, "--mode", "certificate", "--pin", place)
            #expect(document.trust.is_accepted && document.trust.row == "T18", "\(place)")
            #expect(document.predicates == .init(is_valid: true, is_valid_against_pins: true))
            #expect(document.policy.pin_count == (place == folder.path ? 2 : 1))
            #expect(document.trust.expiry.pins == "2125-01-02T00:00:00.000Z")
        }
        let text = try TrustFixture.judge(
            Self.good,
            "--mode",
            "certificate",
            "--pin",
            CertificateFixture.path("other-root")
        )
        #expect(text.status == 1 && text.output.contains("  A valid by pins  no\n"))
        #expect(text.lines.first?.hasSuffix(" is REJECTED: pin_mismatch") == true)
    }

    @Test("S20: a mode without a pin rejects every server", arguments: [("public_key", "T9"), ("certificate", "T17")])
    func noPins(mode: String, row: String) throws {
        let document = try TrustFixture.document(Self.good, "--mode", mode)
        #expect(!document.trust.is_accepted && document.trust.row == row && document.firstFault?.code == "no_pins")
    }

    @Test("T2: --mode none does not use pins, and reports it")
    func unusedPins() throws {
        let document = try TrustFixture.document(Self.good, "--mode", "none", "--pin", Self.stranger)
        #expect(document.trust.is_accepted && document.trust.row == "T2" && document.trust.warnings == ["pins_unused"])
        let text = try TrustFixture.judge(Self.good, "--mode", "none", "--pin", Self.stranger)
        #expect(text.output.contains("    pins_unused  the policy has pins, but its mode ignores them\n"))
    }

    // MARK: Switches

    @Test("T5, T7, T16: --allow-invalid and --no-validate-domain, together and alone")
    func switches() throws {
        let chain = ["expired", "intermediate"]
        let contradiction = try TrustFixture.document(chain, "--domain", "a.test", "--allow-invalid")
        #expect(contradiction.trust.row == "T5" && contradiction.firstFault?.code == "name_check_needs_pins")
        let everybody = try TrustFixture.document(
            chain,
            "--domain",
            "a.test",
            "--allow-invalid",
            "--no-validate-domain",
            "--purpose",
            "server"
        )
        #expect(
            everybody.trust.is_accepted && everybody.trust.row == "T7" && everybody.policy.allow_invalid
                && !everybody.policy.validate_domain
        )
        #expect(everybody.trust.tolerated.map(\.code).contains("expired"))
        let pinned = try TrustFixture.judge(
            chain,
            "--allow-invalid",
            "--no-validate-domain",
            "--pin",
            pin("expired")
        )
        #expect(pinned.status == 0 && pinned.output.contains("  rule             T16, "))
        #expect(pinned.output.contains("  tolerated faults: expired\n"))
        let unnamed = try TrustFixture.document(Self.good, "--domain", "a.test", "--no-validate-domain")
        #expect(unnamed.trust.is_accepted && unnamed.trust.row == "T3" && unnamed.policy.purpose == "any")
        #expect(unnamed.predicates.matches_domain == false)
    }

    @Test("T14, S17: --compatibility, and a warning where the two differ", arguments: ["strict", "afnetworking"])
    func compatibility(name: String) throws {
        let document = try TrustFixture.document(
            Self.good,
            "--domain",
            "a.test",
            "--allow-invalid",
            "--pin",
            pin("leaf"),
            "--compatibility",
            name
        )
        #expect(document.trust.row == "T14" && document.policy.compatibility == name)
        #expect(document.trust.is_accepted == (name == "afnetworking"))
        #expect(document.trust.warnings.contains("compatibility_differs"))
    }

    @Test("S8: --purpose any takes a client's certificate, server does not")
    func purpose() throws {
        let chain = ["client-only", "intermediate"]
        #expect(try TrustFixture.document(chain, "--purpose", "any").trust.is_accepted)
        #expect(try TrustFixture.document(chain, "--purpose", "server").firstFault?.code == "wrong_purpose")
        let unnamed = try TrustFixture.document(chain, "--no-validate-domain", "--purpose", "server")
        #expect(unnamed.firstFault?.code == "wrong_purpose")
    }

    @Test("S23: --common-name takes a name from where it was once, with a warning")
    func commonName() throws {
        let document = try TrustFixture.document(["cn-only", "intermediate"], "--domain", "good.test", "--common-name")
        #expect(
            document.trust.is_accepted && document.policy.common_name && document.trust.warnings == ["common_name_used"]
        )
    }

    @Test("S22: --allow-weak takes short keys and old signatures", arguments: ["rsa1024", "sha1"])
    func weak(name: String) throws {
        let document = try TrustFixture.document([name, "intermediate"], "--domain", "good.test", "--allow-weak")
        #expect(document.trust.is_accepted && document.policy.allow_weak)
    }

    // MARK: Time

    @Test(
        "--at is the time that counts, with its offset from UTC",
        arguments: [
            ("2025-12-31T23:59:59Z", "2025-12-31T23:59:59", "not_yet_valid"),
            ("2026-01-01T00:00:00z", "2026-01-01T00:00:00", nil),
            ("2026-01-01t00:59:59.999+01:00", "2025-12-31T23:59:59", "not_yet_valid"),
            ("2025-12-31 22:30:00-01:30", "2026-01-01T00:00:00", nil),
            ("2026-04-02T00:00:00+00:00", "2026-04-02T00:00:00", "expired"),
            ("2024-02-29T12:00:00Z", "2024-02-29T12:00:00", "not_yet_valid"),
            ("1969-12-31T23:59:60Z", "1970-01-01T00:00:00", "not_yet_valid"),
            ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00", "not_yet_valid"),
            ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59", "expired"),
        ] as [(String, String, String?)]
    )
    func time(text: String, read: String, code: String?) throws {
        let chain = ["short-lived", "intermediate"].flatMap { ["--chain", CertificateFixture.path($0)] }
        let words = ["trust", "--json", "--at", text, "--anchors", CertificateFixture.path("root")] + chain
        let document = try TrustDocument(Reachd.run(words))
        #expect(document.at == "\(read).000Z")
        #expect(document.firstFault?.code == code)
        #expect(document.trust.is_accepted == (code == nil))
    }

    @Test("without --at it is now")
    func now() throws {
        let chain = Self.good.flatMap { ["--chain", CertificateFixture.path($0)] }
        let document = try TrustDocument(
            Reachd.run(["trust", "--json", "--anchors", CertificateFixture.path("root")] + chain)
        )
        #expect(document.trust.is_accepted && document.at > "2026-02-15")
    }

    // MARK: Anchors

    @Test("S15: --anchors takes several files, and each certificate in them by itself")
    func anchors() throws {
        let both = try TrustFixture.document(Self.good, anchors: ["other-root", "root"])
        #expect(both.trust.is_accepted && both.anchors.places.count == 2)
        #expect(try TrustFixture.document(["leaf"], anchors: ["leaf"]).trust.is_accepted)
        let other = try TrustFixture.document(Self.good, anchors: ["other-root"])
        #expect(other.firstFault?.code == "untrusted_root")
        #expect(try TrustFixture.document(Self.good + ["cross-root"], anchors: ["other-root"]).trust.is_accepted)
    }

    @Test("S24: SSL_CERT_FILE and SSL_CERT_DIR replace the system's authorities, and --anchors replaces both")
    func systemAnchors() throws {
        let folder = try TemporaryFolder()
        _ = try Command.run(["cp", CertificateFixture.path("root"), folder.path])
        _ = try Command.run(["openssl", "rehash", folder.path])
        let nothing = folder.path(of: "nothing")
        let chain = Self.good.flatMap { ["--chain", CertificateFixture.path($0)] }
        let words = ["trust", "--json", "--at", TrustFixture.time] + chain
        func judge(_ file: String, _ directory: String, _ options: String...) throws -> TrustDocument {
            try TrustDocument(
                Reachd.run(words + options, environment: ["SSL_CERT_FILE": file, "SSL_CERT_DIR": directory])
            )
        }
        let byFile = try judge(CertificateFixture.path("root"), nothing)
        #expect(byFile.trust.is_accepted)
        #expect(byFile.anchors == .init(source: "system", places: [CertificateFixture.path("root"), nothing]))
        #expect(try judge(nothing, folder.path).trust.is_accepted)
        #expect(try judge(nothing, nothing).firstFault?.code == "untrusted_root")
        let other = try judge(
            CertificateFixture.path("root"),
            folder.path,
            "--anchors",
            CertificateFixture.path("other-root")
        )
        #expect(other.firstFault?.code == "untrusted_root")
        #expect(try Reachd.run(words).status == 1)
    }
}
