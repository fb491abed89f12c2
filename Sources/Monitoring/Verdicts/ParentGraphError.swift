// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Why dependencies between targets were refused.
package enum ParentGraphError: Error, Sendable, Hashable {
    /// A target depends on one that does not exist.
    case unknownParent(target: String, parent: String)
    /// Targets depend on each other: each on the next one, the last on the first.
    case cycle([String])
}

extension ParentGraphError: CustomStringConvertible {
    /// One sentence for people.
    package var description: String {
        switch self {
        case .unknownParent(let target, let parent): "\(target) depends on \(parent), which does not exist."
        case .cycle(let targets): "A cycle: \((targets + targets.prefix(1)).joined(separator: " depends on "))."
        }
    }
}
