// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Foundation
import Testing

@testable import ServerTrust

/// Where certificates and anchors come from.
@Suite("Reading certificates and anchors (S15, S24)")
struct ReadingTests {
    @Test("DER and PEM, one or many, with other things around them")
    func forms() throws {
        let leaf = try Fixture.der("leaf")
        let root = try Fixture.der("root")
        let text = try Fixture.pem("leaf") + Fixture.pem("root")
        #expect(try CertificateChain(reading: [leaf]).encodings == [leaf])
        #expect(try CertificateChain(reading: [leaf, root]).encodings == [leaf, root])
        #expect(try CertificateChain(reading: [text]).encodings == [leaf, root])
        #expect(try CertificateChain(reading: [text, root]).count == 3)
        let key = try [UInt8](Data(contentsOf: URL(filePath: Fixture.folder + "leaf.key")))
        let decorated = Array("a comment\n".utf8) + key + text + Array("\nmore\n".utf8)
        #expect(try CertificateChain(reading: [decorated]).encodings == [leaf, root])
        #expect(
            try CertificateChain(files: [Fixture.folder + "leaf.cer", Fixture.path("root")]).encodings == [leaf, root]
        )
        let crlf = Array(String(decoding: text, as: UTF8.self).replacing("\n", with: "\r\n").utf8)
        #expect(try CertificateChain(reading: [crlf]).encodings == [leaf, root])
    }

    @Test("Invalid certificates are refused, and the file is named")
    func refused() throws {
        let folder = try CopiedFixtures(["leaf.key"])
        let broken = try folder.write(
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
            to: "broken.pem"
        )
        let half = try folder.write(
            String(decoding: Fixture.pem("leaf"), as: UTF8.self) + "-----BEGIN CERTIFICATE-----\nMIIB\n",
            to: "half.pem"
        )
        let cases: [(file: String, code: TrustError.Code)] = [
            (folder.path + "/leaf.key", .noCertificate), (folder.path + "/.pem", .noCertificate),
            (broken, .malformedCertificate), (half, .malformedCertificate), (folder.path + "/missing", .unreadable),
            (folder.path, .unreadable), ("/dev/zero", .tooLong),
        ]
        for item in cases {
            for read in [
                { try _ = CertificateChain(files: [item.file]) }, { try _ = TrustAnchors(files: [item.file]) },
            ] as [() throws -> Void] {
                let error = #expect(throws: TrustError.self, "\(item)") { try read() }
                #expect(error?.code == item.code, "\(item)")
                #expect(error?.message.contains(item.file) == true, "\(item): \(error?.message ?? "")")
            }
        }
        #expect(throws: TrustError(.noCertificate, "no certificate found")) { try CertificateChain(reading: []) }
        #expect(throws: TrustError(.noCertificate, "no certificate found")) { try CertificateChain(files: []) }
    }

    @Test("A PEM text with a password is refused without a prompt")
    func encrypted() throws {
        let text = PEMText.write(Array(repeating: 7, count: 64)).replacing(
            "CERTIFICATE-----\n",
            with:
                "CERTIFICATE-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00112233445566778899AABBCCDDEEFF\n\n",
            maxReplacements: 1
        )
        let folder = try CopiedFixtures([])
        let file = try folder.write(text, to: "encrypted.pem")
        #expect(throws: TrustError.self) { try CertificateChain(files: [file]) }
        #expect(throws: TrustError.self) { try TrustAnchors(files: [file]) }
    }

    @Test("S15: anchors from DER, from a PEM file of several, from several files, from a list")
    func anchors() throws {
        let folder = try CopiedFixtures(["root.cer"])
        let several = try folder.write(
            String(decoding: Fixture.pem("other-root") + Fixture.pem("root"), as: UTF8.self),
            to: "several.pem"
        )
        let all = try [
            TrustAnchors(files: [Fixture.folder + "root.cer"]), TrustAnchors(files: [several]),
            TrustAnchors(files: [Fixture.path("other-root"), Fixture.path("root")]),
            TrustAnchors(Fixture.chain("other-root", "root")),
            TrustAnchors(files: CertificateDirectory.files(in: folder.path, extensions: ["cer"])),
        ]
        for anchors in all {
            #expect(!anchors.areSystem)
            let verdict = try SecurityPolicy.default.evaluate(
                Fixture.chain("leaf", "intermediate"),
                domain: "good.test",
                at: Fixture.time,
                anchors: anchors
            )
            #expect(verdict.isAccepted)
        }
        let none = try TrustAnchors(files: [])
        let verdict = try SecurityPolicy.default.evaluate(
            Fixture.chain("leaf", "intermediate"),
            domain: "good.test",
            at: Fixture.time,
            anchors: none
        )
        #expect(verdict.codes == [.untrustedRoot])
    }

    @Test("Digests are written as RFC 7469 writes them")
    func digests() throws {
        let bytes = (0..<32).map { UInt8($0) }
        let digest = try #require(PublicKeyDigest(bytes: bytes))
        #expect("\(digest)" == "sha256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
        #expect(digest.hexadecimal == "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")
        #expect(PublicKeyDigest("\(digest)") == digest)
        #expect(PublicKeyDigest(bytes: Array(bytes.dropLast())) == nil)
        #expect(PublicKeyDigest("SHA256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=") == nil)
    }

    // MARK: The system's anchors

    // A process has one environment, so each of these is one of its own.

    @Test("S24: SSL_CERT_FILE names the system's authorities")
    func systemFile() async {
        await #expect(processExitsWith: .success) {
            setSystemPlaces(file: Fixture.path("root"), directory: "/nonexistent")
            #expect(TrustAnchors.systemPlaces == [Fixture.path("root"), "/nonexistent"])
            let anchors = try TrustAnchors.system()
            #expect(anchors.areSystem)
            let chain = try Fixture.chain("leaf", "intermediate")
            let policy = SecurityPolicy.default
            #expect(try policy.evaluate(chain, domain: "good.test", at: Fixture.time, anchors: anchors).isAccepted)
            // With anchors of one's own the system's do not count.
            #expect(try judge(["leaf", "intermediate"], anchors: ["other-root"]).codes == [.untrustedRoot])
            // The system's anchors have stricter lifetimes (S22).
            var limiting = policy
            limiting.limitsLifetime = true
            let verdict = try limiting.evaluate(chain, domain: "good.test", at: Fixture.time, anchors: anchors)
            #expect(verdict.firstFault?.words == "the validity period exceeds 398 days")
        }
    }

    @Test("S24: SSL_CERT_DIR names a directory of them, each under the hash of its name")
    func systemDirectory() async {
        await #expect(processExitsWith: .success) {
            let folder = try CopiedFixtures([])
            // openssl x509 -hash of /O=reachd tests/CN=root.
            try folder.add("root.pem", as: "df189e04.0")
            setSystemPlaces(file: "/nonexistent", directory: folder.path)
            let anchors = try TrustAnchors.system()
            let chain = try Fixture.chain("leaf", "intermediate")
            let policy = SecurityPolicy.default
            #expect(try policy.evaluate(chain, domain: "good.test", at: Fixture.time, anchors: anchors).isAccepted)
        }
    }

    @Test("S24: a system without authorities trusts no server, and the verdict has that reason")
    func emptySystem() async {
        await #expect(processExitsWith: .success) {
            setSystemPlaces(file: "/nonexistent", directory: "/nonexistent")
            let anchors = try TrustAnchors.system()
            let verdict = try SecurityPolicy.default.evaluate(
                Fixture.chain("leaf", "intermediate"),
                domain: "good.test",
                at: Fixture.time,
                anchors: anchors
            )
            #expect(verdict.codes == [.untrustedRoot])
        }
    }
}

/// Where OpenSSL looks for authorities from now on.
private func setSystemPlaces(file: String, directory: String) {
    unsafe setenv("SSL_CERT_FILE", file, 1)
    unsafe setenv("SSL_CERT_DIR", directory, 1)
}
