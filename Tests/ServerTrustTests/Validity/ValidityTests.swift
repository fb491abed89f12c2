// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Testing

@testable import ServerTrust

/// What "valid" includes (S21, S22, S24, S25).
@Suite("Validity (S21, S22, S24, S25)")
struct ValidityTests {
    private static let any = TrustPurpose.any

    private func under(_ name: String) -> [String] { [name, "intermediate"] }

    @Test("S21: plain X.509 requires signatures, dates, authorities and critical extensions, and nothing else")
    func plain() throws {
        let policy = try makePolicy { $0.validatesDomainName = false }
        for name in ["client-only", "no-eku", "any-eku", "bad-key-usage", "sha1", "rsa1024", "p192", "nul-name"] {
            #expect(try judge(under(name), policy, for: "evil.test").isAccepted, "\(name)")
        }
        #expect(try judge(["signed-by-client-ca", "intermediate-client"], policy).isAccepted)
        let rejected: [(chain: [String], place: String)] = [
            (under("expired"), "expired@0"),
            (under("not-yet-valid"), "not_yet_valid@0"),
            (["under-expired", "expired-intermediate"], "expired@1"),
            (under("forged"), "bad_signature@0"),
            (["too-deep", "deep", "intermediate"], "path_too_long@2"),
            (["constrained-bad", "constrained"], "name_constraint@0"),
            (under("critical-extension"), "critical_extension@0"),
            (["self-san"], "self_signed@0"),
            (["leaf"], "untrusted_root@0"),
        ]
        for item in rejected {
            #expect(try judge(item.chain, policy).places.contains(item.place), "\(item)")
        }
    }

    @Test("S21: dates count for every certificate of the path, the anchor too, at the time of verification")
    func datesOfAll() throws {
        let chain = ["under-expired", "expired-intermediate"]
        #expect(try judge(chain, at: FixtureDate.june2025 - 1).isAccepted)
        #expect(try judge(chain).places == ["expired@1"])
        // The same with the authority trusted by itself.
        #expect(try judge(["under-expired"], anchors: ["expired-intermediate"]).places == ["expired@1"])
        #expect(
            try judge(["under-expired"], anchors: ["expired-intermediate"], at: FixtureDate.june2025 - 1).isAccepted
        )
        #expect(
            try judge(["leaf", "intermediate"], at: FixtureDate.endOfRoots).places == [
                "expired@0", "expired@1", "expired@2",
            ]
        )
        #expect(
            try judge(["leaf", "intermediate"], at: FixtureDate.beginning - 1).places == [
                "not_yet_valid@0", "not_yet_valid@1", "not_yet_valid@2",
            ]
        )
    }

    @Test("S21: a certificate is valid from its first second and until the one before its end")
    func boundaries() throws {
        let chain = under("short-lived")
        #expect(try judge(chain, at: FixtureDate.shortLivedBegins - 1).places == ["not_yet_valid@0"])
        #expect(try judge(chain, at: FixtureDate.shortLivedBegins).isAccepted)
        #expect(try judge(chain, at: FixtureDate.shortLivedEnds - 1).isAccepted)
        #expect(try judge(chain, at: FixtureDate.shortLivedEnds).places == ["expired@0"])
    }

    @Test("S21: times far in the past and future can be verified")
    func extremeTimes() throws {
        for time in [Int64.min, Int64.min + 1, -1, 0, Int64.max - 1, Int64.max] {
            let verdict = try judge(["leaf", "intermediate"], at: time)
            #expect(!verdict.isAccepted)
            #expect(verdict.checkedAt == time)
        }
    }

    @Test("S21: name constraints")
    func nameConstraints() throws {
        #expect(try judge(["constrained-good", "constrained"], for: "a.allowed.test").isAccepted)
        #expect(try judge(["constrained-bad", "constrained"]).places == ["name_constraint@0"])
    }

    @Test("S22: a server's certificate is for servers, for anything, or without purposes")
    func purposes() throws {
        for name in ["leaf", "no-eku", "any-eku"] { #expect(try judge(under(name)).isAccepted, "\(name)") }
        #expect(try judge(["self-critical-eku"], anchors: ["self-critical-eku"]).isAccepted)
        #expect(try judge(under("client-only")).places == ["wrong_purpose@0"])
        #expect(try judge(under("bad-key-usage")).codes.contains(.wrongPurpose))
        #expect(try judge(under("bad-key-usage")).firstFault?.depth == 0)
    }

    @Test("S22: an authority for clients alone signs for no server; as an anchor it is trusted as it is")
    func purposesOfAuthorities() throws {
        let chain = ["signed-by-client-ca", "intermediate-client"]
        #expect(try judge(chain).places == ["wrong_purpose@1"])
        #expect(try judge(chain, makePolicy { $0.purpose = .any }).isAccepted)
        #expect(try judge(["signed-by-client-ca"], anchors: ["intermediate-client"]).isAccepted)
    }

    @Test("S22: SHA-1, RSA below 2,048 bits and curves below P-256 are weak, unless that is allowed")
    func strength() throws {
        #expect(try judge(under("sha1")).places == ["weak_signature@0"])
        #expect(try judge(under("rsa1024")).places == ["weak_key@0"])
        #expect(try judge(under("p192")).places == ["weak_key@0"])
        let allowing = try makePolicy { $0.allowsWeakCertificates = true }
        for name in ["sha1", "rsa1024", "p192"] {
            #expect(try judge(under(name), allowing).isAccepted, "\(name)")
            #expect(try judge(under(name), makePolicy { $0.purpose = .any }).isAccepted, "\(name)")
        }
        #expect(try judge(under("sha1")).firstFault?.words.contains("SHA1") == true)
        #expect(try judge(under("rsa1024")).firstFault?.words.contains("RSA of 1024 bits") == true)
        #expect(try judge(under("p192")).firstFault?.words.contains("EC of 192 bits") == true)
    }

    @Test("S22: an anchor's own signature proves nothing, and may be weak; its key may not")
    func strengthOfAnchors() throws {
        #expect(try judge(["sha1"], anchors: ["sha1"]).isAccepted)
        #expect(try judge(["rsa1024"], anchors: ["rsa1024"]).places == ["weak_key@0"])
    }

    @Test("S22: an RSA key is one, and long enough, when it is for RSA-PSS alone")
    func rsaPSS() throws {
        let chain = try RareCertificate.chain(RareCertificate.rsaPSS)
        let verdict = try SecurityPolicy.default.evaluate(
            chain,
            domain: "good.test",
            at: Fixture.time,
            anchors: TrustAnchors(chain)
        )
        #expect(verdict.places.isEmpty)
        #expect(verdict.sentChain.first?.key == "RSASSA-PSS 2048")
    }

    @Test(
        "S21: an issuer must be marked as an authority, or its signature counts for nothing (S14)"
    )
    func authorities() throws {
        let chain = try RareCertificate.chain(
            RareCertificate.underOldAuthority,
            RareCertificate.oldAuthority,
            RareCertificate.top
        )
        let top = try RareCertificate.chain(RareCertificate.top)
        let plain = try makePolicy {
            $0.validatesDomainName = false
            $0.purpose = .any
        }
        for policy in [.default, plain] {
            let verdict = try policy.evaluate(
                chain,
                domain: "good.test",
                at: Fixture.time,
                anchors: TrustAnchors(top)
            )
            #expect(verdict.places == ["not_an_authority@1"])
        }
        for pinned in [RareCertificate.oldAuthority, RareCertificate.top] {
            let pins = try PinSet(certificates: [Array(pinned.utf8)])
            let policy = try makePolicy(.publicKey, pins: pins) { $0.allowInvalidCertificates = true }
            let verdict = try policy.evaluate(
                chain,
                domain: "good.test",
                at: Fixture.time,
                anchors: TrustAnchors(top)
            )
            #expect(verdict.codes == [.pinMismatch])
        }
        // Trusted by itself it is trusted as it is.
        let anchored = try SecurityPolicy.default.evaluate(
            chain,
            domain: "good.test",
            at: Fixture.time,
            anchors: TrustAnchors(RareCertificate.chain(RareCertificate.oldAuthority))
        )
        #expect(anchored.places.isEmpty)
    }

    @Test("S22: lifetimes count where the switch is on: 825 days for private anchors")
    func lifetimes() throws {
        let limiting = try makePolicy { $0.limitsLifetime = true }
        #expect(try judge(under("leaf")).isAccepted)
        let verdict = try judge(under("leaf"), limiting)
        #expect(verdict.places == ["lifetime_too_long@0"])
        #expect(verdict.firstFault?.words.contains("825 days") == true)
        #expect(try judge(under("short-lived"), limiting).isAccepted)
        #expect(try judge(under("expired"), limiting, at: FixtureDate.june2025 - 1).isAccepted)
        let plain = try makePolicy {
            $0.limitsLifetime = true
            $0.purpose = .any
        }
        #expect(try judge(under("leaf"), plain).isAccepted)
    }

    @Test("S22: 398 days for the system's anchors")
    func lifetimesOfTheSystem() throws {
        let limiting = try makePolicy { $0.limitsLifetime = true }
        let rules = CertificateRules(limiting, isSystemAnchored: true)
        let long = try Fixture.chain("leaf", "intermediate")
        let faults = unsafe rules.faults(in: long.certificates, isAnchored: false)
        #expect(faults.map(\.words) == ["the validity period exceeds 398 days"])
        let short = try Fixture.chain("short-lived", "intermediate")
        let none = unsafe rules.faults(in: short.certificates, isAnchored: false)
        #expect(none.isEmpty)
    }

    @Test("S24: anchors of one's own are the only ones, partial ones too")
    func ownAnchors() throws {
        let anchors = try Fixture.anchors("root")
        #expect(!anchors.areSystem)
        #expect(try judge(["leaf"], anchors: ["intermediate"]).isAccepted)
        #expect(
            try judge(["leaf"], anchors: ["intermediate"]).builtChain.map(\.commonName) == ["leaf", "intermediate"]
        )
        #expect(try judge(["leaf", "intermediate"], anchors: ["other-root"]).codes == [.untrustedRoot])
        #expect(try judge(["leaf", "intermediate"], anchors: ["other-root", "root"]).isAccepted)
    }

    @Test("S24: the pins are the only anchors of the second evaluation")
    func pinsAsAnchors() throws {
        // Valid for the anchor, and the pin is one of the anchor's other children.
        let policy = try makePolicy(.certificate, pins: Fixture.pins("constrained"))
        let verdict = try judge(["leaf", "intermediate", "root"], policy)
        #expect(verdict.predicates.isValid)
        #expect(verdict.predicates.isValidAgainstPins == false)
        #expect(verdict.codes == [.pinMismatch])
    }

    @Test("S25: one chain under one policy, another, and the first again")
    func severalPolicies() throws {
        let chain = try Fixture.chain("client-only", "intermediate")
        let anchors = try Fixture.anchors("root")
        let strict = SecurityPolicy.default
        let plain = try makePolicy { $0.purpose = .any }
        for _ in 0..<3 {
            let first = try strict.evaluate(chain, domain: "good.test", at: Fixture.time, anchors: anchors)
            #expect(first.codes == [.wrongPurpose])
            let second = try plain.evaluate(chain, domain: "good.test", at: Fixture.time, anchors: anchors)
            #expect(second.isAccepted)
            let third = try strict.evaluate(
                chain,
                domain: "good.test",
                at: Fixture.time,
                anchors: Fixture.anchors("other-root")
            )
            #expect(third.codes == [.wrongPurpose, .untrustedRoot])
        }
    }
}
