// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema
import TestSupport
import Testing

@testable import Configuration

@Suite("JSON") struct JSONTests {
    private func read(_ text: String) throws(YAMLError) -> YAMLNode { try YAMLNode(json: Array(text.utf8)) }

    private func text(_ node: YAMLNode) -> String { String(decoding: node.json, as: UTF8.self) }

    @Test(
        "valid JSON is read, and written unchanged",
        arguments: [
            "{}", "[]", "null", "true", "-0", "0.5e+10", "\"\"", "{\"a\":{\"b\":[1,\"1\",null,false]}}",
            "\"é😀\\\\\\\"\"",
            "{\"a\":1,\"a\":2}",
        ]
    )
    func roundTrip(text: String) throws {
        #expect(self.text(try read(" \t\r\n" + text + "\n")) == text)
    }

    @Test("escapes are read, and written where required")
    func escapes() throws {
        #expect(try read(#""\b\f\n\r\t\/\u00e9\uD83D\uDE00\u0000""#).text == "\u{8}\u{c}\n\r\t/é😀\u{0}")
        #expect(text(try read(#""\n\u007f""#)) == #""\n\#u{7f}""#)
    }

    @Test(
        "invalid JSON is refused at its position",
        arguments: [
            ("", 1, 1), ("{", 1, 2), ("[1,]", 1, 4), ("{\"a\" 1}", 1, 6), ("{\"a\":1,}", 1, 8), ("01", 1, 2),
            ("1.", 1, 3),
            ("+1", 1, 1), ("nul", 1, 1), ("{a:1}", 1, 2), ("\"\\x\"", 1, 4), ("\"a\nb\"", 1, 3), ("\"", 1, 2),
            ("\"é\\ud800\"", 1, 9), ("\"\\udc00\"", 1, 8), ("1 2", 1, 3), ("[\n\n  x]", 3, 3), ("'a'", 1, 1),
            ("NaN", 1, 1),
            ("// x", 1, 1),
        ] as [(String, Int, Int)]
    )
    func refused(text: String, line: Int, column: Int) throws {
        let error = #expect(throws: YAMLError.self) { try read(text) }
        #expect(error?.position == YAMLPosition(line: line, column: column), "\(error?.message ?? "")")
    }

    @Test("invalid UTF-8 is refused")
    func encoding() {
        #expect(throws: YAMLError.self) { try YAMLNode(json: [0x22, 0xff, 0x22]) }
    }

    @Test("a text of one long line takes time in proportion to its length")
    func longLine() throws {
        let text = "[" + String(repeating: "1,", count: 500_000) + "1]"
        guard case .sequence(let nodes) = try read(text).content else {
            Issue.record("no list")
            return
        }
        #expect(nodes.last?.position == YAMLPosition(line: 1, column: 1_000_002))
    }

    @Test(
        "merge patches as RFC 7396 has them, appendix A",
        arguments: [
            (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
            (#"{"a":"b"}"#, #"{"a":null}"#, "{}"), (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
            (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
            (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
            (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#), (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
            (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#), (#"{"a":"foo"}"#, "null", "null"),
            (#"{"a":"foo"}"#, #""bar""#, #""bar""#), (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
            (#"[1,2]"#, #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
            ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
        ] as [(String, String, String)]
    )
    func mergePatch(target: String, patch: String, result: String) throws {
        #expect(text(try read(target).merged(with: try read(patch))) == result)
    }
}
