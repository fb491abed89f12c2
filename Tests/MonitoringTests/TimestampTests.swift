// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Testing

@Suite("Timestamps")
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

    @Test(
        "RFC 3339 dates and date-times are parsed",
        arguments: [
            ("1970-01-01", 0), ("2027-03-01", 1_803_859_200_000), ("2000-02-29", 951_782_400_000),
            ("0000-01-01", -62_167_219_200_000), ("2026-11-18T11:06:40.123Z", 1_795_000_000_123),
            ("2026-11-18t11:06:40.1239z", 1_795_000_000_123), ("2026-11-18 12:06:40+01:00", 1_795_000_000_000),
            ("2026-11-18T05:36:40.5-05:30", 1_795_000_000_500), ("1969-12-31T23:59:59.999Z", -1),
            ("2016-12-31T23:59:60Z", 1_483_228_800_000), ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ] as [(String, Int64)]
    )
    func parsing(text: String, milliseconds: Int64) {
        #expect(Timestamp(parsing: text)?.milliseconds == milliseconds)
    }

    @Test(
        "invalid dates are rejected",
        arguments: [
            "", "2027", "2027-3-1", "2027-02-29", "2100-02-29", "2027-13-01", "2027-00-01", "2027-01-00", "2027-04-31",
            "2027-03-01T", "2027-03-01T12:00", "2027-03-01T12:00:00", "2027-03-01T24:00:00Z", "2027-03-01T12:60:00Z",
            "2027-03-01T12:00:61Z", "2027-03-01T12:00:00.Z", "2027-03-01T12:00:00+1:00", "2027-03-01T12:00:00+24:00",
            "2027-03-01T12:00:00Zz", "2027-03-01x", " 2027-03-01", "+027-03-01", "２０２７-03-01", "soon",
        ]
    )
    func notParsed(text: String) {
        #expect(Timestamp(parsing: text) == nil)
    }

    @Test("a formatted timestamp parses to the same value")
    func roundTrip() {
        var milliseconds: Int64 = -62_167_219_200_000
        while milliseconds < 253_402_300_799_999 {
            let time = Timestamp(milliseconds: milliseconds)
            #expect(Timestamp(parsing: time.description) == time)
            milliseconds += 86_400_000 * 97 + 12_345_678
        }
    }
}
