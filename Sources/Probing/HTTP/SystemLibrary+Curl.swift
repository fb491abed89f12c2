// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CCurl
package import LinuxIO

extension SystemLibrary {
    /// What probes speak HTTP with.
    package static var curl: SystemLibrary {
        SystemLibrary(
            "libcurl",
            version: unsafe String(cString: reachd_curl_library_version()),
            supported: [Series("7.88", "8.14")]
        )
    }
}
