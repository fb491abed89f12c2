// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CMicroHTTPD
package import LinuxIO

extension SystemLibrary {
    /// What ``HTTPServer`` reads requests with.
    package static var microHTTPD: SystemLibrary {
        SystemLibrary(
            "libmicrohttpd",
            version: unsafe String(cString: reachd_http_library_version()),
            supported: [Series("0.9.75"), Series("1.0")]
        )
    }
}
