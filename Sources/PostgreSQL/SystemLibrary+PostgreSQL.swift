// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CPostgreSQL
package import LinuxIO

extension SystemLibrary {
    /// What databases are connected to with: libpq of Debian 12 and 13.
    package static var libpq: SystemLibrary {
        let version = reachd_pq_version()
        return SystemLibrary(
            "libpq",
            version: "\(version / 10_000).\(version % 10_000)",
            supported: [Series("15", "17")]
        )
    }
}
