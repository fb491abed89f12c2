// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Testing

@testable import Probing

@Suite("Text of bodies") struct BodyTextTests {
    private func text(_ body: [UInt8], _ type: String?) -> String {
        String(decoding: BodyText.text(body, contentType: type.map { Array($0.utf8) }), as: UTF8.self)
    }

    @Test(
        "By the charset of the type",
        arguments: [
            ([0xC4, 0xE3, 0xBA, 0xC3], "text/html; charset=GBK", "你好"),
            ([0xC4, 0xE3, 0xBA, 0xC3], "text/html;Charset = \"gb2312\" ;x=y", "你好"),
            ([0x67, 0x72, 0xFC, 0xDF, 0x65, 0x80], "text/plain; charset=ISO-8859-1", "grüße€"),
            ([0xA4], "text/plain; charset=iso-8859-15", "€"),
            ([0xF0, 0xE1], "text/plain; charset=windows-1251", "рб"),
            ([0x82, 0xB1], "text/plain; charset=Shift_JIS", "こ"),
            ([0x68, 0, 0xE9, 0], "text/plain; charset=utf-16", "hé"),
            ([0, 0x68, 0, 0xE9], "text/plain; charset=utf-16be", "hé"),
            ([0x68, 0xC3, 0xA9], "text/plain; charset=utf-8", "hé"),
            ([0x68, 0xC3, 0xA9], "text/plain; charset=../../x", "hé"),
            ([0x68, 0xC3, 0xA9], "text/plain", "hé"),
        ] as [([UInt8], String, String)]
    )
    func charset(body: [UInt8], type: String, wanted: String) {
        #expect(text(body, type) == wanted)
    }

    @Test("A byte order mark counts for more, and is no text") func mark() {
        #expect(text([0xFF, 0xFE, 0x68, 0], "text/plain; charset=utf-8") == "h")
        #expect(text([0xFE, 0xFF, 0, 0x68], nil) == "h")
        #expect(text([0xEF, 0xBB, 0xBF, 0x68], "text/plain; charset=gbk") == "h")
    }

    @Test("Invalid bytes are replaced, a character that is cut off is left out") func invalid() {
        #expect(text([0x61, 0xFF, 0xFF, 0x62], "a/b; charset=gbk").hasPrefix("a\u{FFFD}"))
        #expect(text([0x61, 0xFF, 0xFF, 0x62], "a/b; charset=gbk").hasSuffix("b"))
        #expect(text([0xC4, 0xE3, 0xBA], "a/b; charset=gbk") == "你")
        #expect(text([0x68, 0, 0xE9], "a/b; charset=utf-16le") == "h")
        #expect(text([], "a/b; charset=gbk").isEmpty)
        let long = [UInt8](repeating: 0xFF, count: 100_000)
        #expect(BodyText.text(long, contentType: Array("a/b; charset=gbk".utf8)).count == 300_000)
    }
}
