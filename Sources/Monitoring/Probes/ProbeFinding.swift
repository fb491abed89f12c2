// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Probing

/// Why a probe was no success, and whose fault that is.
package struct ProbeFinding: Sendable, Hashable {
    /// The stable code.
    package let reason: ProbeReason
    /// One line for people.
    package let detail: String
    /// The row that found the cause.
    package let rule: CauseRule

    /// Creates a finding.
    package init(reason: ProbeReason, detail: String, rule: CauseRule) {
        self.reason = reason
        self.detail = detail
        self.rule = rule
    }

    /// Where the fault lies; a result that is only degraded is always the target's doing.
    package var cause: StateCause { rule.cause ?? .target }
}
