// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import BlockingHTTP
import Discovery

extension KubernetesSettings.Server {
    /// Sends the token of a file.
    mutating func useToken(of path: String) { authorization = .bearerFile(path) }
}
