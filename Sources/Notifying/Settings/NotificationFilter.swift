// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Monitoring

/// Which changes a receiver is told of: those that every part which is set agrees to.
public struct NotificationFilter: Sendable, Hashable {
    /// Ids of targets; empty: all.
    public var targets: Set<String> = []
    /// Groups; empty: all.
    public var groups: Set<String> = []
    /// Labels that a target must have, with their values.
    public var tags: [String: String] = [:]
    /// States before; empty: all.
    public var from: Set<TargetState> = []
    /// States after; empty: those that are judgements.
    public var to: Set<TargetState> = []
    /// The least that is told; the end of something counts as much as what ended.
    public var minimumSeverity = Severity.info

    /// Everything.
    public init() {}

    /// Whether a change is told.
    func matches(_ change: StateChange) -> Bool {
        guard targets.isEmpty || targets.contains(change.target) else { return false }
        guard groups.isEmpty || change.group.map(groups.contains) == true else { return false }
        guard tags.allSatisfy({ change.tags[$0.key] == $0.value }) else { return false }
        guard from.isEmpty || from.contains(change.from) else { return false }
        // Who is told of ends is told of this one.
        let end = change.isRemoval ? .up : change.to
        guard to.isEmpty ? end.isJudgement : to.contains(end) else { return false }
        return change.severity >= minimumSeverity
    }
}
