// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension IncidentBook {
    /// The targets that fail because of a parent, by their newest verdicts.
    struct Dependents: Sendable {
        private var parents: [String: String] = [:]
        private var children: [String: Set<String>] = [:]

        /// Why a target fails; nil when that is no parent.
        func parent(of target: String) -> String? { parents[target] }

        /// Those that fail because of a target, in the order of their ids.
        func children(of parent: String) -> [String] { children[parent]?.sorted() ?? [] }

        mutating func set(_ target: String, dependsOn parent: String?) {
            guard parent != nil || !parents.isEmpty, parents[target] != parent else { return }
            if let old = parents[target] {
                children[old]?.remove(target)
                if children[old]?.isEmpty == true { children[old] = nil }
            }
            parents[target] = parent
            if let parent { children[parent, default: []].insert(target) }
        }
    }

    /// Has the targets that fail because of one follow it, and those that fail because of them: one after another, since a line of
    /// dependencies may be longer than the stack is deep.
    mutating func lead(_ target: String, at moment: Timestamp) {
        var open = [target]
        while let parent = open.popLast() {
            for child in dependents.children(of: parent) {
                guard let member = newest(of: child)?.member else { continue }
                let cause = IncidentCause(.parent, parent)
                let observation = IncidentObservation(
                    target: child,
                    name: member.name,
                    group: member.group,
                    condition: .failing(cause, .parent, member.state),
                    at: moment
                )
                if fail(observation, cause, .parent, member.state) { open.append(child) }
            }
        }
    }
}
