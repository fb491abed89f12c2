// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL
package import LinuxIO

extension SystemLibrary {
    /// What certificates are read and judged with, and probes speak TLS with.
    package static var openSSL: SystemLibrary {
        SystemLibrary(
            "OpenSSL",
            version: unsafe String(cString: reachd_tls_library_version()),
            supported: [Series("3.0", "3.5")]
        )
    }
}
