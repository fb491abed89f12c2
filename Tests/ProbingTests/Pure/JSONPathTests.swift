// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import TestSupport
import Testing

@testable import Probing

@Suite struct JSONPathTests {
    static let document = #"""
        {"a":{"b":[1,{"c":3.5e1}],"a.b":"x"},"t":true,"n":null,"s":"é\u00e9\ud83d\ude00\n\/","empty":{},"list":[], "big":1e999, "-":-0}
        """#

    func find(_ path: String, in text: String = Self.document) throws -> JSONMatch {
        try JSONPath(path).find(in: Array(text.utf8))
    }

    @Test("Values at paths") func paths() throws {
        #expect(try find("$.a.b[0]") == .scalar(.number(1)))
        #expect(try find("$.a.b[1].c") == .scalar(.number(35)))
        #expect(try find("$.a[\"a.b\"]") == .scalar(.string("x")))
        #expect(try find("$['a'].b[1]['c']") == .scalar(.number(35)))
        #expect(try find("$.t") == .scalar(.boolean(true)))
        #expect(try find("$.n") == .scalar(.null))
        #expect(try find("$.s") == .scalar(.string("éé😀\n/")))
        #expect(try find("$.list", in: #"{"list": [1, 2] }"#) == .container(9..<15))
        #expect(try find("$.empty", in: #"{"empty":{}}"#) == .container(9..<11))
        #expect(try find("$.a.b[2]") == .nothing && find("$.x") == .nothing && find("$.t.u") == .nothing)
        #expect(try find("$.a[0]") == .nothing && find("$.list.a") == .nothing && find("$.list[0]") == .nothing)
        #expect(try find("$.big") == .scalar(.number(.infinity)))
        #expect(try find("$", in: " 7 ") == .scalar(.number(7)))
        #expect(try find("$.a", in: "\u{FEFF}{\"a\":1}") == .scalar(.number(1)))
    }

    @Test(
        "Invalid JSON",
        arguments: [
            "", " ", "{", "}", "[1,]", "{\"a\":1,}", "{a:1}", "{\"a\" 1}", "tru", "nul", "01", "1.", ".5", "+1", "1e",
            "\"a", "\"\u{1}\"", "\"\\x\"", "\"\\u12g4\"", "[1] 2", "--1", "{\"a\":1}x", "[1 2]", "'a'", "\"\\",
        ]
    ) func malformed(text: String) throws {
        #expect(throws: JSONError.self) { try find("$.a", in: text) }
    }

    @Test("Half a surrogate pair is refused where it is read, not elsewhere") func surrogates() throws {
        let text = #"{"a":"\ud83d","b":["\ude00"],"c":1}"#
        #expect(throws: JSONError.self) { try find("$.a", in: text) }
        #expect(throws: JSONError.self) { try find("$.b[0]", in: text) }
        #expect(try find("$.c", in: text) == .scalar(.number(1)))
    }

    @Test("Of a name that stands twice the last counts, as with jq") func duplicates() throws {
        let text = #"{"a":{"b":0},"a":2,"c":{"b":1,"b":3},"c":{"d":1}}"#
        #expect(try find("$.a", in: text) == .scalar(.number(2)))
        #expect(try find("$.a.b", in: text) == .nothing)
        #expect(try find("$.c.b", in: text) == .nothing)
        #expect(try find("$.c.b", in: #"{"c":{"b":1,"b":3}}"#) == .scalar(.number(3)))
    }

    @Test("A negative index counts from the end") func fromTheEnd() throws {
        let text = #"{"list":[[1,2],{"a":[7,8,9]}],"none":[]}"#
        #expect(try find("$.list[-1].a[-1]", in: text) == .scalar(.number(9)))
        #expect(try find("$.list[-2][-2]", in: text) == .scalar(.number(1)))
        #expect(try find("$.list[-3]", in: text) == .nothing)
        #expect(try find("$.none[-1]", in: text) == .nothing)
        #expect(throws: JSONError.self) { try find("$.list[-1]", in: #"{"list":[1,}"#) }
    }

    @Test(
        "Arrays and objects are compared by their values",
        arguments: [
            ("[]", "[ ]", true), ("[]", "[0]", false), ("{}", "[]", false), ("[1,2]", "[1.0, 2e0]", true),
            ("[1,2]", "[2,1]", false), (#"{"a":1,"b":[null,true]}"#, #"{ "b":[null,true], "a":1 }"#, true),
            (#"{"a":1,"a":2}"#, #"{"a":2}"#, true), (#"["1"]"#, "[1]", false), (#"["\u0061"]"#, #"["a"]"#, true),
            (#"["a,b"]"#, #"["a","b"]"#, false),
        ]
    )
    func structures(found: String, wanted: String, isEqual: Bool) throws {
        let path = try JSONPath("$.x")
        let document = Array("{\"x\":\(found)}".utf8)
        let value = JSONScalar.structure(try #require(JSONStructure.text(wanted.utf8)))
        let match = try path.find(in: document)
        for (comparison, holds) in [(JSONComparison.equal, isEqual), (.notEqual, !isEqual), (.less, false)] {
            let mismatch = JSONExpectation(path, .compares(comparison, value)).mismatch(about: match, in: document)
            #expect((mismatch == nil) == holds, "\(mismatch ?? "none")")
        }
        #expect(JSONExpectation(path, .compares(.equal, value)).mismatch(about: .scalar(.null)) != nil)
    }

    @Test("What is no array or object, or has too many values, is not one to compare with") func noStructure() {
        for text in ["", "1", "[", "[1]x", "{a:1}", "[" + String(repeating: "1,", count: 5_000) + "1]"] {
            #expect(JSONStructure.text(text.utf8) == nil)
        }
    }

    @Test(
        "A path without $ gets a hint",
        arguments: [
            ("a", "write $.a"), ("a.b[0]", "write $.a.b[0]"), ("[-1].a", "write $[-1].a"), (".a", "write $.a"),
            ("", nil), ("a b*", nil),
        ]
    )
    func hint(text: String, hint: String?) {
        #expect(throws: JSONPathError(message: "does not begin with $", hint: hint)) { try JSONPath(text) }
    }

    @Test("Depth is bounded") func depth() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(try find("$", in: nested(128)) == .container(0..<256))
        let error = #expect(throws: JSONError.self) { try find("$", in: nested(129)) }
        #expect(error?.offset == 128 && error?.code == .tooDeep)
        #expect(throws: JSONError.self) { try find("$", in: String(repeating: "[", count: 1 << 20)) }
    }

    @Test(
        "Invalid paths",
        arguments: [
            "", "a", "$a", "$.", "$..a", "$[", "$[a]", "$[--1]", "$[-]", "$[1-]", "$[1", "$[\"a]", "$[\"a\"", "$.a*",
            "$[1234567890]",
        ]
    ) func badPaths(text: String) {
        #expect(throws: JSONPathError.self) { try JSONPath(text) }
    }

    @Test("A path has at most 64 steps and 1,024 bytes") func longPaths() throws {
        #expect(try JSONPath("$" + String(repeating: "[0]", count: 64)).steps.count == 64)
        #expect(throws: JSONPathError.self) { try JSONPath("$" + String(repeating: "[0]", count: 65)) }
        #expect(throws: JSONPathError.self) { try JSONPath("$." + String(repeating: "a", count: 1_023)) }
    }

    @Test("Random bytes never end it, and never take it further than the end") func fuzz() throws {
        var generator = SeededGenerator(seed: 7)
        let path = try JSONPath("$.a[1]")
        let alphabet = Array("{}[]\",:\\u01e.-tfna \u{FF}".utf8)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0..<24, using: &generator))
                .map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] }
            _ = try? path.find(in: bytes)
        }
    }

    @Test("Comparisons") func comparisons() throws {
        func holds(_ left: JSONScalar, _ comparison: JSONComparison, _ right: JSONScalar) -> Bool {
            comparison.holds(left, right)
        }
        #expect(holds(.number(1), .equal, .number(1)) && !holds(.number(1), .equal, .string("1")))
        #expect(holds(.string("a"), .notEqual, .string("b")) && holds(.null, .notEqual, .boolean(false)))
        #expect(holds(.number(1), .less, .number(2)) && !holds(.number(2), .less, .number(2)))
        #expect(holds(.number(2), .lessOrEqual, .number(2)) && holds(.number(2), .greaterOrEqual, .number(2)))
        #expect(holds(.number(3), .greater, .number(2)) && !holds(.string("3"), .greater, .number(2)))
    }

    @Test("Conditions, and their messages when they do not hold") func conditions() throws {
        let path = try JSONPath("$.a")
        func mismatch(_ condition: JSONExpectation.Condition, _ found: JSONMatch) -> String? {
            JSONExpectation(path, condition).mismatch(about: found)
        }
        let pattern = try ProbePattern("^o")
        #expect(mismatch(.exists, .container(0..<0)) == nil && mismatch(.exists, .nothing) == "there is no $.a")
        #expect(mismatch(.absent, .nothing) == nil && mismatch(.absent, .scalar(.null)) == "there is a $.a")
        #expect(mismatch(.matches(pattern), .scalar(.string("ok"))) == nil)
        #expect(mismatch(.matches(try ProbePattern("^1$")), .scalar(.number(1))) == nil)
        #expect(mismatch(.matches(pattern), .scalar(.string("no")))?.contains("\"no\"") == true)
        #expect(mismatch(.compares(.equal, .number(2)), .scalar(.number(1))) == "$.a is 1, not == 2")
        #expect(mismatch(.compares(.equal, .number(2)), .container(0..<0)) == "$.a is an array or object")
        #expect(mismatch(.compares(.notEqual, .number(2)), .nothing) == "there is no $.a")
    }
}
