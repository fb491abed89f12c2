// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring

/// The changes that a receiver gets: those that match every part that is set.
package struct NotificationFilter: Sendable, Hashable {
    /// Ids of targets; empty: all.
    package var targets: Set<String> = []
    /// Groups; empty: all.
    package var groups: Set<String> = []
    /// Labels that a target must have, with their values.
    package var tags: [String: String] = [:]
    /// States before; empty: all.
    package var from: Set<TargetState> = []
    /// States after; empty: those that are judgements.
    package var to: Set<TargetState> = []
    /// The minimum severity; the end of a problem counts as the problem does.
    package var minimumSeverity = Severity.info

    /// Everything.
    package init() {}

    /// Whether the receiver is notified of recoveries.
    var wantsEnds: Bool { to.isEmpty || to.contains(.up) }

    /// Whether the receiver is notified of recoveries and of no problem.
    var wantsOnlyEnds: Bool { to.contains(.up) && !to.contains(where: \.isProblem) }

    /// Whether a target's changes go to the receiver at all.
    func routes(_ change: StateChange) -> Bool { routes(change.target, group: change.group, tags: change.tags) }

    /// Whether a target's changes go to the receiver at all.
    func routes(_ target: String, group: String?, tags: [String: String]) -> Bool {
        guard targets.isEmpty || targets.contains(target) else { return false }
        guard groups.isEmpty || group.map(groups.contains) == true else { return false }
        return self.tags.allSatisfy { tags[$0.key] == $0.value }
    }

    /// Whether a change begins something that the receiver is notified of. The end of what it was notified of follows in any case,
    /// where it ``wantsEnds``.
    func matches(_ change: StateChange) -> Bool {
        guard routes(change), from.isEmpty || from.contains(change.from) else { return false }
        guard to.isEmpty ? change.to.isJudgement : to.contains(change.to) else { return false }
        return change.severity >= minimumSeverity
    }
}
