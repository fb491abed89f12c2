// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Why a message did not arrive.
package struct DeliveryFailure: Sendable, Hashable {
    /// A stable code: that of a probe's reason, or `http_` and the status.
    package let code: String
    /// One line for people, without secrets.
    package let detail: String

    init(code: String, detail: String) {
        self.code = code
        self.detail = detail
    }
}
