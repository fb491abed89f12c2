// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths
import Testing

@testable import Probing

@Suite struct TLSValueTests {
    @Test("Bytes of strangers are escaped and cut") func printable() {
        #expect(PrintableBytes.quote("a\"\\\r\n\u{1b}é".utf8) == #""a\"\\\r\n\x1b\xc3\xa9""#)
        #expect(PrintableBytes.quote([UInt8](repeating: 0x61, count: 65)).hasSuffix("a\"…"))
        #expect(PrintableBytes.escape("a\\b\u{7f}".utf8, limit: 99) == #"a\\b\x7f"#)
        #expect(PrintableBytes.escape("a\\b".utf8, limit: 99, keepingBackslash: true) == #"a\b"#)
        #expect(PrintableBytes.escape("abc\u{0}".utf8, limit: 6) == "abc…")
        #expect(PrintableBytes.escape("abc\u{0}".utf8, limit: 7) == #"abc\x00"#)
        #expect(PrintableBytes.hexadecimal([0, 255, 16]) == "00ff10")
    }

    @Test("The weightiest problem comes first, and each kind has a reason of its own") func problems() {
        let codes: [Int32] = [26, 21, 20, 18, 62, 9, 10]
        let kinds: [TLSProblem.Kind] = [
            .expired, .notYetValid, .nameMismatch, .selfSigned, .unknownAuthority, .unknownAuthority, .other,
        ]
        #expect(codes.map { TLSProblem(code: $0, depth: 0) }.sorted().map(\.kind) == kinds)
        #expect(Set(TLSProblem.Kind.allCases.map(\.reason)).count == TLSProblem.Kind.allCases.count)
        #expect(TLSProblem(code: 10, depth: 0) < TLSProblem(code: 10, depth: 1))
        for code in -1...120 as ClosedRange<Int32> { #expect(!TLSProblem(code: code, depth: 0).words.isEmpty) }
    }

    @Test("Names: the settings', otherwise the target's") func names() throws {
        let address = try #require(IPAddress("192.0.2.1"))
        func name(_ override: String?, _ host: ProbeHost) throws -> TLSPeerName {
            try TLSPeerName(TLSSettings(serverName: override), host: host)
        }
        #expect(try name(nil, .name("a.test.")) == .host("a.test"))
        #expect(try name(nil, .address(address)) == .address(address))
        #expect(try name("b.test", .address(address)).serverName == "b.test")
        #expect(try name("192.0.2.1", .name("a.test")) == .address(address))
        #expect(try name("192.0.2.1", .name("a.test")).serverName == nil)
        for bad in ["", ".", "a b", "a\u{0}b", "é", String(repeating: "a", count: 254)] {
            #expect(throws: ProbeFault.self, "\(bad)") { try name(bad, .address(address)) }
        }
    }

    func verdict(_ validity: Range<Int64>, names: Int = 0) -> TLSVerdict {
        let certificate = TLSCertificate(
            subject: "",
            issuer: "",
            serialNumber: "",
            fingerprint: "",
            publicKeyDigest: "",
            names: Array(repeating: String(repeating: "n", count: 200), count: names)
        )
        return TLSVerdict(
            report: TLSReport(version: "", chain: [certificate], checkedAt: 0),
            code: 0,
            validity: validity
        )
    }

    @Test("Verdicts hold for their time, and take bounded room") func cache() {
        func key(_ number: Int) -> TLSVerdictCache.Key {
            TLSVerdictCache.Key(chain: ChainDigest([UInt8(number >> 8), UInt8(number & 255)]), name: .host("a"))
        }
        var cache = TLSVerdictCache()
        cache.insert(verdict(10..<20), for: key(0))
        #expect(cache[key(0), 9] == nil && cache[key(0), 20] == nil && cache[key(1), 10] == nil)
        #expect(cache[key(0), 10] != nil && cache[key(0), 19] != nil)
        for number in 0..<5_000 { cache.insert(verdict(0..<9, names: 100), for: key(number)) }
        let kept = (0..<5_000).count { cache[key($0), 1] != nil }
        #expect((100..<1_000).contains(kept))
    }

    @Test("Runs of equal settings share a context until a file changes") func contexts() throws {
        let certificates = try TestCertificates()
        let contexts = TLSContextCache()
        var settings = TLSSettings(authorityFile: certificates["ca"])
        let first = try contexts.context(for: settings)
        settings.serverName = "other.test"
        settings.skipsVerification = true
        #expect(try contexts.context(for: settings) === first)
        settings.maximumVersion = .tls12
        let second = try contexts.context(for: settings)
        #expect(second !== first && second.authorities === first.authorities)
        try certificates.shell("cat own.pem ca.pem > new.pem; mv new.pem ca.pem")
        let third = try contexts.context(for: settings)
        #expect(third !== second && third.authorities !== second.authorities)
        #expect(try contexts.context(for: settings) === third)
        for number in 0..<300 { _ = try contexts.context(for: TLSSettings(applicationProtocols: ["p\(number)"])) }
        #expect(try contexts.context(for: settings) !== third)
    }
}
