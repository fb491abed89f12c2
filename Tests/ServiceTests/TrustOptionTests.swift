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
        #expect(document.accepted && document.row == "T10" && document.mode == "public_key" && document.pin_count == 1)
        #expect(document.predicates == .init(is_valid: true, matches_domain: true, has_pinned_key: true))
        #expect(document.warnings.map(\.code) == ["no_backup_pin"])
        let both = try TrustFixture.judge(Self.good, "--pin", pin("leaf"), "--pin", Self.stranger)
        #expect(both.status == 0)
        #expect(both.output.contains(" 2 pins, strict\n") && both.output.contains("  K pinned key     yes\n"))
        #expect(both.output.contains("  warnings         none\n"))
    }

    @Test("T10: a pin that fits nothing rejects, and the chain is there to take the right one from")
    func wrongPin() throws {
        let document = try TrustFixture.document(Self.good, "--pin", Self.stranger)
        #expect(document.first_fault?.code == "pin_mismatch")
        #expect(document.predicates.has_pinned_key == false)
        #expect(document.chain.first?.pin == (try pin("leaf")))
    }

    @Test("T17, T18: certificates are pinned by files and directories")
    func certificates() throws {
        let folder = try TemporaryFolder()
        for name in ["root.pem", "other-root.pem"] {
            _ = try Command.run(["cp", TrustFixture.folder + name, folder.path])
        }
        for place in [folder.path, TrustFixture.path("root"), TrustFixture.folder + "root.cer"] {
            let document = try TrustFixture.document(Self.good, "--mode", "certificate", "--pin", place)
            #expect(document.accepted && document.row == "T18", "\(place)")
            #expect(document.predicates == .init(is_valid: true, is_valid_against_pins: true))
            #expect(document.pin_count == (place == folder.path ? 2 : 1))
            #expect(document.expiry.pins == "2125-01-02T00:00:00.000Z")
        }
        let text = try TrustFixture.judge(Self.good, "--mode", "certificate", "--pin", TrustFixture.path("other-root"))
        #expect(text.status == 1 && text.output.contains("  A valid by pins  no\n"))
        #expect(text.lines.first?.hasSuffix(" is REJECTED: pin_mismatch") == true)
    }

    @Test("S20: a mode without a pin takes nobody", arguments: [("public_key", "T9"), ("certificate", "T17")])
    func noPins(mode: String, row: String) throws {
        let document = try TrustFixture.document(Self.good, "--mode", mode)
        #expect(!document.accepted && document.row == row && document.first_fault?.code == "no_pins")
    }

    @Test("T2: --mode none does not use pins, and says so")
    func unusedPins() throws {
        let document = try TrustFixture.document(Self.good, "--mode", "none", "--pin", Self.stranger)
        #expect(document.accepted && document.row == "T2" && document.warnings.map(\.code) == ["pins_unused"])
        let text = try TrustFixture.judge(Self.good, "--mode", "none", "--pin", Self.stranger)
        #expect(text.output.contains("    pins_unused  there are pins, and the mode does not use them\n"))
    }

    // MARK: Switches

    @Test("T5, T7, T16: --allow-invalid and --no-validate-domain, together and alone")
    func switches() throws {
        let chain = ["expired", "intermediate"]
        let contradiction = try TrustFixture.document(chain, "--domain", "a.test", "--allow-invalid")
        #expect(contradiction.row == "T5" && contradiction.first_fault?.code == "name_check_needs_pins")
        let everybody = try TrustFixture.document(
            chain,
            "--domain",
            "a.test",
            "--allow-invalid",
            "--no-validate-domain",
            "--purpose",
            "server"
        )
        #expect(everybody.accepted && everybody.row == "T7" && everybody.allow_invalid && !everybody.validate_domain)
        #expect(everybody.tolerated.map(\.code).contains("expired"))
        let pinned = try TrustFixture.judge(
            chain,
            "--allow-invalid",
            "--no-validate-domain",
            "--pin",
            pin("expired")
        )
        #expect(pinned.status == 0 && pinned.output.contains("  rule             T16, "))
        #expect(pinned.output.contains("  what is wrong is tolerated: expired\n"))
        let unnamed = try TrustFixture.document(Self.good, "--domain", "a.test", "--no-validate-domain")
        #expect(unnamed.accepted && unnamed.row == "T3" && unnamed.purpose == "any")
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
        #expect(document.row == "T14" && document.compatibility == name)
        #expect(document.accepted == (name == "afnetworking"))
        #expect(document.warnings.map(\.code).contains("compatibility_differs"))
    }

    @Test("S8: --purpose any takes a client's certificate, server does not")
    func purpose() throws {
        let chain = ["client-only", "intermediate"]
        #expect(try TrustFixture.document(chain, "--purpose", "any").accepted)
        #expect(try TrustFixture.document(chain, "--purpose", "server").first_fault?.code == "wrong_purpose")
        let unnamed = try TrustFixture.document(chain, "--no-validate-domain", "--purpose", "server")
        #expect(unnamed.first_fault?.code == "wrong_purpose")
    }

    @Test("S23: --common-name takes a name from where it was once, with a warning")
    func commonName() throws {
        let document = try TrustFixture.document(["cn-only", "intermediate"], "--domain", "good.test", "--common-name")
        #expect(document.accepted && document.common_name && document.warnings.map(\.code) == ["common_name_used"])
    }

    @Test("S22: --allow-weak takes short keys and old signatures", arguments: ["rsa1024", "sha1"])
    func weak(name: String) throws {
        let document = try TrustFixture.document([name, "intermediate"], "--domain", "good.test", "--allow-weak")
        #expect(document.accepted && document.allow_weak)
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
        let chain = ["short-lived", "intermediate"].flatMap { ["--chain", TrustFixture.path($0)] }
        let words = ["trust", "--json", "--at", text, "--anchors", TrustFixture.path("root")] + chain
        let document = try TrustDocument(Reachd.run(words))
        #expect(document.at == "\(read).000Z")
        #expect(document.first_fault?.code == code)
        #expect(document.accepted == (code == nil))
    }

    @Test("without --at it is now")
    func now() throws {
        let chain = Self.good.flatMap { ["--chain", TrustFixture.path($0)] }
        let document = try TrustDocument(
            Reachd.run(["trust", "--json", "--anchors", TrustFixture.path("root")] + chain)
        )
        #expect(document.accepted && document.at > "2026-02-15")
    }

    // MARK: Anchors

    @Test("S15: --anchors takes several files, and each certificate in them by itself")
    func anchors() throws {
        let both = try TrustFixture.document(Self.good, anchors: ["other-root", "root"])
        #expect(both.accepted && both.anchors.places.count == 2)
        #expect(try TrustFixture.document(["leaf"], anchors: ["leaf"]).accepted)
        let other = try TrustFixture.document(Self.good, anchors: ["other-root"])
        #expect(other.first_fault?.code == "untrusted_root")
        #expect(try TrustFixture.document(Self.good + ["cross-root"], anchors: ["other-root"]).accepted)
    }

    @Test("S24: SSL_CERT_FILE and SSL_CERT_DIR say what the system trusts, and --anchors is in its place")
    func systemAnchors() throws {
        let folder = try TemporaryFolder()
        _ = try Command.run(["cp", TrustFixture.path("root"), folder.path])
        _ = try Command.run(["openssl", "rehash", folder.path])
        let nothing = folder.path(of: "nothing")
        let chain = Self.good.flatMap { ["--chain", TrustFixture.path($0)] }
        let words = ["trust", "--json", "--at", TrustFixture.time] + chain
        func judge(_ file: String, _ directory: String, _ options: String...) throws -> TrustDocument {
            try TrustDocument(
                Reachd.run(words + options, environment: ["SSL_CERT_FILE": file, "SSL_CERT_DIR": directory])
            )
        }
        let byFile = try judge(TrustFixture.path("root"), nothing)
        #expect(byFile.accepted)
        #expect(byFile.anchors == .init(source: "system", places: [TrustFixture.path("root"), nothing]))
        #expect(try judge(nothing, folder.path).accepted)
        #expect(try judge(nothing, nothing).first_fault?.code == "untrusted_root")
        let other = try judge(TrustFixture.path("root"), folder.path, "--anchors", TrustFixture.path("other-root"))
        #expect(other.first_fault?.code == "untrusted_root")
        #expect(try Reachd.run(words).status == 1)
    }
}
