// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import ServerTrust
import Testing

@Suite("Differences between certificates")
struct CertificateChangeTests {
    private static let old = Certificate(
        subject: "CN=a.example",
        issuer: "CN=An authority",
        serialNumber: "01",
        fingerprint: "aa",
        publicKeyDigest: "bb",
        names: ["a.example", "b.example", "c.example"],
        notBefore: 1_000,
        notAfter: 2_000
    )

    private func change(_ edit: (inout Certificate) -> Void) throws -> CertificateChange {
        var new = Self.old
        new.fingerprint = "cc"
        edit(&new)
        return try #require(CertificateChange(from: Self.old, to: new))
    }

    @Test("the same fingerprint is not a change, whatever else differs")
    func same() {
        var new = Self.old
        new.issuer = "CN=Another"
        #expect(CertificateChange(from: Self.old, to: new) == nil)
    }

    @Test("each changed field is listed, the fingerprint always")
    func fields() throws {
        #expect(try change { _ in }.changed == [.fingerprint])
        #expect(try change { $0.publicKeyDigest = "dd" }.changed == [.fingerprint, .publicKey])
        #expect(try change { $0.issuer = "CN=Another" }.changed == [.fingerprint, .issuer])
        #expect(try change { $0.names = ["a.example"] }.changed == [.fingerprint, .names])
        #expect(try change { $0.notBefore = nil }.changed == [.fingerprint, .notBefore])
        #expect(try change { $0.notAfter = 3_000 }.changed == [.fingerprint, .notAfter])
        let all = try change {
            $0.publicKeyDigest = "dd"
            $0.issuer = "CN=Another"
            $0.names = []
            $0.notBefore = 1_500
            $0.notAfter = 3_000
        }
        #expect(all.changed == CertificateChange.Field.allCases)
        #expect(all.previous == Self.old && all.current.fingerprint == "cc")
    }

    @Test("added and removed names are listed once in order; a new order is not a change")
    func names() throws {
        let change = try change { $0.names = ["d.example", "b.example", "e.example", "d.example"] }
        #expect(change.namesAdded == ["d.example", "e.example"])
        #expect(change.namesRemoved == ["a.example", "c.example"])
        let turned = try self.change { $0.names.reverse() }
        #expect(turned.changed == [.fingerprint])
        #expect(turned.namesAdded.isEmpty && turned.namesRemoved.isEmpty)
    }

    @Test("names beyond the stored ones are counted")
    func manyNames() throws {
        let change = try change { $0.nameCount = 150 }
        #expect(change.changed == [.fingerprint, .names])
        #expect(change.namesAdded.isEmpty)
    }
}
