// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Testing

@testable import ServerTrust

/// Whom a certificate is for (S23).
@Suite("Names (S23)")
struct NameTests {
    private func matches(_ name: String, _ domain: String, _ policy: SecurityPolicy = .default) throws -> Bool? {
        let verdict = try judge([name, "intermediate"], policy, for: domain)
        #expect(verdict.isAccepted == (verdict.predicates.matchesDomain == true))
        #expect(verdict.isAccepted || verdict.codes.contains(.hostnameMismatch))
        return verdict.predicates.matchesDomain
    }

    @Test(
        "S23: names as they are, in any case, with a dot at the reference's end",
        arguments: ["good.test", "GOOD.test", "Www.Good.Test", "good.test.", "localhost", "LOCALHOST."]
    )
    func exact(domain: String) throws {
        #expect(try matches("leaf", domain) == true)
    }

    @Test(
        "S23: other names are not matched",
        arguments: [
            "evil.test", "a.good.test", "ood.test", "good.tes", "good.test.evil.test", "good.test..", ".good.test",
            ".test", "test", "", ".", "*.good.test", "good.test\0", "good.test\0.evil.test", "good.test ", " good.test",
            "good.test:443", "https://good.test", "gööd.test", "good.test\u{200B}", "good\n.test",
            String(repeating: "a.", count: 200) + "good.test", String(repeating: "a", count: 100_000),
        ]
    )
    func others(domain: String) throws {
        #expect(try matches("leaf", domain) == false)
    }

    @Test(
        "S23: a star is the whole left-most label and one label only",
        arguments: [
            ("a.wild.test", true), ("A.WILD.TEST", true), ("a.wild.test.", true), ("xn--a.wild.test", true),
            ("wild.test", false), ("a.b.wild.test", false), (".wild.test", false), ("*.wild.test", false),
        ]
    )
    func wildcard(domain: String, isMatch: Bool) throws {
        #expect(try matches("wildcard", domain) == isMatch)
    }

    @Test("S23: a star needs three labels in its name")
    func twoLabels() throws {
        #expect(try matches("wildcard", "anything.test") == false)
    }

    @Test("S23: a star directly below a registry's name is none")
    func registry() throws {
        #expect(try matches("wildcard", "shop.co.uk") == false)
        #expect(try matches("wildcard", "SHOP.CO.UK") == false)
    }

    @Test("S23: a part of a label is not a wildcard")
    func partialStar() throws {
        for domain in ["foo.part.test", "f.part.test", "f*.part.test", "fa.part.test"] {
            #expect(try matches("wildcard", domain) == false)
        }
    }

    @Test("S23: a host's own name counts beside a star that does not")
    func ownNameBesideRefusedStar() throws {
        // The signature is spoiled by that, the names are what they are.
        let bytes = try Fixture.der("wildcard").replacing(Array("f*.part.test".utf8), with: Array("stores.co.uk".utf8))
        let chain = try CertificateChain(reading: [bytes])
        let names = try #require(chain.descriptions.first?.names)
        #expect(names == ["*.wild.test", "*.co.uk", "*.test", "stores.co.uk"])
        let anchors = try Fixture.anchors("root")
        for (domain, isMatch) in [("stores.co.uk", true), ("Stores.CO.uk.", true), ("shop.co.uk", false)] {
            let verdict = try SecurityPolicy.default.evaluate(chain, domain: domain, at: Fixture.time, anchors: anchors)
            #expect(verdict.predicates.matchesDomain == isMatch, "\(domain)")
        }
    }

    @Test(
        "S23: an address is compared with addresses, however it is written",
        arguments: [
            "127.0.0.1", "::1", "[::1]", "0:0:0:0:0:0:0:1", "0000::0001", "[0::1]", "::1%lo",
        ]
    )
    func addresses(domain: String) throws {
        #expect(try matches("leaf", domain) == true)
        #expect(try matches("ip-only", domain) == true)
        #expect(try matches("two-names", domain) == false)
    }

    @Test(
        "S23: other addresses, and invalid ones",
        arguments: ["127.0.0.2", "::2", "127.1", "0x7f.0.0.1", "127.0.0.1.", "127.0.0.01", "::ffff:127.0.0.1", "[]"]
    )
    func otherAddresses(domain: String) throws {
        #expect(try matches("ip-only", domain) == false)
    }

    @Test("S23: a name is not compared with addresses, nor an address with names or common names")
    func kinds() throws {
        #expect(try matches("ip-only", "localhost") == false)
        #expect(try matches("cn-only", "127.0.0.1", makePolicy { $0.allowsCommonName = true }) == false)
    }

    @Test("S23: the common name is not a host name unless allowed, and then it is reported")
    func commonName() throws {
        let allowing = try makePolicy { $0.allowsCommonName = true }
        #expect(try matches("cn-only", "good.test") == false)
        #expect(try matches("cn-only", "good.test", allowing) == true)
        #expect(try matches("cn-only", "evil.test", allowing) == false)
        #expect(try judge(["cn-only", "intermediate"], allowing).warnings == [.commonNameUsed])
        #expect(try judge(["self-cn"], allowing, anchors: ["self-cn"]).isAccepted)
        #expect(try !judge(["self-cn"], anchors: ["self-cn"]).isAccepted)
        // With names of hosts in it, a common name is none even so.
        #expect(try matches("two-names", "two-names", allowing) == false)
        #expect(try judge(["leaf", "intermediate"], allowing).warnings.isEmpty)
        // With addresses alone in it, it is one.
        #expect(try matches("ip-only", "ip-only", allowing) == true)
    }

    @Test("S23: a name with a NUL in it is not a name, least of all the part before it")
    func nulName() throws {
        for domain in ["good.test", "evil.test", "good.test\0.evil.test", "good.test.evil.test"] {
            #expect(try matches("nul-name", domain) == false)
        }
        #expect(try Fixture.certificate("nul-name").names == ["good.test\\x00.evil.test"])
    }

    @Test("S23: what a certificate names instead of the requested name")
    func mismatch() throws {
        #expect(
            try judge(["cn-only", "intermediate"]).firstFault?.words == "the certificate names no host, not good.test"
        )
        let words = TrustEvaluation.mismatch(of: ["a.test", "192.0.2.1"], with: "192.0.2.1")
        #expect(words == "the certificate has 192.0.2.1 as a host name, not as an address")
        #expect(
            TrustEvaluation.mismatch(of: ["192.0.2.2"], with: "a.test")
                == "the certificate is for 192.0.2.2, not a.test"
        )
    }

    @Test("S23: the requested name is reported as printable text of limited length")
    func words() throws {
        let escape = try judge(["two-names", "intermediate"], for: "a\u{1B}[31m\nb")
        #expect(escape.firstFault?.words == "the certificate is for one.test, two.test, not a\\x1b[31m\\nb")
        let long = String(repeating: "e\u{301}\u{302}", count: 10_000)
        #expect(try BoundedText.violations(in: judge(["leaf", "intermediate"], for: long)).isEmpty)
        #expect(try BoundedText.violations(in: judge(["strange", "intermediate"], for: long)).isEmpty)
    }

    @Test("S23: without a domain nothing is compared")
    func noDomain() throws {
        let verdict = try judge(["two-names", "intermediate"], for: nil)
        #expect(verdict.isAccepted)
        #expect(verdict.predicates.matchesDomain == nil)
    }

    @Test("S23: names are compared and reported where they do not count, too")
    func unvalidated() throws {
        let policy = try makePolicy { $0.validatesDomainName = false }
        let verdict = try judge(["leaf", "intermediate"], policy, for: "evil.test")
        #expect(verdict.isAccepted)
        #expect(verdict.predicates.matchesDomain == false)
        #expect(verdict.toleratedCodes == [.hostnameMismatch])
    }

    @Test("S23: all of many names count, not only the reported ones")
    func manyNames() throws {
        for index in [1, 100, 101, 200] { #expect(try matches("strange", "host\(index).good.test") == true) }
        #expect(try matches("strange", "host201.good.test") == false)
        let verdict = try judge(["strange", "intermediate"], for: "host1.good.test")
        #expect(verdict.sentChain.first?.names.count == 100)
        #expect(verdict.sentChain.first?.nameCount == 200)
    }
}
