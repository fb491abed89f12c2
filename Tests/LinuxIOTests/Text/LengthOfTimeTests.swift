// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Testing

@Suite("Lengths of time in words") struct LengthOfTimeTests {
    @Test(
        "A length of time has two units at most",
        arguments: [
            (0, "0 s"), (59, "59 s"), (60, "1 min"), (185, "3 min 5 s"), (3_599, "59 min 59 s"), (3_600, "1 h"),
            (18_720, "5 h 12 min"), (86_399, "23 h 59 min"), (86_400, "1 day"), (93_600, "1 day 2 h"),
            (172_799, "1 day 23 h"), (172_800, "2 days"), (1_036_800, "12 days"), (-5, "0 s"),
        ]
    )
    func words(seconds: Int64, words: String) {
        #expect(LengthOfTime.text(milliseconds: seconds * 1_000) == words)
        #expect(LengthOfTime.text(milliseconds: seconds * 1_000 + (seconds < 0 ? 0 : 999)) == words)
    }

    @Test("The longest and the shortest length do not trap")
    func bounds() {
        #expect(LengthOfTime.text(milliseconds: .max) == "106751991167 days")
        #expect(LengthOfTime.text(milliseconds: .min) == "0 s")
        #expect(LengthOfTime.elapsed(milliseconds: 999) == "less than a second")
        #expect(LengthOfTime.elapsed(milliseconds: 1_000) == "1 s")
    }
}
