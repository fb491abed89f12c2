// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CAres

extension SystemLibrary {
    /// What ``Resolver`` asks name servers with.
    package static var cAres: SystemLibrary {
        SystemLibrary(
            "c-ares",
            version: unsafe String(cString: reachd_ares_version()),
            supported: [Series("1.18", "1.34")]
        )
    }
}
