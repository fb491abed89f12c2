// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Probing

/// Why a probe was no success, and whose fault that is.
public struct ProbeFinding: Sendable, Hashable {
    /// The stable code.
    public let reason: ProbeReason
    /// One line for people.
    public let detail: String
    /// The row that found the cause.
    public let rule: CauseRule

    /// Creates a finding.
    public init(reason: ProbeReason, detail: String, rule: CauseRule) {
        self.reason = reason
        self.detail = detail
        self.rule = rule
    }

    /// Where the fault lies; a result that is only degraded is always the target's doing.
    public var cause: StateCause { rule.cause ?? .target }
}
