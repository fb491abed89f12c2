// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Testing

@testable import Fleet

@Suite("Texts that PostgreSQL can store") struct StorableTextTests {
    @Test("Zero bytes are replaced and long texts are cut between scalars")
    func limits() {
        #expect(StorableText.text("a\u{0}b") == "a\u{FFFD}b")
        #expect(StorableText.text("plain", limit: 5) == "plain")
        #expect(StorableText.text("äöü", limit: 3) == "ä")
        #expect(StorableText.text("🔥🔥", limit: 7) == "🔥")
        #expect(StorableText.text("🔥", limit: 3) == "")
    }
}
