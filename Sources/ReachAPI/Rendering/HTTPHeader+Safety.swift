// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer

extension HTTPHeader {
    /// Goes with every body: a browser takes it for what its type says, and for a page or a script never. What is for pages alone,
    /// such as a policy for their contents, goes with pages.
    static let noSniffing = HTTPHeader("X-Content-Type-Options", "nosniff")
}
