// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Foundation
import ServerTrust
import Testing

/// What a policy is made of (S1–S6, S26, S27, S33).
///
/// Of the contract's numbers, these have no counterpart in this library, and no test:
/// - S26 is about session managers, which there are none of here; what is left is that everybody starts with the default
///   policy, which is tested.
/// - S28 is tested as far as a verdict for the challenge's host goes; to end a handshake is up to the probes.
/// - S29 and S31 are about handlers of challenges, and nobody challenges anybody here.
/// - S30 is an error of Apple's URL loading; the verdict's faults are in its place.
/// - S32 is about the archive of a session manager; a policy's own is S6, and the rule that it asks is S27.
/// - Of S22, certificate transparency and block lists need services that this library does not ask.
@Suite("SecurityPolicy (S1–S6, S26, S27, S33)")
struct SecurityPolicyTests {
    @Test("S1: the modes are 0, 1 and 2 and have stable names")
    func modes() {
        #expect(PinningMode.allCases.map(\.rawValue) == [0, 1, 2])
        #expect(PinningMode.allCases.map(\.name) == ["none", "public_key", "certificate"])
        for mode in PinningMode.allCases { #expect(PinningMode(name: mode.name) == mode) }
        #expect(PinningMode(name: "publicKey") == nil)
    }

    @Test("S1: pins are a set: duplicates collapse and order means nothing")
    func pinsAreASet() throws {
        let leaf = try Fixture.der("leaf")
        let root = try Fixture.der("root")
        let pins = try PinSet(certificates: [leaf, root, leaf])
        #expect(pins.count == 2)
        #expect(try pins == PinSet(certificates: [root, leaf]))
        #expect(try PinSet([Fixture.path("leaf"), Fixture.folder + "leaf.cer"]).count == 1)
    }

    @Test(
        "S1, S2, S26, S33: the default policy pins nothing, allows nothing invalid, validates the name, and is strict"
    )
    func defaultPolicy() {
        for policy in [SecurityPolicy.default, .default] {
            #expect(policy.pinningMode == .none)
            #expect(!policy.allowInvalidCertificates)
            #expect(policy.validatesDomainName)
            #expect(policy.pins.isEmpty)
            #expect(policy.compatibility == .strict)
            #expect(policy.purpose == nil)
            #expect(policy.effectivePurpose == .server)
            #expect(!policy.allowsCommonName)
            #expect(!policy.allowsWeakCertificates)
            #expect(!policy.limitsLifetime)
            #expect(!policy.reportsPinsOnly)
        }
    }

    @Test("S2: a change of one default policy does not affect the next")
    func defaultPolicyIsFresh() {
        var policy = SecurityPolicy.default
        policy.allowInvalidCertificates = true
        #expect(!SecurityPolicy.default.allowInvalidCertificates)
    }

    @Test("S33: mode none still evaluates: a self-signed server and one of another name are rejected by default")
    func noneValidates() throws {
        #expect(try judge(["self-san"]).places == ["self_signed@0"])
        #expect(try judge(["leaf", "intermediate"], for: "evil.test").places == ["hostname_mismatch@0"])
    }

    @Test("S3: a directory's certificates are those that lie in it, by their ending, and not those below")
    func directory() throws {
        let folder = try CopiedFixtures(["leaf.cer", "root.cer", "intermediate.pem"], below: ["other-root.pem"])
        let all = try CertificateDirectory.files(in: folder.path)
        #expect(all.map { $0.dropFirst(folder.path.count + 1) } == ["intermediate.pem", "leaf.cer", "root.cer"])
        let originals = try CertificateDirectory.files(in: folder.path, extensions: ["cer"])
        #expect(originals.map { $0.dropFirst(folder.path.count + 1) } == ["leaf.cer", "root.cer"])
        #expect(try PinSet([folder.path]) == Fixture.pins("leaf", "root", "intermediate"))
        #expect(try PinSet([folder.path + "/"]).count == 3)
    }

    @Test("S3: each construction reads the directory again")
    func directoryIsReadAgain() throws {
        let folder = try CopiedFixtures(["leaf.cer"])
        #expect(try PinSet([folder.path]).count == 1)
        try folder.add("root.cer")
        #expect(try PinSet([folder.path]).count == 2)
    }

    @Test("S4: a certificate that has expired, is not valid yet or leads nowhere still yields its key")
    func keysOfUselessCertificates() throws {
        for name in ["expired", "not-yet-valid", "self-none", "forged", "rsa1024", "sha1"] {
            let pins = try Fixture.pins(name)
            #expect(pins.publicKeys.count == 1)
            #expect(try pins.publicKeys.first?.hexadecimal == Fixture.certificate(name).publicKeyDigest)
        }
        let policy = try makePolicy(.publicKey, pins: Fixture.pins("expired")) {
            $0.allowInvalidCertificates = true
        }
        #expect(try judge(["expired", "intermediate"], policy).isAccepted)
    }

    @Test("S4: no pins, no keys")
    func noPinsNoKeys() {
        #expect(PinSet().publicKeys.isEmpty)
        #expect(PinSet().certificates.isEmpty)
    }

    @Test("S4, S16: two certificates of one key are two pins and one key")
    func certificatesOfOneKey() throws {
        let pins = try Fixture.pins("root", "cross-root")
        #expect(pins.count == 2)
        #expect(pins.certificates.count == 2)
        #expect(pins.publicKeys.count == 1)
    }

    @Test("S5: the keys change with the pins, at once")
    func keysFollowPins() throws {
        var policy = try makePolicy(.publicKey, pins: Fixture.pins("leaf"))
        #expect(try judge(["leaf", "intermediate"], policy).isAccepted)
        try policy.setPins(Fixture.pins("leaf-other-key"))
        #expect(try policy.pins.publicKeys == Fixture.keyPins("leaf-other-key").publicKeys)
        #expect(try judge(["leaf", "intermediate"], policy).codes == [.pinMismatch])
        try policy.setPins(PinSet())
        #expect(try judge(["leaf", "intermediate"], policy).codes == [.noPins])
    }

    @Test("S6: a copy has the mode, the switches and the pins, and goes its own way")
    func copies() throws {
        let policy = try makePolicy(.certificate, pins: Fixture.pins("root")) {
            $0.allowInvalidCertificates = true
            $0.validatesDomainName = false
        }
        var copy = policy
        #expect(copy == policy)
        copy.validatesDomainName = true
        try copy.setPins(Fixture.pins("leaf"))
        #expect(!policy.validatesDomainName)
        #expect(try policy.pins == Fixture.pins("root"))
        #expect(copy.pinningMode == .certificate)
        #expect(copy.allowInvalidCertificates)
    }

    @Test("S6: an archive and back", arguments: PinningMode.allCases, [true, false])
    func archive(mode: PinningMode, flag: Bool) throws {
        var pins = try Fixture.pins("root", "leaf")
        pins.reviewDate = flag ? 1_900_000_000 : nil
        let policy = try makePolicy(mode, pins: pins) {
            $0.allowInvalidCertificates = flag
            $0.validatesDomainName = !flag
            $0.compatibility = flag ? .afnetworking : .strict
            $0.purpose = flag ? .any : nil
            $0.allowsCommonName = flag
            $0.allowsWeakCertificates = flag
            $0.limitsLifetime = flag
            $0.reportsPinsOnly = flag
        }
        let data = try JSONEncoder().encode(policy)
        #expect(try JSONDecoder().decode(SecurityPolicy.self, from: data) == policy)
    }

    @Test("S6: an archive of keys and certificates and back")
    func archiveOfKeys() throws {
        var pins = try Fixture.keyPins("leaf")
        try pins.insert(Fixture.path("root"))
        let policy = try makePolicy(.publicKey, pins: pins)
        let data = try JSONEncoder().encode(policy)
        let back = try JSONDecoder().decode(SecurityPolicy.self, from: data)
        #expect(back == policy)
        #expect(back.pins.expiry(in: .certificate) == FixtureDate.endOfRoots)
    }

    @Test("S6: the archive has the original's names and the mode as a number")
    func archiveKeys() throws {
        let policy = try makePolicy(.publicKey, pins: Fixture.pins("leaf"))
        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(policy)) as? [String: Any]
        #expect(object?["SSLPinningMode"] as? Int == 1)
        #expect(object?["allowInvalidCertificates"] as? Bool == false)
        #expect(object?["validatesDomainName"] as? Bool == true)
        #expect(object?["pinnedCertificates"] != nil)
    }

    @Test("S6: an archive with only the original's keys is enough; the additional ones have their defaults")
    func archiveOfTheOriginal() throws {
        let text = #"{"SSLPinningMode":0,"allowInvalidCertificates":false,"validatesDomainName":true}"#
        #expect(try JSONDecoder().decode(SecurityPolicy.self, from: Data(text.utf8)) == .default)
    }

    @Test(
        "S6, S19: an archive with missing or invalid values is refused",
        arguments: [
            #"{}"#,
            #"{"SSLPinningMode":3,"allowInvalidCertificates":false,"validatesDomainName":true}"#,
            #"{"SSLPinningMode":1,"allowInvalidCertificates":false,"validatesDomainName":true,"#
                + #""pinnedCertificates":{"pins":["sha256/AAAA"]}}"#,
            #"{"SSLPinningMode":1,"allowInvalidCertificates":false,"validatesDomainName":true,"#
                + #""pinnedCertificates":{"pins":["AAAA"]}}"#,
            #"{"SSLPinningMode":1,"allowInvalidCertificates":false,"validatesDomainName":true,"#
                + #""pinnedCertificates":{"pins":["/etc/ssl/certs/ca-certificates.crt"]}}"#,
            #"{"SSLPinningMode":2,"allowInvalidCertificates":false,"validatesDomainName":true,"#
                + #""pinnedCertificates":{"pins":["sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="]}}"#,
        ]
    )
    func badArchive(text: String) {
        #expect(throws: (any Error).self) {
            try JSONDecoder().decode(SecurityPolicy.self, from: Data(text.utf8))
        }
    }

    @Test("S27: pins are for https alone, written so; without pins by mode anything goes")
    func httpsOnly() throws {
        let secure = "https://good.test/"
        let others: [String?] = [
            nil, "", "http://good.test/", "HTTPS://good.test/", "httpsx://good.test/", "https", " https://good.test/",
        ]
        for mode in [PinningMode.publicKey, .certificate] {
            let policy = try makePolicy(mode, pins: Fixture.pins("leaf"))
            try policy.requireSecure(url: secure)
            for url in others {
                let error = #expect(throws: TrustError.self) { try policy.requireSecure(url: url) }
                #expect(error?.code == .invalidSecurityPolicy)
                #expect(error?.message.hasPrefix("Invalid Security Policy") == true)
            }
        }
        let unpinned = try makePolicy(.none, pins: Fixture.pins("leaf"))
        for url in others + [secure] { try unpinned.requireSecure(url: url) }
    }

    @Test("S27: the rule is checked when a policy is used, and not when one is changed")
    func httpsOnlyOnce() throws {
        var policy = try makePolicy(.publicKey)
        #expect(throws: TrustError.self) { try policy.requireSecure(url: "http://good.test/") }
        try policy.setPins(Fixture.pins("leaf"))
        #expect(try judge(["leaf", "intermediate"], policy).isAccepted)
    }

    @Test("T7: the permissive policy accepts every server and still reports all faults")
    func permissive() throws {
        let verdict = try judge(["client-only"], .permissive, for: "evil.test", anchors: ["other-root"])
        #expect(verdict.isAccepted)
        #expect(verdict.row.description == "T7")
        #expect(verdict.faults.isEmpty)
        #expect(verdict.toleratedCodes == [.hostnameMismatch, .wrongPurpose, .untrustedRoot])
    }
}
