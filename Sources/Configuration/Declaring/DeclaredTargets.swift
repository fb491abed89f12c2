// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a reader of a few declarations has to know of the targets that are there already: only those are looked up that the
/// declarations lead to, so that to read one costs the same among any number.
package struct DeclaredTargets {
    /// Whether there is a target with an id.
    let contains: (String) -> Bool
    /// What a target depends on.
    let parents: (String) -> [String]
    /// Whether another target depends on one.
    let hasChildren: (String) -> Bool

    /// Creates a value of look-ups; they are called while declarations are read.
    package init(
        contains: @escaping (String) -> Bool,
        parents: @escaping (String) -> [String],
        hasChildren: @escaping (String) -> Bool
    ) {
        self.contains = contains
        self.parents = parents
        self.hasChildren = hasChildren
    }

    /// The targets that these depend on, directly or not, each with its own dependencies; without these.
    func ancestors(of targets: [(id: String, dependsOn: [String])]) -> [(id: String, dependsOn: [String])] {
        var seen = Set(targets.map(\.id))
        var waiting = targets.flatMap(\.dependsOn)
        var found: [(id: String, dependsOn: [String])] = []
        while let id = waiting.popLast() {
            guard seen.insert(id).inserted, contains(id) else { continue }
            let parents = parents(id)
            found.append((id, parents))
            waiting += parents
        }
        return found
    }
}
