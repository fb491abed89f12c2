// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ServerTrust
import Testing

/// How a policy decides, on certificates (S7–S20, S28, S34).
@Suite("Pinning (S7–S20, S28, S34)")
struct PinningTests {
    /// Where a pin can be.
    static let places = ["leaf", "intermediate", "root"]

    private let good = ["leaf", "intermediate"]

    @Test("S7: names of certificates that need not be valid are not checked without pins: rejected, with that reason")
    func nameCheckNeedsPins() throws {
        for mode in PinningMode.allCases {
            let policy = try makePolicy(mode) { $0.allowInvalidCertificates = true }
            let verdict = try judge(good, policy)
            #expect(!verdict.isAccepted)
            #expect(verdict.firstFault?.code == .nameCheckNeedsPins)
        }
        // AFN #3713: pins do not help a mode that does not use them.
        let unused = try makePolicy(.none, pins: Fixture.pins("leaf")) { $0.allowInvalidCertificates = true }
        #expect(try judge(good, unused).codes == [.nameCheckNeedsPins])
        #expect(try judge(good, unused, for: nil).isAccepted)
    }

    @Test("S8: a server's purpose goes with the check of the name, without a domain too; plain X.509 without it")
    func purposeFollowsNameCheck() throws {
        let chain = ["client-only", "intermediate"]
        #expect(try judge(chain, for: nil).codes == [.wrongPurpose])
        let unnamed = try makePolicy { $0.validatesDomainName = false }
        #expect(unnamed.effectivePurpose == .any)
        #expect(try judge(chain, unnamed, for: "evil.test").isAccepted)
        let asServer = try makePolicy {
            $0.validatesDomainName = false
            $0.purpose = .server
        }
        #expect(try judge(chain, asServer, for: "evil.test").codes == [.wrongPurpose])
        let asAny = try makePolicy { $0.purpose = .any }
        #expect(try judge(chain, asAny).isAccepted)
        #expect(try judge(chain, asAny, for: "evil.test").codes == [.hostnameMismatch])
    }

    @Test("S9: mode none accepts valid chains, and all chains when invalid certificates are allowed")
    func modeNone() throws {
        #expect(try judge(good).isAccepted)
        #expect(try !judge(good, anchors: ["other-root"]).isAccepted)
        let permissive = try makePolicy {
            $0.allowInvalidCertificates = true
            $0.validatesDomainName = false
        }
        for name in try Fixture.names() {
            let verdict = try judge([name], permissive, anchors: ["other-root"])
            #expect(verdict.isAccepted, "\(name)")
            #expect(verdict.faults.isEmpty)
        }
    }

    @Test("S10: a pin does not make up for a chain that leads to no anchor")
    func pinsAreNoAnchors() throws {
        for mode in [PinningMode.publicKey, .certificate] {
            for place in Self.places {
                let policy = try makePolicy(mode, pins: Fixture.pins(place))
                let verdict = try judge(good + ["root"], policy, anchors: ["other-root"])
                #expect(verdict.codes == [.untrustedRoot], "\(mode), \(place)")
            }
        }
    }

    @Test("S11: with certificates pinned the chain has to be valid twice, for the anchors and for the pins")
    func certificateModeIsValidTwice() throws {
        let policy = try makePolicy(.certificate, pins: Fixture.pins("other-root"))
        let verdict = try judge(good, policy)
        #expect(verdict.predicates.isValid)
        #expect(verdict.predicates.isValidAgainstPins == false)
        #expect(verdict.codes == [.pinMismatch])
        let pinned = try makePolicy(.certificate, pins: Fixture.pins("root"))
        #expect(try judge(good, pinned).isAccepted)
        #expect(try judge(good, pinned, anchors: ["other-root"]).codes == [.untrustedRoot])
    }

    @Test("S12, S34: one pinned key in the chain is enough; the chain need not be pinned whole (AFN #2744, #2856)")
    func oneKeyIsEnough() throws {
        for place in Self.places {
            let pins = try Fixture.keyPins(place, "leaf-other-key", "other-root", "self-san")
            let verdict = try judge(good, makePolicy(.publicKey, pins: pins))
            #expect(verdict.isAccepted)
            #expect(verdict.predicates.hasPinnedKey == true)
            #expect(verdict.warnings.isEmpty)
        }
        let others = try Fixture.keyPins("leaf-other-key", "other-root")
        #expect(try judge(good, makePolicy(.publicKey, pins: others)).codes == [.pinMismatch])
    }

    @Test("S34: the same for certificates")
    func oneCertificateIsEnough() throws {
        for place in Self.places {
            let pins = try Fixture.pins(place, "leaf-other-key", "other-root", "self-san")
            #expect(try judge(good, makePolicy(.certificate, pins: pins)).isAccepted)
        }
    }

    @Test("S12: a renewed certificate keeps its key: a pin of the key still matches, a pin of the certificate does not")
    func renewal() throws {
        let renewed = ["leaf-renewed", "intermediate"]
        #expect(try judge(renewed, makePolicy(.publicKey, pins: Fixture.pins("leaf"))).isAccepted)
        #expect(
            try judge(renewed, makePolicy(.certificate, pins: Fixture.pins("leaf"))).codes == [.pinMismatch]
        )
    }

    @Test("S13: an anchor that is denied for servers, or trusted for others alone, makes nothing valid")
    func deniedAnchor() throws {
        let serverAuth: [UInt8] = [0x06, 0x08, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01]
        let clientAuth: [UInt8] = serverAuth.dropLast() + [0x02]
        let cases: [(trust: [UInt8], isAccepted: Bool, codes: [TrustFault.Code])] = [
            ([0x30, 0x0C, 0x30, 0x0A] + serverAuth, true, []),
            ([0x30, 0x0C, 0x30, 0x0A] + clientAuth, false, [.other]),
            ([0x30, 0x0C, 0xA0, 0x0A] + serverAuth, false, [.other]),
        ]
        let folder = try CopiedFixtures([])
        for (index, settings) in cases.enumerated() {
            let text = PEMText.write(try Fixture.der("root") + settings.trust, label: "TRUSTED CERTIFICATE")
            let file = try folder.write(text, to: "\(index).pem")
            let verdict = try SecurityPolicy.default.evaluate(
                Fixture.chain("leaf", "intermediate"),
                domain: "good.test",
                at: Fixture.time,
                anchors: TrustAnchors(files: [file])
            )
            #expect(verdict.isAccepted == settings.isAccepted, "\(index): \(verdict.places)")
            #expect(verdict.predicates.isValid == settings.isAccepted)
            #expect(verdict.codes == settings.codes, "\(index)")
        }
    }

    @Test("S14: certificates that the server sends and nothing leads to satisfy no pin")
    func unrelatedExtras() throws {
        for extra in ["other-root", "self-san", "intermediate-client", "leaf-other-key", "expired-intermediate"] {
            for allowsInvalid in [false, true] {
                for (mode, anchor) in [
                    (PinningMode.publicKey, "root"), (.publicKey, "other-root"), (.certificate, "root"),
                ] {
                    let policy = try makePolicy(mode, pins: Fixture.pins(extra)) {
                        $0.allowInvalidCertificates = allowsInvalid
                    }
                    let verdict = try judge(good + [extra], policy, anchors: [anchor])
                    #expect(!verdict.isAccepted, "\(extra), \(mode), \(allowsInvalid)")
                    #expect(verdict.codes.contains(.pinMismatch), "\(extra), \(mode), \(allowsInvalid)")
                    #expect(verdict.sentCount == 3)
                    #expect(try !verdict.builtChain.contains(Fixture.certificate(extra)))
                }
            }
        }
    }

    @Test("S14: the built chain is in order, and goes to the anchor, whatever was sent and in what order")
    func builtChain() throws {
        let orders = [
            ["leaf", "intermediate"], ["leaf", "root", "intermediate"], ["leaf", "self-san", "intermediate", "leaf"],
        ]
        for order in orders {
            let verdict = try judge(order)
            #expect(verdict.isAccepted)
            #expect(verdict.sentChain.map(\.commonName) == order)
            #expect(verdict.builtChain.map(\.commonName) == ["leaf", "intermediate", "root"])
        }
    }

    @Test("S14: when no anchor is reached, the best partial chain counts, at worst the server's own certificate")
    func partialChain() throws {
        let allowing = { (pins: PinSet) in
            try makePolicy(.publicKey, pins: pins) { $0.allowInvalidCertificates = true }
        }
        let partial = try judge(good, allowing(Fixture.pins("intermediate")), anchors: ["other-root"])
        #expect(partial.isAccepted)
        #expect(partial.builtChain.map(\.commonName) == ["leaf", "intermediate"])
        let alone = try judge(["leaf"], allowing(Fixture.pins("intermediate")), anchors: ["other-root"])
        #expect(!alone.isAccepted)
        #expect(alone.builtChain.map(\.commonName) == ["leaf"])
        #expect(try judge(["leaf"], allowing(Fixture.pins("leaf")), anchors: ["other-root"]).isAccepted)
    }

    /// What somebody who has not got the pinned authority's key can send, and what they would like to be taken for.
    struct Forgery: Sendable, CustomTestStringConvertible {
        let chain: [String]
        let pinned: [String]
        var testDescription: String { chain.joined(separator: ", ") }
    }

    @Test(
        "S14: a pinned certificate behind one that it has not signed, or may not have signed, satisfies no pin",
        arguments: [
            Forgery(chain: ["forged", "intermediate", "root"], pinned: ["intermediate", "root", "leaf"]),
            Forgery(chain: ["forged", "root", "intermediate"], pinned: ["intermediate", "root"]),
            Forgery(chain: ["from-leaf", "leaf", "intermediate", "root"], pinned: ["leaf", "intermediate", "root"]),
            Forgery(chain: ["too-deep", "deep", "intermediate", "root"], pinned: ["intermediate", "root"]),
            Forgery(chain: ["constrained-bad", "constrained", "root"], pinned: ["constrained", "root"]),
            Forgery(chain: ["self-cn", "leaf", "intermediate", "root"], pinned: ["leaf", "intermediate", "root"]),
        ]
    )
    func forgeries(forgery: Forgery) throws {
        for place in forgery.pinned {
            for anchors in [["root"], ["other-root"], ["root", "other-root"]] {
                for compatibility in TrustCompatibility.allCases {
                    for mode in [PinningMode.publicKey, .certificate] {
                        let policy = try makePolicy(mode, pins: Fixture.pins(place)) {
                            $0.allowInvalidCertificates = true
                            $0.validatesDomainName = false
                            $0.compatibility = compatibility
                        }
                        let verdict = try judge(forgery.chain, policy, anchors: anchors)
                        #expect(!verdict.isAccepted, "\(place), \(anchors), \(mode): \(verdict.predicates)")
                        if mode == .publicKey {
                            #expect(verdict.predicates.hasPinnedKey == false)
                            #expect(verdict.codes == [.pinMismatch])
                        }
                    }
                }
            }
        }
    }

    @Test("S14: possible signers are still found in a chain that is too long: the authority directly above")
    func nearestAuthority() throws {
        let policy = try makePolicy(.publicKey, pins: Fixture.pins("deep")) { $0.allowInvalidCertificates = true }
        let verdict = try judge(["too-deep", "deep", "intermediate"], policy)
        #expect(verdict.isAccepted)
        #expect(verdict.builtChain.map(\.commonName) == ["too-deep", "deep"])
    }

    @Test("S15: leaf, intermediate and root can be pinned in both modes", arguments: places)
    func pinnedPlace(place: String) throws {
        for mode in [PinningMode.publicKey, .certificate] {
            for allowsInvalid in [false, true] {
                let policy = try makePolicy(mode, pins: Fixture.pins(place)) {
                    $0.allowInvalidCertificates = allowsInvalid
                }
                #expect(try judge(good, policy).isAccepted, "\(mode)")
                #expect(try !judge(["two-names", "intermediate"], policy, for: "evil.test").isAccepted)
            }
        }
        let sibling = try judge(
            ["leaf-other-key", "intermediate"],
            makePolicy(.certificate, pins: Fixture.pins(place))
        )
        #expect(sibling.isAccepted == (place != "leaf"))
    }

    @Test("S15: a certificate that is not an authority can be an anchor, a self-signed one too")
    func leafAsAnchor() throws {
        #expect(try judge(["leaf"], anchors: ["leaf"]).isAccepted)
        #expect(try judge(["self-san"], anchors: ["self-san"]).isAccepted)
        #expect(try judge(["self-critical-eku"], anchors: ["self-critical-eku"]).isAccepted)
        // It signs for nobody else.
        #expect(try !judge(["from-leaf", "leaf"], anchors: ["leaf"]).isAccepted)
        let pinned = try makePolicy(.certificate, pins: Fixture.pins("self-san")) { $0.allowInvalidCertificates = true }
        #expect(try judge(["self-san"], pinned).isAccepted)
    }

    @Test("S14: faults in any number do not hide a signature that does not fit")
    func flooded() throws {
        // An authority with a pinned key stands behind the leaf, and neither is signed by the one behind it.
        for mode in [PinningMode.publicKey, .certificate] {
            for validates in [true, false] {
                let policy = try makePolicy(mode, pins: Fixture.pins("leaf")) {
                    $0.allowInvalidCertificates = true
                    $0.validatesDomainName = validates
                }
                let verdict = try judge(["flooded"], policy)
                #expect(!verdict.isAccepted)
                if mode == .publicKey { #expect(verdict.codes == [.pinMismatch]) }
                #expect(verdict.builtChain.count == 1)
            }
        }
    }

    @Test("S14: a link that can be forged is none, unless weak certificates are allowed", arguments: [false, true])
    func weakLink(isAllowed: Bool) throws {
        let policy = try makePolicy(.publicKey, pins: Fixture.pins("intermediate")) {
            $0.allowInvalidCertificates = true
            $0.allowsWeakCertificates = isAllowed
        }
        let verdict = try judge(["sha1", "intermediate"], policy, anchors: ["other-root"])
        #expect(verdict.isAccepted == isAllowed)
        #expect(verdict.builtChain.count == (isAllowed ? 2 : 1))
    }

    @Test("S16: a root and its cross-signed twin are one key and two certificates")
    func crossSigned() throws {
        let plain = { (mode: PinningMode, pin: String) in
            try makePolicy(mode, pins: Fixture.pins(pin)) {
                $0.purpose = .any; $0.validatesDomainName = false
            }
        }
        for (sent, pinned) in [("cross-root", "root"), ("root", "cross-root")] {
            let anchors = ["root", "other-root"]
            #expect(try judge([sent], plain(.publicKey, pinned), anchors: anchors).isAccepted)
            #expect(try judge([sent], plain(.publicKey, sent), anchors: anchors).isAccepted)
            #expect(try judge([sent], plain(.certificate, sent), anchors: anchors).isAccepted)
        }
        // The twin is no copy of the root: with the root as only anchor there is no way from one to the other.
        let twin = try judge(["cross-root"], plain(.certificate, "root"), anchors: ["root", "other-root"])
        #expect(twin.predicates.isValidAgainstPins == false)
        #expect(twin.codes == [.pinMismatch])
    }

    @Test("S16: a chain through the twin has the root's key")
    func chainThroughTwin() throws {
        let policy = try makePolicy(.publicKey, pins: Fixture.keyPins("root"))
        let verdict = try judge(["leaf", "intermediate", "cross-root"], policy, anchors: ["other-root"])
        #expect(verdict.isAccepted)
        #expect(verdict.builtChain.map(\.commonName) == ["leaf", "intermediate", "root", "other-root"])
        #expect(try verdict.builtChain[2] == Fixture.certificate("cross-root"))
        // With the root as the only anchor the way ends there: it has the twin's name and key, and signed the same.
        let pinned = try makePolicy(.certificate, pins: Fixture.pins("root"))
        let ended = try judge(["leaf", "intermediate", "cross-root"], pinned, anchors: ["other-root"])
        #expect(ended.isAccepted)
        #expect(try ended.builtChain.last == Fixture.certificate("root"))
    }

    @Test(
        "S17: a pinned key on a certificate for another host: rejected by strict, accepted by afnetworking, and reported"
    )
    func wrongHostWithPinnedKey() throws {
        for anchor in ["root", "other-root"] {
            for compatibility in TrustCompatibility.allCases {
                let policy = try makePolicy(.publicKey, pins: Fixture.pins("leaf")) {
                    $0.allowInvalidCertificates = true
                    $0.compatibility = compatibility
                }
                let verdict = try judge(good, policy, for: "evil.test", anchors: [anchor])
                #expect(verdict.isAccepted == (compatibility == .afnetworking))
                #expect(verdict.warnings.contains(.compatibilityDiffers))
                #expect(verdict.codes == (compatibility == .strict ? [.hostnameMismatch] : []))
                #expect(verdict.allFaults.contains { $0.code == .hostnameMismatch })
                #expect(try !judge(good, policy, anchors: [anchor]).warnings.contains(.compatibilityDiffers))
            }
        }
    }

    @Test("S17: dates do not count for a pinned key with invalid certificates allowed, in either mode")
    func expiredWithPinnedKey() throws {
        for compatibility in TrustCompatibility.allCases {
            let policy = try makePolicy(.publicKey, pins: Fixture.pins("expired")) {
                $0.allowInvalidCertificates = true
                $0.compatibility = compatibility
            }
            let verdict = try judge(["expired", "intermediate"], policy)
            #expect(verdict.isAccepted)
            #expect(verdict.toleratedCodes == [.expired])
        }
    }

    @Test(
        "S18: a pinned certificate with invalid ones allowed: name, dates and purpose count, only the anchor does not"
    )
    func certificateWithInvalidAllowed() throws {
        let cases: [(chain: [String], pin: String, domain: String, codes: [TrustFault.Code])] = [
            (good, "intermediate", "good.test", []),
            (good, "intermediate", "evil.test", [.hostnameMismatch]),
            (good, "leaf", "evil.test", [.hostnameMismatch]),
            (["expired", "intermediate"], "intermediate", "good.test", [.expired]),
            (["expired", "intermediate"], "expired", "good.test", [.expired]),
            (["client-only", "intermediate"], "client-only", "good.test", [.wrongPurpose]),
            (["not-yet-valid", "intermediate"], "intermediate", "good.test", [.notYetValid]),
        ]
        for item in cases {
            for compatibility in TrustCompatibility.allCases {
                let policy = try makePolicy(.certificate, pins: Fixture.pins(item.pin)) {
                    $0.allowInvalidCertificates = true
                    $0.compatibility = compatibility
                }
                let verdict = try judge(item.chain, policy, for: item.domain, anchors: ["other-root"])
                #expect(verdict.codes == item.codes, "\(item)")
                #expect(verdict.isAccepted == item.codes.isEmpty, "\(item)")
                #expect(verdict.toleratedCodes.contains(.untrustedRoot), "\(item)")
            }
        }
    }

    @Test("S19: invalid certificates, key digests and files are refused as pins, and nothing is silently omitted")
    func malformedPins() throws {
        let leaf = try Fixture.der("leaf")
        let digest = "sha256/" + String(repeating: "A", count: 43) + "="
        let bad: [(code: TrustError.Code, make: () throws -> PinSet)] = [
            (.malformedCertificate, { try PinSet(certificates: [[0x30, 0x00]]) }),
            (.malformedCertificate, { try PinSet(certificates: [leaf.dropLast()]) }),
            (.malformedCertificate, { try PinSet(certificates: [leaf + [0]]) }),
            (.malformedCertificate, { try PinSet(certificates: [leaf, Array(leaf.prefix(100))]) }),
            (.noCertificate, { try PinSet(certificates: [[]]) }),
            (.noCertificate, { try PinSet(certificates: [Array("hello".utf8)]) }),
            (.noCertificate, { try PinSet([Fixture.path("leaf").replacing(".pem", with: ".key")]) }),
            (.malformedPin, { try PinSet(["sha256/"]) }),
            (.malformedPin, { try PinSet(["sha256/AAAA"]) }),
            (.malformedPin, { try PinSet([digest + " "]) }),
            (.malformedPin, { try PinSet([digest + "AAAA"]) }),
            (.malformedPin, { try PinSet(["sha256/" + String(repeating: "A", count: 44)]) }),
            (.malformedPin, { try PinSet(["sha256/" + String(repeating: "é", count: 22)]) }),
            (.unreadable, { try PinSet(["sha1/AAAA"]) }),
            (.unreadable, { try PinSet([""]) }),
            (.unreadable, { try PinSet([Fixture.folder + "missing.pem"]) }),
            (.tooLong, { try PinSet(["/dev/zero"]) }),
        ]
        for (index, item) in bad.enumerated() {
            let error = #expect(throws: TrustError.self, "\(index)") { try item.make() }
            #expect(error?.code == item.code, "\(index)")
            #expect(error?.message.isEmpty == false)
        }
        #expect(try PinSet([digest]).publicKeys.map(\.description) == [digest])
    }

    @Test("S19: a directory without certificates is refused, and one with something else in it")
    func malformedDirectories() throws {
        let empty = try CopiedFixtures([])
        #expect(throws: TrustError(.noCertificate, "no certificates in \(empty.path)")) {
            try PinSet([empty.path])
        }
        let mixed = try CopiedFixtures(["leaf.pem"])
        _ = try mixed.write("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", to: "bad.pem")
        let error = #expect(throws: TrustError.self) { try PinSet([mixed.path]) }
        #expect(error?.code == .malformedCertificate)
        #expect(error?.message.contains("bad.pem") == true)
    }

    @Test("S19: the digest of a key is not a certificate, and refused where certificates are pinned")
    func digestsInCertificateMode() throws {
        let digests = try Fixture.keyPins("leaf")
        let error = #expect(throws: TrustError.self) { try SecurityPolicy(pinningMode: .certificate, pins: digests) }
        #expect(error?.code == .certificateNeeded)
        var policy = try makePolicy(.certificate, pins: Fixture.pins("leaf"))
        #expect(throws: TrustError.self) { try policy.setPins(digests) }
        #expect(try policy.pins == Fixture.pins("leaf"))
    }

    @Test("S20: a mode that pins, without a pin, rejects every server")
    func noPins() throws {
        for mode in [PinningMode.publicKey, .certificate] {
            for validatesName in [true, false] {
                for allowsInvalid in [true, false] {
                    let policy = try makePolicy(mode) {
                        $0.allowInvalidCertificates = allowsInvalid
                        $0.validatesDomainName = validatesName
                    }
                    for domain in ["good.test", nil] {
                        let verdict = try judge(good, policy, for: domain)
                        #expect(!verdict.isAccepted)
                        #expect(verdict.codes.contains(.noPins))
                    }
                }
            }
        }
    }

    @Test("S28: the verdict is for the requested host, with its reasons")
    func challenge() throws {
        let chain = ["two-names", "intermediate"]
        for host in ["one.test", "two.test"] { #expect(try judge(chain, for: host).isAccepted) }
        let verdict = try judge(chain, for: "good.test")
        #expect(!verdict.isAccepted)
        #expect(verdict.firstFault?.words == "the certificate is for one.test, two.test, not good.test")
        #expect(verdict.sentChain.map(\.commonName) == chain)
    }
}
