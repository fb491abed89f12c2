// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Testing

@testable import Probing

@Suite struct HTTPMomentTests {
    @Test(
        "moments of HTTP, as date(1) reads them",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199), ("Sat, 21 Nov 2026 23:33:53 GMT", 1_795_304_033),
            ("Wed, 31 Dec 1969 23:59:59 GMT", -1), ("Tue, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
        ] as [(String, Int64)]
    )
    func read(text: String, seconds: Int64) {
        #expect(HTTPMoment(Array(text.utf8))?.seconds == seconds)
    }

    @Test(
        "and invalid ones",
        arguments: [
            "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 +0100",
            "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 99999999999 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov -994 08:49:37 GMT",
        ]
    )
    func refused(text: String) {
        #expect(HTTPMoment(Array(text.utf8)) == nil)
    }
}
