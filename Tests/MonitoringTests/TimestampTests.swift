// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Testing

@Suite("Times on the wire")
struct TimestampTests {
    @Test(
        "RFC 3339 in UTC with milliseconds",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (1_795_000_000_123, "2026-11-18T11:06:40.123Z"),
            (4_107_542_399_999, "2100-02-28T23:59:59.999Z"), (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"), (Int64.max, "9999-12-31T23:59:59.999Z"),
            (Int64.min, "0000-01-01T00:00:00.000Z"),
        ] as [(Int64, String)]
    )
    func format(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).description == text)
    }
}
