// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ServerTrust
import Testing

/// What a verdict says besides yes and no.
@Suite("TrustVerdict")
struct TrustVerdictTests {
    /// A fault that a fixture shows.
    struct Shown: Sendable, CustomTestStringConvertible {
        let place: String
        let chain: [String]
        var domain = "good.test"
        var anchors = ["root"]
        var testDescription: String { place }
    }

    @Test(
        "S21–S23: each fault has its code and its place, and is the only one",
        arguments: [
            Shown(place: "expired@0", chain: ["expired", "intermediate"]),
            Shown(place: "expired@1", chain: ["under-expired", "expired-intermediate"]),
            Shown(place: "not_yet_valid@0", chain: ["not-yet-valid", "intermediate"]),
            Shown(place: "hostname_mismatch@0", chain: ["leaf", "intermediate"], domain: "evil.test"),
            Shown(place: "bad_signature@0", chain: ["forged", "intermediate"]),
            Shown(place: "path_too_long@2", chain: ["too-deep", "deep", "intermediate"]),
            Shown(place: "name_constraint@0", chain: ["constrained-bad", "constrained"]),
            Shown(place: "critical_extension@0", chain: ["critical-extension", "intermediate"]),
            Shown(place: "wrong_purpose@0", chain: ["client-only", "intermediate"]),
            Shown(place: "wrong_purpose@0", chain: ["bad-key-usage", "intermediate"]),
            Shown(place: "wrong_purpose@1", chain: ["signed-by-client-ca", "intermediate-client"]),
            Shown(place: "weak_key@0", chain: ["rsa1024", "intermediate"]),
            Shown(place: "weak_key@0", chain: ["p192", "intermediate"]),
            Shown(place: "weak_signature@0", chain: ["sha1", "intermediate"]),
            Shown(place: "self_signed@0", chain: ["self-san"]),
            Shown(place: "self_signed@0", chain: ["self-critical-eku"]),
            Shown(place: "untrusted_root@2", chain: ["leaf", "intermediate", "root"], anchors: ["other-root"]),
            Shown(place: "untrusted_root@1", chain: ["leaf", "intermediate"], anchors: ["other-root"]),
            Shown(place: "untrusted_root@0", chain: ["leaf"]),
            Shown(place: "untrusted_root@0", chain: ["leaf", "root"]),
        ]
    )
    func faults(shown: Shown) throws {
        let verdict = try judge(shown.chain, for: shown.domain, anchors: shown.anchors)
        #expect(verdict.places == [shown.place])
        #expect(!verdict.isAccepted)
        #expect(verdict.tolerated.isEmpty)
        #expect(verdict.firstFault == verdict.faults.first)
        #expect(verdict.faults.allSatisfy { !$0.words.isEmpty && $0.words.utf8.count <= 600 })
        // On rejection the whole chain is told all the same.
        #expect(verdict.sentChain.map(\.commonName) == shown.chain)
    }

    @Test("S7, S20: the faults of policies and pins")
    func faultsOfPolicies() throws {
        let chain = ["leaf", "intermediate"]
        let contradiction = try makePolicy { $0.allowInvalidCertificates = true }
        #expect(try judge(chain, contradiction).places == ["name_check_needs_pins@0"])
        #expect(try judge(chain, makePolicy(.publicKey)).places == ["no_pins@0"])
        let other = try Fixture.pins("leaf-other-key")
        #expect(try judge(chain, makePolicy(.publicKey, pins: other)).places == ["pin_mismatch@0"])
        #expect(try judge(chain, makePolicy(.certificate, pins: other)).codes == [.pinMismatch])
        #expect(
            try judge(chain, makePolicy { $0.limitsLifetime = true }).places == ["lifetime_too_long@0"]
        )
    }

    @Test("Several faults at once: all are reported, the weightiest first")
    func severalFaults() throws {
        let expired = try judge(["expired"], for: "evil.test")
        #expect(expired.places == ["expired@0", "hostname_mismatch@0", "untrusted_root@0"])
        let weak = try judge(
            ["rsa1024", "intermediate", "root"],
            makePolicy(.publicKey, pins: Fixture.pins("other-root")) { $0.limitsLifetime = true },
            for: "evil.test",
            anchors: ["other-root"]
        )
        #expect(weak.codes == [.hostnameMismatch, .weakKey, .lifetimeTooLong, .pinMismatch, .untrustedRoot])
        // What is wrong for the anchors and for the pins is told once.
        let twice = try judge(
            ["expired", "intermediate"],
            makePolicy(.certificate, pins: Fixture.pins("intermediate"))
        )
        #expect(twice.places == ["expired@0"])
        let all = try judge(["under-expired", "expired-intermediate", "root"], anchors: ["other-root"])
        #expect(all.places == ["expired@1", "untrusted_root@2"])
    }

    @Test("Faults are ordered as their codes are declared, then by place")
    func order() {
        let codes = TrustFault.Code.allCases
        for (left, right) in zip(codes, codes.dropFirst()) {
            #expect(TrustFault(left, depth: 9, words: "z") < TrustFault(right, depth: 0, words: "a"))
        }
        #expect(TrustFault(.expired, depth: 0, words: "z") < TrustFault(.expired, depth: 1, words: "a"))
        #expect(Set(codes.map(\.rawValue)).count == codes.count)
        #expect(
            codes.map(\.rawValue) == [
                "name_check_needs_pins", "expired", "not_yet_valid", "hostname_mismatch", "bad_signature",
                "not_an_authority", "path_too_long", "name_constraint", "critical_extension", "wrong_purpose",
                "weak_key", "weak_signature", "lifetime_too_long", "pin_mismatch", "no_pins", "self_signed",
                "untrusted_root", "other",
            ]
        )
    }

    @Test("Every certificate that was sent is described: subject, issuer, names, dates, key")
    func descriptions() throws {
        let verdict = try judge(["leaf", "intermediate", "other-root"])
        #expect(verdict.sentCount == 3)
        let leaf = try #require(verdict.sentChain.first)
        #expect(leaf.subject == "CN=leaf,O=reachd tests")
        #expect(leaf.issuer == "CN=intermediate,O=reachd tests")
        #expect(leaf.serialNumber == "1009")
        #expect(leaf.names == ["localhost", "good.test", "www.good.test", "127.0.0.1", "::1"])
        #expect(leaf.nameCount == 5)
        #expect(leaf.notBefore == FixtureDate.beginning)
        #expect(leaf.notAfter == FixtureDate.end)
        #expect(leaf.key == "EC 256")
        #expect(leaf.signatureAlgorithm == "ecdsa-with-SHA256")
        #expect(!leaf.isAuthority)
        #expect(leaf.fingerprint.count == 64)
        #expect(leaf.publicKeyDigest.count == 64)
        let other = verdict.sentChain[2]
        #expect(other.subject == "CN=other-root,O=reachd tests")
        #expect(other.subject == other.issuer)
        #expect(other.notAfter == FixtureDate.endOfRoots)
        #expect(other.names.isEmpty)
        #expect(other.isAuthority)
        let root = try #require(verdict.builtChain.last)
        #expect(root.key == "RSA 2048")
        #expect(root.signatureAlgorithm == "RSA-SHA256")
        #expect(verdict.checkedAt == Fixture.time)
    }

    @Test("A renewed certificate has another fingerprint and the same key")
    func fingerprints() throws {
        let old = try Fixture.certificate("leaf")
        let new = try Fixture.certificate("leaf-renewed")
        #expect(old.fingerprint != new.fingerprint)
        #expect(old.publicKeyDigest == new.publicKeyDigest)
        #expect(try Fixture.certificate("leaf-other-key").publicKeyDigest != old.publicKeyDigest)
        let twin = try Fixture.certificate("cross-root")
        #expect(try twin.publicKeyDigest == Fixture.certificate("root").publicKeyDigest)
    }

    @Test("A stranger's control characters are escaped")
    func strangeNames() throws {
        let strange = try Fixture.certificate("strange")
        #expect(strange.subject == "CN=strange\\01\\1B[31m,O=reachd tests")
        let verdict = try judge(["strange", "intermediate"])
        #expect(verdict.firstFault?.words.hasPrefix("the certificate is for host1.good.test, host2") == true)
    }

    @Test("At most ten certificates are described, however many were sent")
    func manyCertificates() throws {
        let names = ["leaf", "intermediate"] + Array(repeating: "other-root", count: 498)
        let verdict = try judge(names)
        #expect(verdict.isAccepted)
        #expect(verdict.sentCount == 500)
        #expect(verdict.sentChain.count == 10)
        #expect(verdict.builtChain.count == 3)
    }

    // MARK: Dates

    @Test("Expiry: the leaf, the earliest that was sent, and the first of the chain to the anchor")
    func expiry() throws {
        let good = try judge(["leaf", "intermediate"])
        #expect(good.expiry.leaf == FixtureDate.end)
        #expect(good.expiry.earliestSent == FixtureDate.end)
        #expect(good.expiry.verifiedChain == FixtureDate.end)
        #expect(good.expiry.pins == nil)
        let short = try judge(["short-lived", "intermediate"])
        #expect(short.expiry.leaf == FixtureDate.shortLivedEnds)
        #expect(short.expiry.verifiedChain == FixtureDate.shortLivedEnds)
        // Sent, expired, and needed by nobody.
        let extra = try judge(["leaf", "intermediate", "expired-intermediate"])
        #expect(extra.isAccepted)
        #expect(extra.expiry.earliestSent == FixtureDate.june2025)
        #expect(extra.expiry.verifiedChain == FixtureDate.end)
        #expect(extra.expiry.effective == FixtureDate.end)
        let rejected = try judge(["short-lived", "intermediate"], anchors: ["other-root"])
        #expect(rejected.expiry.verifiedChain == nil)
        #expect(rejected.expiry.effective == FixtureDate.shortLivedEnds)
        // An anchor that nobody sends ends, too.
        let anchored = try judge(["under-expired"], anchors: ["expired-intermediate"], at: FixtureDate.june2025 - 1)
        #expect(anchored.expiry.earliestSent == FixtureDate.end)
        #expect(anchored.expiry.verifiedChain == FixtureDate.june2025)
    }

    @Test("Expiry of pins: their review date, otherwise the end of the last pinned certificate; keys have none (S4)")
    func expiryOfPins() throws {
        var pins = try Fixture.pins("expired", "short-lived")
        #expect(pins.expiry(in: .certificate) == FixtureDate.shortLivedEnds)
        #expect(pins.expiry(in: .publicKey) == nil)
        #expect(pins.expiry(in: .none) == nil)
        pins.reviewDate = FixtureDate.shortLivedBegins
        for mode in PinningMode.allCases { #expect(pins.expiry(in: mode) == FixtureDate.shortLivedBegins) }
        let policy = try makePolicy(.publicKey, pins: pins)
        #expect(try judge(["short-lived", "intermediate"], policy).expiry.pins == FixtureDate.shortLivedBegins)
        #expect(try Fixture.keyPins("leaf").expiry(in: .certificate) == nil)
    }

    // MARK: Warnings

    @Test("S17: warning compatibility_differs")
    func warningCompatibility() throws {
        let policy = try makePolicy(.publicKey, pins: Fixture.keyPins("leaf", "self-san")) {
            $0.allowInvalidCertificates = true
        }
        #expect(try judge(["leaf", "intermediate"], policy, for: "evil.test").warnings == [.compatibilityDiffers])
        #expect(try judge(["leaf", "intermediate"], policy).warnings.isEmpty)
    }

    @Test("Warning no_backup_pin: when all pinned keys are in use")
    func warningBackup() throws {
        let chain = ["leaf", "intermediate"]
        for mode in [PinningMode.publicKey, .certificate] {
            #expect(try judge(chain, makePolicy(mode, pins: Fixture.pins("leaf"))).warnings == [.noBackupPin])
            let both = try Fixture.pins("leaf", "leaf-other-key")
            #expect(try judge(chain, makePolicy(mode, pins: both)).warnings.isEmpty)
        }
        // Another certificate of the same key is no backup.
        let twins = try Fixture.pins("leaf", "leaf-renewed")
        #expect(try judge(chain, makePolicy(.publicKey, pins: twins)).warnings == [.noBackupPin])
        let path = try Fixture.keyPins("leaf", "intermediate", "root")
        #expect(try judge(chain, makePolicy(.publicKey, pins: path)).warnings == [.noBackupPin])
    }

    @Test("Warning pins_unused: in T2, T4, T6 and T8")
    func warningUnused() throws {
        for bits in 0..<4 {
            let policy = try makePolicy(.none, pins: Fixture.pins("leaf")) {
                $0.allowInvalidCertificates = bits & 1 != 0
                $0.validatesDomainName = bits & 2 != 0
            }
            #expect(try judge(["leaf", "intermediate"], policy).warnings == [.pinsUnused])
        }
        #expect(try judge(["leaf", "intermediate"]).warnings.isEmpty)
    }

    @Test("Warning pins_expired: from the second of the date on")
    func warningExpired() throws {
        var pins = try Fixture.keyPins("leaf", "self-san")
        for (date, isPast) in [(Fixture.time - 1, true), (Fixture.time, true), (Fixture.time + 1, false)] {
            pins.reviewDate = date
            let verdict = try judge(["leaf", "intermediate"], makePolicy(.publicKey, pins: pins))
            #expect(verdict.isAccepted)
            #expect(verdict.warnings == (isPast ? [.pinsExpired] : []))
        }
    }

    @Test("Warning common_name_used")
    func warningCommonName() throws {
        let policy = try makePolicy { $0.allowsCommonName = true }
        #expect(try judge(["cn-only", "intermediate"], policy).warnings == [.commonNameUsed])
    }

    @Test("Every warning has words and a code of its own")
    func warningWords() {
        #expect(Set(TrustWarning.allCases.map(\.words)).count == TrustWarning.allCases.count)
        #expect(
            TrustWarning.allCases.map(\.rawValue) == [
                "compatibility_differs", "pin_mismatch_reported", "no_backup_pin", "pins_unused", "pins_expired",
                "common_name_used",
            ]
        )
    }

    // MARK: Pins that are only reported

    @Test("Pins in report-only mode decide nothing: the row is that of mode none, and missing pins are reported")
    func reportOnly() throws {
        for mode in [PinningMode.publicKey, .certificate] {
            let policy = try makePolicy(mode, pins: Fixture.pins("leaf-other-key", "other-root")) {
                $0.reportsPinsOnly = true
            }
            let verdict = try judge(["leaf", "intermediate"], policy)
            #expect(verdict.isAccepted)
            #expect(verdict.faults.isEmpty)
            #expect(verdict.row.description == "T2")
            #expect(verdict.toleratedCodes == [.pinMismatch])
            #expect(verdict.warnings == [.pinMismatchReported])
            let invalid = try judge(["leaf", "intermediate"], policy, anchors: ["other-root"])
            #expect(!invalid.isAccepted)
            #expect(invalid.codes.first == .untrustedRoot)
            let misnamed = try judge(["leaf", "intermediate"], policy, for: "evil.test")
            #expect(!misnamed.isAccepted)
            #expect(misnamed.codes.contains(.hostnameMismatch))
            #expect(misnamed.allFaults.contains { $0.code == .pinMismatch })
        }
        let fitting = try makePolicy(.publicKey, pins: Fixture.pins("leaf", "self-san")) { $0.reportsPinsOnly = true }
        #expect(try judge(["leaf", "intermediate"], fitting).warnings.isEmpty)
        #expect(try judge(["leaf", "intermediate"], fitting).predicates.hasPinnedKey == true)
    }

    @Test("Pins in report-only mode: the decisive faults are empty exactly when the server is accepted")
    func reportOnlyEverywhere() throws {
        for row in ContractTable.rows {
            for pin in ["intermediate", "other-root"] {
                for domain in ["good.test", "evil.test", nil] {
                    for anchor in ["root", "other-root"] {
                        for compatibility in TrustCompatibility.allCases {
                            var policy = try row.policy(pins: Fixture.pins(pin), compatibility: compatibility)
                            policy.reportsPinsOnly = true
                            var plain = try makePolicy(.none, pins: policy.pins)
                            plain.allowInvalidCertificates = row.allowsInvalid
                            plain.validatesDomainName = row.validatesName
                            let chain = ["leaf", "intermediate", "root"]
                            let verdict = try judge(chain, policy, for: domain, anchors: [anchor])
                            let wanted = try judge(chain, plain, for: domain, anchors: [anchor])
                            #expect(verdict.isAccepted == wanted.isAccepted, "\(row)")
                            #expect(verdict.isAccepted == verdict.faults.isEmpty, "\(row)")
                        }
                    }
                }
            }
        }
    }
}
