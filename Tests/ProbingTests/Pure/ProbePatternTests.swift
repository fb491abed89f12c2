// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@testable import Probing

@Suite(.timeLimit(.minutes(1))) struct ProbePatternTests {
    @Test(arguments: [
        ("hello", "say hello now", true), ("^220 ", "220 mail", true), ("^220 ", "x220 mail", false),
        ("^250 done", "220 a\r\n250 done", true), (#"^\d+ OK\r?$"#, "12 OK\r\n", true), (#"\d"#, "d", false),
        (#"\D"#, "5", false), ("(?i)esmtp", "ESMTP", true), ("esmtp", "ESMTP", false),
        (#"(?:ab)+c"#, "xababc", true), (#"[\d.]+"#, "1.2", true), (#"[\\]"#, #"a\b"#, true), ("", "", true),
        ("", "x", true), ("a|^b", "xb", false), ("a|^b", "b", true), (#"\bword\b"#, "a word b", true),
        ("a.c", "a\nc", false), ("[]x]", "]", true), ("[[:digit:]]", "7", true), ("^$", "", true),
        (#"\."#, "x", false), ("x{2,3}", "axx", true), ("^(a{50}){50}$", String(repeating: "a", count: 2_500), true),
        (#"[^\s]"#, " \t", false),
    ])
    func matching(_ row: (pattern: String, text: String, matches: Bool)) throws {
        #expect(try ProbePattern(row.pattern).matches(row.text) == row.matches)
    }

    @Test(arguments: [
        "(", "[a", #"(a)\1"#, "(?=a)", "(?<n>a)", #"a\"#, "a{3,1}", "((a{200}){200}){200}", "(a{1,300}){1,300}",
        #"[\q]"#, #"\p"#, "a\u{0}b",
        String(repeating: "a", count: 4_097),
    ])
    func refused(_ pattern: String) {
        #expect(throws: ProbePatternError.self) { try ProbePattern(pattern) }
    }

    @Test func zeroBytesAreBytes() throws {
        #expect(try ProbePattern("b$").matches([0x61, 0, 0x62]))
    }

    @Test("Sixty-four kilobytes for which backtracking would take for ever", .timeLimit(.minutes(1)))
    func hostileText() throws {
        let text = [UInt8](repeating: 0x61, count: 64 << 10) + [0x62]
        for pattern in ["(a+)+$", "(a|aa)+c", "(a*)*c", "a*c", "^(a+)+c"] {
            #expect(try !ProbePattern(pattern).matches(text), "\(pattern)")
        }
    }

    @Test func equality() throws {
        #expect(try ProbePattern("a") == ProbePattern("a"))
        #expect(try ProbePattern("a") != ProbePattern("b"))
        #expect(try Set([ProbePattern("a"), ProbePattern("a")]).count == 1)
    }

    @Test("Whatever the text, compiling it ends with a pattern or an error")
    func fuzz() {
        var generator = SeededGenerator(seed: 7)
        let alphabet = Array(#"ab1\\dwstn[]^-(){}?:*+.|$,:=\#n "#)
        for _ in 0..<5_000 {
            let count = Int.random(in: 0..<12, using: &generator)
            let text = String((0..<count).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] })
            _ = try? ProbePattern(text).matches("aab1 \n")
        }
    }
}
