// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Testing

@Suite("Versions of the system's libraries") struct SystemLibraryTests {
    private static let curl = [SystemLibrary.Series("7.88", "8.14")]
    private static let microHTTPD = [SystemLibrary.Series("0.9.75"), SystemLibrary.Series("1.0")]

    @Test(
        "a range contains every patch release of its first and last version, and all between",
        arguments: [
            ("7.88.1", true), ("7.88", true), ("7.88.0", true), ("8.0.0", true), ("8.14.1", true), ("8.14", true),
            ("8.14.1-DEV", true), ("7.87.9", false), ("8.15.0", false), ("8.15", false), ("9.0", false), ("7", false),
            ("", false), ("unknown", false), ("-8.1", false), ("81.4", false),
        ]
    )
    func series(_ version: String, _ isSupported: Bool) {
        #expect(SystemLibrary("libcurl", version: version, supported: Self.curl).isSupported == isSupported)
    }

    @Test(
        "a library between two series is not supported",
        arguments: [
            ("0.9.75", true), ("1.0.0", true), ("1.0.1", true), ("0.9.74", false), ("0.9.77", false), ("1.1.0", false),
        ]
    )
    func between(_ version: String, _ isSupported: Bool) {
        #expect(SystemLibrary("libmicrohttpd", version: version, supported: Self.microHTTPD).isSupported == isSupported)
    }

    @Test("the error names the library, its version and the supported versions")
    func fault() {
        let old = SystemLibrary("libmicrohttpd", version: "0.9.59", supported: Self.microHTTPD)
        #expect(old.fault == "libmicrohttpd 0.9.59 is not supported (supported: 0.9.75, 1.0)")
        let new = SystemLibrary("libcurl", version: "9.0.0", supported: Self.curl)
        #expect(new.fault == "libcurl 9.0.0 is not supported (supported: 7.88 to 8.14)")
        #expect(SystemLibrary("libcurl", version: "8.1.2", supported: Self.curl).fault == nil)
    }

    @Test("the c-ares of this machine is known to work")
    func here() {
        #expect(SystemLibrary.cAres.fault == nil)
    }
}
