// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A reason with its detail, before there is a result to put it in.
package struct ProbeFault: Error, Hashable {
    package let reason: ProbeReason
    package let detail: String

    package init(reason: ProbeReason, detail: String) {
        self.reason = reason
        self.detail = detail
    }
}
