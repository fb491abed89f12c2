// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Testing

@Suite struct DisplayTextTests {
    @Test("characters that a line must not contain are escaped")
    func rules() {
        let all = (0...0x2_0000 as ClosedRange<UInt32>).compactMap { Unicode.Scalar($0) }
        for scalar in all where !DisplayText.isAllowedInLine(scalar) {
            #expect(!DisplayText.isPrintable(scalar), "U+\(String(scalar.value, radix: 16))")
        }
        let refused = Set(all.filter { !DisplayText.isAllowedInLine($0) }.map(\.value))
        var expected = Set<UInt32>(0...0x1f)
        expected.formUnion(0x7f...0x9f)
        expected.formUnion([0x61c, 0x200e, 0x200f, 0x2028, 0x2029])
        expected.formUnion(0x202a...0x202e)
        expected.formUnion(0x2066...0x2069)
        #expect(refused == expected)
    }

    @Test("in one line they become spaces, and the line is truncated")
    func line() {
        #expect(DisplayText.line("a\u{9b}b\u{202e}c\u{2028}d\ne", limit: 100) == "a b c d e")
        #expect(DisplayText.line("0123456789abc", limit: 10) == "0123456789")
    }
}
