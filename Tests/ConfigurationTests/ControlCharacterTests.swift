// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Testing

@testable import Configuration

/// Names are printed to terminals, logs and pages: nothing in them may command a terminal or turn a line round.
@Suite struct ControlCharacterTests {
    /// Both sets of control characters, the ends of lines, and Unicode's Bidi_Control.
    static let refused: [Unicode.Scalar] =
        (Array(0...0x1f) + Array(0x7f...0x9f) + [0x061c, 0x200e, 0x200f, 0x2028, 0x2029]
        + Array(0x202a...0x202e) + Array(0x2066...0x2069))
        .compactMap(Unicode.Scalar.init)

    @Test("they are refused in ids, names, groups and tags, and the fault shows them as escapes")
    func names() {
        for scalar in Self.refused {
            let escape =
                "\\U" + String(repeating: "0", count: 8 - String(scalar.value, radix: 16).count)
                + String(scalar.value, radix: 16)
            for line in [
                "{address: 192.0.2.1, id: \"a\(escape)b\"}", "{address: 192.0.2.1, name: \"a\(escape)b\"}",
                "{address: 192.0.2.1, group: \"a\(escape)b\"}", "{address: 192.0.2.1, tags: {team: \"a\(escape)b\"}}",
            ] {
                let found = diagnostics("targets: [\(line)]")
                #expect(found.count == 1, "\(line)")
                let text = found.joined()
                #expect(!text.unicodeScalars.contains(scalar) || scalar == "\n", "\(line)")
            }
        }
    }

    @Test("letters of all scripts, joined ones and pictures are taken")
    func letters() {
        for name in ["Zürich", "東京", "मुंबई", "خادم", "👩‍💻", "e\u{301}", "می\u{200c}خواهم", "a\u{a0}b"] {
            #expect(diagnostics("targets: [{address: 192.0.2.1, name: \"\(name)\"}]").isEmpty, "\(name)")
        }
    }
}
