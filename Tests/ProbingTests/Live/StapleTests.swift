// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL
import LinuxIO
import TestSupport
import Testing

@testable import Probing
@testable import ServerTrust

/// What servers staple, without a handshake.
@Suite struct StapleTests {
    let chain: CertificateChain
    let good: [UInt8]
    let revoked: [UInt8]

    init() throws {
        chain = try CertificateChain(files: ["leaf", "intermediate"].map { CertificateFixture.path($0) })
        good = try FileContents.read("\(CertificateFixture.folder)ocsp-good.der", limit: 1 << 16)
        revoked = try FileContents.read("\(CertificateFixture.folder)ocsp-revoked.der", limit: 1 << 16)
    }

    func read(_ bytes: [UInt8]) -> StapledResponse? {
        unsafe StapledResponse(reachd_tls_read_response(bytes, bytes.count, chain.certificates))
    }

    @Test("Facts of a response") func responses() {
        #expect(read(good)?.status == .good && read(good)?.revokedAt == nil)
        #expect(
            read(revoked)
                == StapledResponse(
                    status: .revoked,
                    thisUpdate: 1_735_689_600,
                    nextUpdate: 4_891_363_200,
                    revokedAt: 1_751_328_000
                )
        )
        // RFC 6960, section 4.2.1: an answer of `tryLater` has nothing else.
        #expect(read([0x30, 0x03, 0x0A, 0x01, 0x03])?.status == .unusable)
        for bytes in [[], [0x30], Array(good.dropLast())] { #expect(read(bytes)?.status == .unusable) }
    }

    @Test("10,000 damaged responses are read or not, and never harm") func damaged() {
        var random = SeededGenerator(seed: 6_960)
        for _ in 0..<10_000 {
            var bytes = Bool.random(using: &random) ? good : revoked
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.removeSubrange(place..<min(place + 3, bytes.count - 1))
                default: bytes.insert(contentsOf: bytes.prefix(5), at: place)
                }
            }
            let response = read(bytes)
            #expect(response != nil)
        }
    }
}
