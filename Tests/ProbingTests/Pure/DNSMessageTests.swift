// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@testable import Probing

@Suite(.timeLimit(.minutes(15))) struct DNSMessageTests {
    func question(_ type: DNSRecordType = .a, _ name: String = "Example.test") throws -> DNSQuestion {
        try #require(DNSQuestion(id: 0x1234, name: name, type: type, recordClass: 1, recursionDesired: true))
    }

    func parse(_ type: DNSRecordType, _ data: [UInt8]) throws -> DNSMessage.Outcome {
        let question = try question(type)
        return DNSMessage.parse(DNSBytes.answer(question.bytes, [DNSBytes.record(type, data)]), for: question)
    }

    @Test func questionBytes() throws {
        let wire: [UInt8] =
            [0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 7] + Array("Example".utf8) + [4] + Array("test".utf8)
            + [0, 0, 1, 0, 1]
        #expect(try question().bytes == wire)
    }

    @Test(arguments: ["a..b", ".a", String(repeating: "a", count: 64), String(repeating: "abc.", count: 64) + "a"])
    func badNames(_ name: String) {
        #expect(DNSQuestion(id: 1, name: name, type: .a, recordClass: 1, recursionDesired: true) == nil)
    }

    @Test func root() throws {
        #expect(try question(.ns, ".").name == [0])
        #expect(try question(.ns, "").name == [0])
        #expect(try question(.a, "a.").name == [1, 0x61, 0])
    }

    @Test(arguments: [
        (DNSRecordType.a, [192, 0, 2, 1], "192.0.2.1"),
        (.aaaa, [0x20, 1, 0xD, 0xB8] + [UInt8](repeating: 0, count: 11) + [1], "2001:db8::1"),
        (.cname, DNSBytes.name("b.test"), "b.test."), (.ns, [2, 0x6E, 0x73, 0xC0, 12], "ns.Example.test."),
        (.ptr, [0], "."), (.mx, [0, 10] + DNSBytes.name("m.test"), "10 m.test."),
        (.txt, [2, 0x68, 0x69, 1, 0x22], "hi\""), (.txt, [1, 7], "\\007"),
        (.srv, [0, 1, 0, 2, 0, 80] + DNSBytes.name("s.test"), "1 2 80 s.test."),
        (
            .soa,
            DNSBytes.name("a.test") + DNSBytes.name("b.test") + [0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4]
                + [0, 0, 0, 5],
            "a.test. b.test. 1 2 3 4 5"
        ), (DNSRecordType(rawValue: 99), [10, 255], "\\# 2 0aff"),
    ])
    func records(_ row: (type: DNSRecordType, data: [UInt8], text: String)) throws {
        guard case .answer(let answer) = try parse(row.type, row.data) else {
            Issue.record("not an answer")
            return
        }
        #expect(answer.answers == [DNSRecord(name: "Example.test.", type: row.type, timeToLive: 60, data: row.text)])
        #expect(answer.timeToLive == 60)
    }

    /// Rows apart from the others, and with their type: the compiler takes long for sums of arrays.
    private static let keyRecords: [(DNSRecordType, [UInt8], String)] = [
        (.caa, bytes([0, 5], "issueca.example"), #"0 issue "ca.example""#),
        (.caa, bytes([128, 5], "iodef\""), #"128 iodef "\034""#),
        (.ds, [0xEC, 0x45, 13, 2, 0xAB, 0xCD], "60485 13 2 ABCD"),
        (.dnskey, [1, 1, 3, 13, 1, 2, 3], "257 3 13 AQID"),
        (.tlsa, [3, 1, 1, 0xAB], "3 1 1 AB"),
        (.sshfp, [4, 2, 0x12], "4 2 12"),
        (.naptr, bytes([0, 100, 0, 10, 1, 0x55, 7], "E2U+sip", [3], "!a!", [0]), #"100 10 "U" "E2U+sip" "!a!" ."#),
        (.https, [0, 0, 1, 0x61, 0], "0 a."),
        (.https, [0, 1, 0, 0, 0, 0, 4, 0, 1, 0, 4], "1 . mandatory=alpn,ipv4hint"),
        (
            .https, [0, 1, 0, 0, 1, 0, 6, 2, 0x68, 0x32, 2, 0x68, 0x33, 0, 2, 0, 0],
            #"1 . alpn="h2,h3" no-default-alpn"#
        ),
        (.https, [0, 1, 0, 0, 3, 0, 2, 1, 0xBB, 0, 5, 0, 3, 1, 2, 3], "1 . port=443 ech=AQID"),
        (.https, [0, 1, 0, 0, 4, 0, 8, 192, 0, 2, 1, 192, 0, 2, 2], "1 . ipv4hint=192.0.2.1,192.0.2.2"),
        (.svcb, [0, 1, 0, 0, 6, 0, 16] + [UInt8](repeating: 0, count: 16), "1 . ipv6hint=::"),
        (.svcb, [0, 1, 0, 0xFF, 0, 0, 1, 0x61], #"1 . key65280="a""#),
    ]

    private static func bytes(
        _ before: [UInt8],
        _ text: String,
        _ between: [UInt8] = [],
        _ more: String = "",
        _ end: [UInt8] = []
    ) -> [UInt8] {
        before + Array(text.utf8) + between + Array(more.utf8) + end
    }

    @Test("Keys, certificates and services as in a zone file", arguments: keyRecords)
    func keys(_ row: (type: DNSRecordType, data: [UInt8], text: String)) throws {
        guard case .answer(let answer) = try parse(row.type, row.data) else {
            Issue.record("not an answer")
            return
        }
        #expect(answer.answers.map(\.data) == [row.text])
        for size in 0..<row.data.count where row.data.count < 8 {
            // Whatever is cut off, reading ends.
            _ = try parse(row.type, Array(row.data.prefix(size)))
        }
    }

    @Test(
        "Data that are too short, too long or point forwards",
        arguments: [
            (DNSRecordType.a, [192, 0, 2]), (.a, [192, 0, 2, 1, 9]), (.aaaa, [1]), (.cname, [0xC0, 200]), (.mx, [0]),
            (.cname, [5, 0x61]), (.txt, [9, 1]),
            (.soa, [0, 0, 0]), (.ns, [0x80, 0]), (.ns, [0xC0]),
        ]
    )
    func malformed(_ row: (type: DNSRecordType, data: [UInt8])) throws {
        guard case .malformed = try parse(row.type, row.data) else {
            Issue.record("read")
            return
        }
    }

    @Test(
        "Malformed keys, certificates and services",
        arguments: [
            (.caa, [0]), (.caa, [0, 9, 1]), (.ds, [0, 1, 2]), (.dnskey, [0]), (.tlsa, [1, 2]), (.sshfp, [1]),
            (.naptr, [0, 1, 0, 2, 1]), (.https, [0, 1]), (.https, [0, 1, 0, 0, 1]),
            (.svcb, [0, 1, 0, 0, 4, 0, 3, 1, 2, 3]),
        ] as [(DNSRecordType, [UInt8])]
    )
    func malformedKeys(_ row: (type: DNSRecordType, data: [UInt8])) throws { try malformed(row) }

    @Test func notForUs() throws {
        let question = try question()
        let good = DNSBytes.answer(question.bytes, [])
        guard case .answer = DNSMessage.parse(good, for: question) else {
            Issue.record("the good one is not read")
            return
        }
        var otherID = good
        otherID[0] ^= 1
        var otherName = good
        otherName[14] = 0x7A
        var noAnswer = good
        noAnswer[2] &= 0x7F
        var otherType = good
        otherType[good.count - 3] = 28
        for bytes in [otherID, otherName, noAnswer, otherType, [], Array(good[..<8])] {
            #expect(DNSMessage.parse(bytes, for: question) == .forAnotherQuestion)
        }
        #expect(
            DNSMessage.parse(DNSBytes.answer(question.bytes, [], flags: 0x83), for: question) == .truncated
        )
    }

    @Test("A pointer to itself, and a ring of pointers, end") func loops() throws {
        let question = try question()
        let start = UInt8(question.bytes.count)
        for name in [[0xC0, start], [1, 0x61, 0xC0, start]] as [[UInt8]] {
            let record = name + [0, 1, 0, 1, 0, 0, 0, 0, 0, 0]
            let bytes = DNSBytes.answer(question.bytes, [record])
            guard case .malformed = DNSMessage.parse(bytes, for: question) else {
                Issue.record("read")
                return
            }
        }
    }

    @Test("Sixty-five thousand records: 256 are kept") func many() throws {
        let question = try question()
        let record = DNSBytes.record(.a, [192, 0, 2, 1])
        let bytes = DNSBytes.answer(question.bytes, [[UInt8]](repeating: record, count: 4_000))
        guard case .answer(let answer) = DNSMessage.parse(bytes, for: question) else {
            Issue.record("not read")
            return
        }
        #expect(answer.answers.count == 256)
    }

    @Test("Whatever the bytes, reading ends") func fuzz() throws {
        var generator = SeededGenerator(seed: 3)
        let question = try question(.mx)
        let good = DNSBytes.answer(
            question.bytes,
            [
                DNSBytes.record(.mx, [0, 10] + DNSBytes.name("m.test")), DNSBytes.record(.txt, [3, 1, 2, 3]),
                DNSBytes.record(.soa, [0, 0] + [UInt8](repeating: 1, count: 20)),
            ]
        )
        var answers = 0
        for _ in 0..<20_000 {
            var bytes = good
            for _ in 0..<Int.random(in: 0..<6, using: &generator) {
                let at = Int.random(in: 12..<bytes.count, using: &generator)
                bytes[at] = UInt8.random(in: 0...255, using: &generator)
            }
            if Bool.random(using: &generator) {
                bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator)))
            }
            if case .answer(let answer) = DNSMessage.parse(bytes, for: question) {
                answers += 1
                #expect(answer.answers.count <= 256)
            }
        }
        #expect(answers > 100)
    }

    @Test func names() {
        #expect(DNSRecordType(name: "mx") == .mx)
        #expect(DNSRecordType(name: "TYPE65") == .https)
        let names = ["caa", "DS", "DNSKEY", "TLSA", "HTTPS", "SVCB", "SSHFP", "NAPTR"]
        #expect(names.map { DNSRecordType(name: $0)?.rawValue } == [257, 43, 48, 52, 65, 64, 44, 35])
        #expect(DNSRecordType(name: "nonsense") == nil)
        #expect(DNSResponseCode(name: "nxdomain") == .nameError)
        #expect(DNSResponseCode(rawValue: 14).description == "RCODE14")
    }

    @Test("Expectations") func expectations() throws {
        func answer(_ code: DNSResponseCode, _ data: [String]) -> DNSAnswer {
            DNSAnswer(
                code: code,
                isAuthoritative: false,
                answers: data.map { DNSRecord(name: "a.", type: .a, timeToLive: 1, data: $0) },
                timeToLive: nil,
                authorityCount: 0,
                additionalCount: 0
            )
        }
        var settings = DNSProbeSettings(name: "a")
        #expect(DNSExpectation.fault(in: answer(.noError, ["192.0.2.1"]), for: settings) == nil)
        #expect(DNSExpectation.fault(in: answer(.noError, []), for: settings)?.reason == .unexpectedAnswer)
        #expect(DNSExpectation.fault(in: answer(.nameError, []), for: settings)?.reason == .unexpectedResponseCode)
        settings.expectedCodes = [.nameError]
        #expect(DNSExpectation.fault(in: answer(.nameError, []), for: settings) == nil)
        settings = DNSProbeSettings(name: "a", requiredAnswers: [try ProbePattern(#"^192\.0\.2\.1$"#)])
        #expect(DNSExpectation.fault(in: answer(.noError, ["192.0.2.1"]), for: settings) == nil)
        #expect(DNSExpectation.fault(in: answer(.noError, ["192.0.2.11"]), for: settings)?.reason == .unexpectedAnswer)
        settings = DNSProbeSettings(name: "a", refusedAnswers: [try ProbePattern("^10[.]")])
        #expect(DNSExpectation.fault(in: answer(.noError, ["10.0.0.1"]), for: settings)?.reason == .unexpectedAnswer)
        settings = DNSProbeSettings(name: "a", requiresAuthority: true)
        #expect(DNSExpectation.fault(in: answer(.noError, ["192.0.2.1"]), for: settings)?.reason == .unexpectedAnswer)
    }
}
