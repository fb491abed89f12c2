// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import TestSupport
import Testing

@Suite("The JSON reader") struct JSONReaderTests {
    private func skip(_ text: String, _ limits: JSONLimits = JSONLimits()) throws(JSONError) {
        var reader = JSONReader(Array(text.utf8), limits: limits)
        try reader.skip()
        try reader.end()
    }

    private func read(_ text: String) throws(JSONError) -> JSONValue { try JSONValue(reading: Array(text.utf8)) }

    @Test(
        "invalid JSON is refused at its position, by a reader that builds a tree and by one that skips",
        arguments: [
            ("", 1, 1), (" ", 1, 2), ("{", 1, 2), ("}", 1, 1), ("[1,]", 1, 4), ("{\"a\" 1}", 1, 6),
            ("{\"a\":1,}", 1, 8),
            ("01", 1, 2), ("1.", 1, 3), (".5", 1, 1), ("1e", 1, 3), ("--1", 1, 2), ("+1", 1, 1), ("nul", 1, 1),
            ("tru", 1, 1), ("{a:1}", 1, 2), ("\"\\x\"", 1, 4), ("\"a\nb\"", 1, 3), ("\"", 1, 2), ("\"\\u12g4\"", 1, 6),
            ("1 2", 1, 3), ("[1 2]", 1, 4), ("[\n\n  x]", 3, 3), ("'a'", 1, 1), ("NaN", 1, 1), ("// x", 1, 1),
            ("{\"a\":1}x", 1, 8), ("\"\u{1}\"", 1, 2), ("[1,2,,3]", 1, 6), ("\"\\", 1, 3),
        ] as [(String, Int, Int)]
    )
    func refused(text: String, line: Int, column: Int) {
        let skipped = #expect(throws: JSONError.self) { try skip(text) }
        let built = #expect(throws: JSONError.self) { try read(text) }
        for error in [skipped, built] {
            let isRight = error?.line == line && error?.column == column && error?.code == .syntax
            #expect(isRight, "\(String(describing: error))")
        }
    }

    @Test("a byte order mark at the beginning is ignored, elsewhere it is invalid JSON") func byteOrderMark() {
        #expect(throws: Never.self) { try skip("\u{feff}{}") }
        let error = #expect(throws: JSONError.self) { try skip("\u{feff}[\u{feff}]") }
        #expect(error?.column == 2)
    }

    @Test(
        "half of a surrogate pair is refused where it is read, and not where it is skipped",
        arguments: [#""\ud83d""#, #""\ude00""#, #""\ud83dx""#, #""\ud83d\n""#, #""\ud83d\ud83d""#]
    )
    func surrogates(text: String) {
        #expect(throws: JSONError.self) { try read(text) }
        #expect(throws: Never.self) { try skip(text) }
        #expect(throws: JSONError.self) { try skip(text, JSONLimits(checksSkipped: true)) }
    }

    @Test("invalid UTF-8 is refused where it is read") func encoding() {
        #expect(throws: JSONError.self) { try JSONValue(reading: [0x22, 0xff, 0x22]) }
        #expect(throws: JSONError.self) { try JSONReader.members(of: [0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]) }
    }

    @Test("a duplicate name is refused when the object is read, not when it is skipped")
    func duplicates() throws {
        let text = #"{"a":{"b":1,"\u0062":2}}"#
        #expect(throws: JSONError.self) { try read(text) }
        #expect(try JSONReader.members(of: Array(text.utf8)).keys.sorted() == ["a"])
        #expect(throws: JSONError.self) { try JSONReader.members(of: Array(#"{"a":1,"\u0061":2}"#.utf8)) }
    }

    @Test("numbers are as they are written, whatever their size") func numbers() throws {
        for text in ["0", "-0", "1e999", "123456789012345678901234567890", "0.5e+10", "-1E-2"] {
            guard case .number(let number) = try read(text) else {
                Issue.record("no number")
                continue
            }
            #expect(number == text)
        }
    }

    @Test("depth and number of values are bounded, depth also where values are skipped") func bounds() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(throws: Never.self) { try skip(nested(128)) }
        let deep = #expect(throws: JSONError.self) { try skip(nested(129)) }
        #expect(deep?.code == .tooDeep && deep?.offset == 128)
        #expect(throws: JSONError.self) { try skip(String(repeating: "[", count: 1 << 20)) }
        let many = #expect(throws: JSONError.self) {
            try JSONValue(reading: Array("[1,[2],3]".utf8), limits: JSONLimits(values: 4))
        }
        #expect(many?.code == .tooLarge && many?.offset == 7)
    }

    @Test("a line has no line ends in it") func oneLine() {
        let limits = JSONLimits(isOneLine: true)
        #expect(throws: Never.self) { try skip(" [ 1 ,\t2 ] ", limits) }
        for text in ["[\n1]", "[1\r]", "1\n"] { #expect(throws: JSONError.self) { try skip(text, limits) } }
    }

    @Test("members and elements are the bytes that they were") func parts() throws {
        let members = try JSONReader.members(of: Array(#" { "a" : [ 1 , {} ] , "b\u0000":"\ud83d" } "#.utf8))
        #expect(
            members.mapValues { String(decoding: $0, as: UTF8.self) } == ["a": "[ 1 , {} ]", "b\0": #""\ud83d""#]
        )
        let elements = try JSONReader.elements(of: Array("[1, [2] ,{}]".utf8))
        #expect(elements.map { String(decoding: $0, as: UTF8.self) } == ["1", "[2]", "{}"])
        #expect(throws: JSONError.self) { try JSONReader.elements(of: Array("{}".utf8)) }
        #expect(throws: JSONError.self) { try JSONReader.text(of: "\"a\" 1".utf8) }
    }

    @Test("a tree is written with escapes, on one line if it is short") func formatted() {
        let value = JSONValue.object([("a\"\\\n\u{1}ä", .array([.integer(-1), .boolean(true), .number("1.2")]))])
        #expect(value.formatted() == "{ \"a\\\"\\\\\\n\\u0001ä\": [ -1, true, 1.2 ] }")
        #expect(JSONValue.array([]).formatted() == "[]")
        let long = JSONValue.array(Array(repeating: .string("0123456789"), count: 10))
        #expect(long.formatted().split(separator: "\n").count == 12)
    }

    @Test("random bytes never crash a reader, and accepted input is JSON also for a reader that skips") func fuzz() {
        var random = SeededGenerator(seed: 0x15_0a11)
        let alphabet = Array("{}[]\",:\\u01e.-tfna \u{FF}".utf8)
        var valid = 0
        for _ in 0..<100_000 {
            let count = Int.random(in: 0..<16, using: &random)
            let bytes = (0..<count).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] }
            var reader = JSONReader(bytes)
            var isSkipped = false
            do throws(JSONError) {
                try reader.skip()
                try reader.end()
                isSkipped = true
            } catch {}
            let isRead = (try? JSONValue(reading: bytes)) != nil
            // What is read must be UTF-8 and unique besides.
            #expect(isSkipped || !isRead, "\(bytes)")
            if isRead { valid += 1 }
            _ = JSONReader.count(of: "a", in: bytes, upTo: 3)
        }
        #expect(valid > 100)
    }
}
