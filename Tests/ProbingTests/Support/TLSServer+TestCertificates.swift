// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport

extension TLSServer {
    /// Starts a server with a test's own certificates.
    convenience init(
        _ certificates: TestCertificates,
        _ name: String = "leaf",
        _ options: [String] = ["-cert_chain", "middle.pem"],
        mode: String = "-rev"
    ) throws {
        try self.init(in: certificates.folder.path, name, options, mode: mode)
    }
}
