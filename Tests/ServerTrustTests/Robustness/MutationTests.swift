// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Foundation
import ServerTrust
import Testing

/// Certificates, texts and pins that trouble or malice has changed: 10,000 certificates with a seed each.
///
/// What holds of every one that is accepted at all: its leaf is, byte for byte, one that an authority of ours signed, or
/// its key is itself pinned and invalid certificates are allowed (S12, S17: whoever has that key may say anything). A
/// chain may be changed behind its leaf, since a certificate that nobody needs is nobody's concern.
@Suite("Mutated certificates")
struct MutationTests {
    private static let count = 10_000
    private static let partCount = 4

    @Test(
        "10,000 mutated certificates: no crash, bounded texts, and none with a changed leaf is accepted",
        arguments: 0..<partCount
    )
    func certificates(part: Int) throws {
        let names = try Fixture.names()
        let originals = try names.map { try Fixture.der($0) }
        let untouched = Set(originals)
        let judges = try Judge.all()
        let leaf = try Fixture.der("leaf")
        let authorities = try Fixture.chain("intermediate", "root").encodings
        var mutation = Mutation(seed: UInt64(part) + 1)
        var readable = 0
        var accepted = 0
        for index in 0..<(Self.count / Self.partCount) {
            let original = mutation.pick(originals)
            let mutant = mutation.apply(to: original, others: originals)
            // One time in four it is what stands behind an untouched leaf.
            let isLeaf = index % 4 != 0
            let contents = isLeaf ? [mutant] + authorities : [leaf, mutant] + authorities.dropFirst(index % 3)
            guard let chain = try? CertificateChain(reading: contents) else { continue }
            readable += 1
            let encodings = chain.encodings
            #expect(encodings.count == contents.count)
            for judge in judges where judge.number % 4 == index / 4 % 4 {
                let verdict = try judge.evaluate(chain)
                let violations = BoundedText.violations(in: verdict)
                #expect(violations.isEmpty, "part \(part), index \(index)")
                #expect(verdict.faults.isEmpty == verdict.isAccepted)
                guard verdict.isAccepted else { continue }
                accepted += 1
                if untouched.contains(encodings[0]) { continue }
                let key = try #require(verdict.sentChain.first).publicKeyDigest
                #expect(
                    judge.policy.allowInvalidCertificates && judge.policy.pinningMode == .publicKey
                        && judge.policy.pins.publicKeys.contains { $0.hexadecimal == key },
                    "part \(part), index \(index): \(verdict.row) accepts a leaf that nobody signed"
                )
            }
        }
        // Otherwise nothing was tested.
        #expect(readable > Self.count / Self.partCount / 4)
        #expect(accepted > 100)
    }

    @Test("No part of a certificate is one, and one with something behind it is none")
    func parts() throws {
        for name in ["leaf", "root", "nul-name"] {
            let der = try Fixture.der(name)
            for count in 0..<der.count {
                #expect(throws: TrustError.self) { try CertificateChain(reading: [Array(der.prefix(count))]) }
            }
            for more in 1...3 {
                let longer = der + Array(repeating: 0, count: more)
                #expect(throws: TrustError.self) { try CertificateChain(reading: [longer]) }
            }
        }
    }

    @Test("Mutated PEM texts are read or refused")
    func texts() throws {
        let texts = try ["leaf", "root", "self-san", "strange"].map { try Fixture.pem($0) }
        var mutation = Mutation(seed: 11)
        var readable = 0
        for _ in 0..<2_000 {
            let text = mutation.pick(texts) + mutation.pick(texts)
            let mutant = mutation.apply(to: text, others: texts)
            do {
                let chain = try CertificateChain(reading: [mutant])
                readable += 1
                #expect((1...2).contains(chain.count))
                for certificate in chain.descriptions {
                    #expect(BoundedText.violations(in: certificate, isLeaf: true).isEmpty)
                }
                #expect(try PinSet(certificates: [mutant]).certificates == Set(chain.encodings))
            } catch {
                #expect(error.code == .noCertificate || error.code == .malformedCertificate)
                #expect(throws: error) { try PinSet(certificates: [mutant]) }
            }
        }
        #expect(readable > 200)
    }

    @Test("Mutated digests are pins of 32 bytes or refused")
    func digests() throws {
        let texts = try Fixture.names().flatMap { try Fixture.pins($0).publicKeys.map { Array("\($0)".utf8) } }
        var mutation = Mutation(seed: 12)
        for _ in 0..<2_000 {
            let mutant = String(decoding: mutation.apply(to: mutation.pick(texts), others: texts), as: UTF8.self)
            guard let pins = try? PinSet([mutant]) else { continue }
            #expect(mutant.hasPrefix("sha256/"))
            #expect(pins.count == 1)
            #expect(pins.publicKeys.allSatisfy { $0.bytes.count == 32 })
        }
    }

    @Test("Mutated archives are policies or refused (S6)")
    func archives() throws {
        let archive = try [UInt8](JSONEncoder().encode(makePolicy(.publicKey, pins: Fixture.pins("leaf", "root"))))
        var mutation = Mutation(seed: 13)
        for _ in 0..<500 {
            let mutant = mutation.apply(to: archive, others: [archive])
            guard let policy = try? JSONDecoder().decode(SecurityPolicy.self, from: Data(mutant)) else { continue }
            #expect(policy.pins.count <= 2)
        }
    }

    /// A policy with its anchors.
    private struct Judge {
        let number: Int
        let policy: SecurityPolicy
        private let anchors: TrustAnchors

        func evaluate(_ chain: CertificateChain) throws -> TrustVerdict {
            try policy.evaluate(chain, domain: "good.test", at: Fixture.time, anchors: anchors)
        }

        /// Every way to decide; those that accept everybody (T7, T8) are not among them.
        static func all() throws -> [Judge] {
            let pins = try Fixture.pins("leaf", "intermediate", "self-san")
            var policies: [SecurityPolicy] = []
            for row in ContractTable.rows where row.hasPins && row.description != "T8" {
                policies.append(try row.policy(pins: pins, compatibility: .strict))
            }
            policies.append(try ContractTable.rows[13].policy(pins: pins, compatibility: .afnetworking))
            let anchors = try Fixture.anchors("root")
            return policies.enumerated().map { Judge(number: $0.offset, policy: $0.element, anchors: anchors) }
        }
    }
}
