// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Which target depends on which, without cycles. A value: another set of targets makes another graph.
package struct ParentGraph: Sendable {
    /// All targets, each after everything that it depends on; else in the order in which they were given.
    package let order: [String]
    private let parentsOf: [String: [String]]
    private let childrenOf: [String: [String]]

    /// A graph without targets.
    package init() {
        order = []
        parentsOf = [:]
        childrenOf = [:]
    }

    /// Checks and creates a graph, in time linear in its edges and without recursion: a chain may be as long as it likes.
    ///
    /// - Parameter targets: each target with what it depends on. A parent named twice counts once, and of a target named
    ///   twice the parents are put together.
    /// - Throws: The first unknown parent, else a cycle with its members.
    package init(_ targets: [(id: String, dependsOn: [String])]) throws(ParentGraphError) {
        var ids: [String] = []
        var parents: [String: [String]] = [:]
        for target in targets {
            if parents[target.id] == nil { ids.append(target.id) }
            parents[target.id, default: []] += target.dependsOn
        }
        var children: [String: [String]] = [:]
        var missing: [String: Int] = [:]
        for id in ids {
            var seen: Set<String> = []
            let distinct = parents[id, default: []].filter { seen.insert($0).inserted }
            for parent in distinct {
                guard parents[parent] != nil else { throw .unknownParent(target: id, parent: parent) }
                children[parent, default: []].append(id)
            }
            parents[id] = distinct
            missing[id] = distinct.count
        }
        var sorted = ids.filter { missing[$0] == 0 }
        var next = 0
        while next < sorted.count {
            for child in children[sorted[next], default: []] {
                let left = missing[child, default: 0] - 1
                missing[child] = left
                if left == 0 { sorted.append(child) }
            }
            next += 1
        }
        if let first = ids.first(where: { missing[$0, default: 0] > 0 }) {
            throw .cycle(Self.cycle(from: first, parents: parents, missing: missing))
        }
        order = sorted
        parentsOf = parents
        childrenOf = children
    }

    /// The ids of a cycle of dependencies, each of which depends on the next one; nil without one.
    package static func cycle(in targets: [(id: String, dependsOn: [String])]) -> [String]? {
        do throws(ParentGraphError) {
            _ = try ParentGraph(targets)
            return nil
        } catch {
            guard case .cycle(let ids) = error else { return nil }
            return ids
        }
    }

    /// What a target depends on; empty for an unknown one.
    package func parents(of id: String) -> [String] { parentsOf[id, default: []] }

    /// The direct dependents of a target; empty for an unknown one.
    package func children(of id: String) -> [String] { childrenOf[id, default: []] }

    /// All dependents of a target, direct or not; each once, parents before children.
    package func descendants(of id: String) -> [String] {
        guard childrenOf[id] != nil else { return [] }
        var reached: Set<String> = [id]
        var found: [String] = []
        var next = [id]
        while let parent = next.popLast() {
            for child in children(of: parent) where reached.insert(child).inserted {
                found.append(child)
                next.append(child)
            }
        }
        let kept = Set(found)
        return found.count < 2 ? found : order.filter(kept.contains)
    }

    /// The first parent that is not usable; nil when all are.
    ///
    /// - Parameter isUsable: whether a target can be used. One that is itself held by its parent must say no, so that a fault
    ///   goes down all the generations.
    package func blockingParent(of id: String, isUsable: (String) -> Bool) -> String? {
        parents(of: id).first { !isUsable($0) }
    }

    /// Every target that is left over has a parent that is left over, so that the walk up must meet itself.
    private static func cycle(from first: String, parents: [String: [String]], missing: [String: Int]) -> [String] {
        var trail: [String] = []
        var place: [String: Int] = [:]
        var id = first
        while place[id] == nil {
            place[id] = trail.count
            trail.append(id)
            guard let parent = parents[id, default: []].first(where: { missing[$0, default: 0] > 0 }) else { break }
            id = parent
        }
        return Array(trail[place[id, default: 0]...])
    }
}

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
