// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@testable import Probing

@Suite(.timeLimit(.minutes(15))) struct ProbePatternTests {
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

    /// What https://github.com/google/re2/wiki/Syntax says, row by row, as Go's regexp answers.
    @Test(
        "RE2's syntax means what it means in Go",
        arguments: [
            ("^+OK", "OK ready", true), ("^+OK", "+OK ready", false), (#"^\+OK"#, "+OK ready", true),
            ("^*OK", "xOK", true),
            ("^{2}OK", "xOK", false), ("a$+", "ba", true), ("a$*b", "ab", true), (#"\b+a"#, "ba", false),
            ("(^)+a", "ba", false),
            ("a*?b", "aab", true), ("a+?b", "b", false), ("a??b", "b", true), ("^a{2}?$", "aa", true),
            ("^a{2,}?$", "a", false),
            ("a{,2}b".replacing("{,2}", with: #"\{,2}"#), "a{,2}b", true), ("a{b", "a{b", true), ("a{}", "a{}", true),
            ("a}", "a}", true),
            ("a(?i)b", "aB", true), ("a(?i)b", "AB", false), ("(?i:a)b", "Ab", true), ("(?i:a)b", "AB", false),
            ("(?i)a(?-i)b", "Ab", true), ("(?i)a(?-i)b", "AB", false), ("(?i)[a-c]x", "BX", true),
            ("(?i)\u{E9}", "\u{C9}", true),
            ("(?s)a.c", "a\nc", true), ("(?s:a.)c.", "a\nc\n", false), ("(?U)a+b", "aab", true),
            ("(?im)^b", "a\nB", true),
            ("(?-m)^b", "a\nb", false), ("(?-m)a$", "a\nb", false), ("(?-m)b$", "a\nb", true),
            ("(?m)^b$", "a\nb", true),
            ("(?P<n>a)b", "ab", true), ("(?<n>a)b", "ab", true), (#"\Ab"#, "a\nb", false), (#"a\z"#, "a\nb", false),
            (#"b\z"#, "a\nb", true), (#"\Qa.b*\Ec"#, "a.b*c", true), (#"\Qa.b*\Ec"#, "axbc", false),
            (#"\Qa.b"#, "a.b", true),
            (#"\x41"#, "A", true), (#"\x{41}"#, "A", true), (#"\x{e9}"#, "\u{E9}", true),
            (#"^\x{1F600}+$"#, "\u{1F600}\u{1F600}", true),
            (#"\101"#, "A", true), (#"\a\f\v"#, "\u{7}\u{C}\u{B}", true), (#"\<a\>"#, "<a>", true),
            (#"\`a\'"#, "`a'", true),
            ("[[:word:]]", "_", true), ("[[:^word:]]", "_", false), ("[[:^word:]]", "-", true),
            ("[^[:alpha:]]", "a", false),
            ("[[:alpha:][:digit:]-]", "-", true), (#"[\D]"#, "5", false), (#"[\D]"#, "x", true), (#"[^\D]"#, "5", true),
            (#"[\w-]"#, "-", true), (#"[\]]"#, "]", true), (#"[\^a]"#, "^", true), ("[^^]", "^", false),
            ("[\\-a]", "-", true),
            ("[a-]", "-", true), ("[-a]", "-", true), (#"[\x41-\x43]"#, "B", true), ("[[:cntrl:]]", "\u{1}", true),
            ("[[:ascii:]]", "~", true), (#"[\s\S]"#, "\n", true), ("a[^b]c", "a\nc", true), (#"a\Wc"#, "a\nc", true),
            (#"a\Sc"#, "a\nc", false), (#"\s"#, "\u{B}", false), ("[\u{E9}x]y", "\u{E9}y", true), ("[[]", "[", true),
            (#"^\pL+$"#, "a\u{E9}\u{3B1}\u{4E2D}\u{20000}", true), (#"\pL"#, "5-\u{20AC}", false),
            (#"^\p{Lu}$"#, "\u{391}", true),
            (#"^\p{Lu}$"#, "\u{3B1}", false), (#"(?i)^\p{Lu}$"#, "\u{3B1}", true), (#"^\PN$"#, "\u{E9}", true),
            (#"\PN"#, "5", false),
            (#"^\P{N}$"#, "x", true), (#"^[\pL\pN_]+$"#, "\u{E9}9_", true), (#"^[^\pL]$"#, "\u{E9}", false),
            (#"^[^\pL]$"#, "\u{20AC}", true), (#"^[^\pL]$"#, "\n", true), (#"^\p{^L}$"#, "5", true),
            (#"^\pZ$"#, "\u{A0}", true),
            (#"^[\x{370}-\x{3FF}]+$"#, "\u{3B1}\u{3B2}", true), (#"[\x{370}-\x{3FF}]"#, "\u{E9}", false),
            ("^[\u{E0}-\u{FF}]$", "\u{E9}", true), ("^[^\u{E9}]$", "\u{E8}", true), ("[^\u{E9}]", "\u{E9}", false),
            (#"^\p{Any}$"#, "\u{10FFFF}", true), (#"\pL{2}"#, "a1b", false), (#"^\pL{2}$"#, "\u{E9}\u{E9}", true),
            ("[][^-]", "^", true), ("^\u{E9}{2}$", "\u{E9}\u{E9}", true), ("a||b", "c", true), ("(|a)b", "b", true),
        ] as [(String, String, Bool)]
    )
    func syntaxOfRE2(_ row: (pattern: String, text: String, matches: Bool)) throws {
        #expect(try ProbePattern(row.pattern).matches(row.text) == row.matches, "\(row)")
    }

    @Test(
        "syntax that cannot be translated is refused by its name, and never misread",
        arguments: [
            ("(", "("), ("a)", ")"), ("[a", "["), (#"(a)\1"#, #"\1"#), ("(?=a)", "(?="), ("(?!a)", "(?!"),
            ("(?<=a)", "(?<="),
            ("(?>a)", "(?>"), ("(?P=n)", "(?P="), (#"a\"#, "backslash"), ("a{3,1}", "{3,1}"), ("a{,2}", "{,n}"),
            ("((a{200}){200}){200}", "too large"), ("(a{1,300}){1,300}", "too large"), ("a{99999}", "too large"),
            (#"[\q]"#, #"\q"#), (#"\p{Greek}"#, #"\p{Greek}"#), (#"\p"#, #"\p"#), (#"\p{L"#, #"\p{"#),
            (#"\pQ"#, "Unicode"),
            (#"\pL{2,40}"#, "too large"),
            (#"\C"#, #"\C"#),
            (#"\Z"#, #"\Z"#), (#"\G"#, #"\G"#), (#"\h"#, #"\h"#), (#"\x4"#, #"\x"#), (#"\x{zz}"#, #"\x"#),
            (#"\x{+1}"#, #"\x"#),
            ("[[:foo:]]", "[:foo:]"), ("[[.a.]]", "[."), ("[[=a=]]", "[="), ("[z-a]", "z-a"),
            (#"\x00"#, "zero byte"), (#"[\x00a]"#, "zero byte"), ("a\u{0}b", "zero byte"),
            ("*a", ""), ("(?i", "(?"),
            (String(repeating: "a", count: 4_097), "4,096"),
        ] as [(String, String)]
    )
    func refused(_ row: (pattern: String, name: String)) {
        let error = #expect(throws: ProbePatternError.self) { try ProbePattern(row.pattern) }
        #expect(error?.message.contains(row.name) == true || row.name.isEmpty, "\(row): \(error?.message ?? "")")
    }

    @Test("an expression of Go's for a text of several lines keeps where ^ and $ match")
    func fromGo() throws {
        func text(_ pattern: String, _ isMultiline: Bool = true) throws -> String {
            try ProbePattern.reading(ofGo: pattern, isMultiline: isMultiline).text
        }
        #expect(try text("ok|fine") == "ok|fine" && text("^ok") == "(?-m)^ok" && text("(?m)^ok") == "(?m)^ok")
        #expect(try text("^ok", false) == "^ok" && text("[$]ok") == "[$]ok" && text("(?i)ok$") == "(?-m)(?i)ok$")
        #expect(try ProbePattern.reading(ofGo: "^+OK", isMultiline: false).repeatsAnchor)
        #expect(try !ProbePattern.reading(ofGo: "^OK+", isMultiline: false).repeatsAnchor)
    }

    @Test("the size with all repeats written out is what is limited, not their product")
    func size() throws {
        let key = String(repeating: "A", count: 230) + String(repeating: "B", count: 150)
        #expect(try ProbePattern("A{230}B{150}").matches(key))
        #expect(
            try ProbePattern("^(x{20}){20}(y{1,200}|[z{]{2000})$").matches(String(repeating: "x", count: 400) + "y")
        )
        #expect(try ProbePattern("^[A-Za-z0-9+/]{4000}$").matches(String(repeating: "a", count: 4_000)))
        #expect(throws: Never.self) { try ProbePattern("a{2000}|b{2000}") }
        for pattern in [
            "a{5000}", "(a{100}){100}", "((a{20}){20}){20}", "a{3000}b{3000}", "(ab){0,3000}", "a{0,5000}",
            "[ab]{5000}",
        ] {
            let error = #expect(throws: ProbePatternError.self, "\(pattern)") { try ProbePattern(pattern) }
            #expect(error?.message.contains("4096") == true, "\(pattern)")
        }
    }

    @Test func zeroBytesAreBytes() throws {
        #expect(try ProbePattern("b$").matches([0x61, 0, 0x62]))
    }

    @Test("Sixty-four kilobytes for which backtracking would take for ever", .timeLimit(.minutes(15)))
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
