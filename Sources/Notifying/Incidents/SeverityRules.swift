// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// How bad failures of some targets are to a receiver, where their states alone do not say it.
package struct SeverityRules: Sendable, Hashable {
    /// By the id of a target; before ``groups``.
    package var targets: [String: Severity] = [:]
    /// By group.
    package var groups: [String: Severity] = [:]

    /// No rules.
    package init() {}

    /// How bad it is that a target fails.
    func severity(of state: TargetState, target: String, group: String?) -> Severity {
        targets[target] ?? group.flatMap { groups[$0] } ?? Severity(state)
    }
}
