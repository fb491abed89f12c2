// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CSQLite
package import LinuxIO

extension SystemLibrary {
    /// What the event log is kept with.
    package static var sqlite: SystemLibrary {
        SystemLibrary(
            "SQLite",
            version: unsafe String(cString: sqlite3_libversion()),
            supported: [Series("3.40", "3.46")]
        )
    }
}
