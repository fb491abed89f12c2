// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Testing

@Suite("Event ids")
struct EventIDTests {
    @Test("Formatting and parsing an id preserves it")
    func roundTrip() {
        let id = EventID(epoch: EventID.randomEpoch(), sequence: .max)
        #expect(EventID(parsing: id.description) == id)
        #expect(id.epoch.utf8.count == 16)
    }

    @Test(
        "What is not an id is refused",
        arguments: [
            "", "-", "a-", "-1", "a", "1", "a--1", "a-1-2", "A-1", "g-1", "a-1 ", " a-1", "a-+1", "a-0x1", "a-1e3",
            "a-18446744073709551616", "a-123456789012345678901", "0123456789abcdef0123456789abcdef0-1", "é-1", "a-１",
        ]
    )
    func malformed(text: String) {
        #expect(EventID(parsing: text) == nil)
    }
}
