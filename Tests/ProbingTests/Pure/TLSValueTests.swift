// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO
import ServerTrust
import Testing

@testable import Probing

@Suite struct TLSValueTests {
    @Test("Bytes from peers are escaped and truncated") func printable() {
        #expect(PrintableBytes.quote("a\"\\\r\n\u{1b}é".utf8) == #""a\"\\\r\n\x1b\xc3\xa9""#)
        #expect(PrintableBytes.quote([UInt8](repeating: 0x61, count: 65)).hasSuffix("a\"…"))
        #expect(PrintableBytes.escape("a\\b\u{7f}".utf8, limit: 99) == #"a\\b\x7f"#)
        #expect(PrintableBytes.escape("a\\b".utf8, limit: 99, keepingBackslash: true) == #"a\b"#)
        #expect(PrintableBytes.escape("abc\u{0}".utf8, limit: 6) == "abc…")
        #expect(PrintableBytes.escape("abc\u{0}".utf8, limit: 7) == #"abc\x00"#)
        #expect(PrintableBytes.hexadecimal([0, 255, 16]) == "00ff10")
    }

    @Test("Each fault has a reason and an alert of its own, but for those that mean the same to a probe") func faults()
    {
        let reasons = TrustFault.Code.allCases.map(\.reason)
        #expect(Set(reasons).count == reasons.count - 2)
        for code in TrustFault.Code.allCases {
            let faults = [TrustFault(code, words: "")]
            let predicates = TrustPredicates(isValid: false, matchesDomain: nil)
            let verdict = TrustVerdict(isAccepted: false, predicates: predicates, faults: faults, checkedAt: 0)
            #expect(verdict.alertCode > 0)
            #expect(verdict.probeFault?.reason == code.reason)
        }
    }

    @Test("Names: the settings', otherwise the target's") func names() throws {
        let address = try #require(IPAddress("192.0.2.1"))
        func name(_ override: String?, _ host: ProbeHost) throws -> TLSPeerName {
            try TLSPeerName(TLSSettings(serverName: override), host: host)
        }
        #expect(try name(nil, .name("a.test.")).domain == "a.test")
        #expect(try name(nil, .address(address)).domain == "192.0.2.1")
        #expect(try name("b.test", .address(address)).serverName == "b.test")
        #expect(try name("192.0.2.1", .name("a.test")).domain == "192.0.2.1")
        #expect(try name("192.0.2.1", .name("a.test")).serverName == nil)
        let both = try TLSPeerName(TLSSettings(serverName: "a.test", verifiedName: "b.test."), host: .address(address))
        #expect(both.serverName == "a.test" && both.domain == "b.test")
        for bad in ["", ".", "a b", "a\u{0}b", "é", String(repeating: "a", count: 254)] {
            #expect(throws: ProbeFault.self, "\(bad)") { try name(bad, .address(address)) }
        }
    }

    @Test("Runs of equal settings share a context until a file changes") func contexts() throws {
        let certificates = try TestCertificates()
        let contexts = TLSContextCache()
        var settings = TLSSettings(authorityFile: certificates["ca"])
        let first = try contexts.context(for: settings)
        settings.serverName = "other.test"
        #expect(try contexts.context(for: settings) === first)
        settings.maximumVersion = .tls12
        let second = try contexts.context(for: settings)
        #expect(second !== first)
        settings.certificateFile = certificates["client"]
        settings.keyFile = certificates.key("client")
        let third = try contexts.context(for: settings)
        #expect(try contexts.context(for: settings) === third)
        try certificates.shell("cat client.pem ca.pem > new.pem; mv new.pem client.pem")
        let fourth = try contexts.context(for: settings)
        #expect(fourth !== third)
        for number in 0..<300 { _ = try contexts.context(for: TLSSettings(applicationProtocols: ["p\(number)"])) }
        #expect(try contexts.context(for: settings) !== fourth)
    }

    @Test("Runs with equal policies share their verdicts until the authorities change") func evaluators() throws {
        let certificates = try TestCertificates()
        let contexts = TLSContextCache()
        var settings = TLSSettings(authorityFile: certificates["ca"])
        let first = try contexts.evaluator(for: settings)
        settings.serverName = "other.test"
        #expect(try contexts.evaluator(for: settings) === first)
        settings.policy = .permissive
        #expect(try contexts.evaluator(for: settings) !== first)
        settings.policy = .default
        try certificates.shell("cat own.pem ca.pem > new.pem; mv new.pem ca.pem")
        #expect(try contexts.evaluator(for: settings) !== first)
    }
}
