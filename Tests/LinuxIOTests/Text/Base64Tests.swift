// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Foundation
import LinuxIO
import TestSupport
import Testing

@Suite("Base64 (RFC 4648, section 4)") struct Base64Tests {
    @Test("Bytes and back, as Foundation does it", arguments: UInt64(0)..<4)
    func andBack(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(Base64.text(bytes) == Data(bytes).base64EncodedString())
            #expect(Base64.bytes(Base64.text(bytes)) == (bytes.isEmpty ? nil : bytes))
        }
    }

    @Test("A text with another length, alphabet, padding, blanks or bits left over is none")
    func invalid() {
        for text in [
            "", "A", "AA", "AAA", "AA A", "AAA\n", "A-_A", "A===", "====", "=AAA", "AA=A", "AAAAA===", "AAé", "AB==",
            "AAB=",
            "AA==AAAA", "AAA ", "QUJD\u{0}AAA", "＋AAA",
        ] { #expect(Base64.bytes(text) == nil, "\(text)") }
    }

    @Test("Random texts never trap, and have bytes only if these have that text", arguments: UInt64(0)..<4)
    func fuzz(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let characters = Array("ABz09+/== \n-é")
        for _ in 0..<2_000 {
            let length = Int.random(in: 0...9, using: &random)
            let text = String((0..<length).map { _ in characters.randomElement(using: &random) ?? "A" })
            if let bytes = Base64.bytes(text) { #expect(Base64.text(bytes) == text) }
        }
    }
}
