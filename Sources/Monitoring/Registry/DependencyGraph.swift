// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Which target depends on which, changed one target at a time; never has a cycle.
///
/// A change costs what the edges of the changed target cost, and not what the graph holds. Targets are ids: a dependency on a
/// target that does not exist is kept, so that it has its effect as soon as the target is added. ``ParentGraph`` is the same for
/// a list as a whole, and tests hold the two to each other.
package struct DependencyGraph: Sendable {
    /// What each target depends on; without targets that depend on none.
    private var declared: [String: [String]] = [:]
    /// Targets that depend on an id directly.
    private var dependents: [String: Set<String>] = [:]
    /// Targets whose dependencies have no effect because they would close a cycle.
    private var suspended: Set<String> = []
    /// How many targets the searches for cycles have looked at, for tests of what a change costs.
    private(set) var visits = 0

    /// An empty graph.
    package init() {}

    /// Whether no target depends on another one.
    package var isFlat: Bool { dependents.isEmpty }

    /// Whether a target depends on this one.
    package func hasChildren(_ id: String) -> Bool { dependents[id] != nil }

    /// Sets what a target depends on, which is nothing for one that is removed. Dependencies that would close a cycle have no
    /// effect until the cycle is gone.
    package mutating func set(_ id: String, dependsOn parents: [String]) {
        unlink(id)
        guard !parents.isEmpty else { return }
        var seen: Set<String> = []
        let distinct = parents.count < 2 ? parents : parents.filter { seen.insert($0).inserted }
        if cycle(of: id, dependingOn: distinct) != nil { suspended.insert(id) }
        declared[id] = distinct
        for parent in distinct { dependents[parent, default: []].insert(id) }
    }

    /// Gives effect to suspended dependencies whose cycle is gone; to be called after a set of changes.
    ///
    /// - Returns: Targets whose dependencies have an effect again.
    package mutating func resume() -> [String] {
        guard !suspended.isEmpty else { return [] }
        var resumed: [String] = []
        for id in suspended.sorted() where cycle(of: id, dependingOn: declared[id, default: []]) == nil {
            suspended.remove(id)
            resumed.append(id)
        }
        return resumed
    }

    /// What a target depends on, in its order.
    package func parents(of id: String) -> [String] {
        suspended.contains(id) ? [] : declared[id, default: []]
    }

    /// The targets that depend on an id directly, in no order.
    package func children(of id: String) -> [String] {
        guard let children = dependents[id] else { return [] }
        return suspended.isEmpty ? Array(children) : children.filter { !suspended.contains($0) }
    }

    /// The cycle that dependencies of a target would close; nil when they close none.
    ///
    /// The search goes up from the parents and down from the target by turns, and ends with the smaller of the two: to add a
    /// target costs nothing, however much there is above it.
    package mutating func cycle(of id: String, dependingOn parents: [String]) -> [String]? {
        if parents.contains(id) { return [id] }
        guard !parents.isEmpty, hasChildren(id) else { return nil }
        var up = Search(from: parents)
        var down = Search(from: children(of: id))
        while true {
            guard let ancestor = up.next(), let descendant = down.next() else { return nil }
            visits += 2
            if ancestor == id || parents.contains(descendant) { break }
            up.add(self.parents(of: ancestor), after: ancestor)
            down.add(children(of: descendant), after: descendant)
        }
        return members(from: id, dependingOn: parents)
    }

    /// The cycle itself, from the target up to what depends on it; only looked for when there is one.
    private mutating func members(from id: String, dependingOn parents: [String]) -> [String]? {
        var search = Search(from: parents)
        while let ancestor = search.next() {
            visits += 1
            if ancestor == id { return [id] + search.trail(to: id).dropLast() }
            search.add(self.parents(of: ancestor), after: ancestor)
        }
        return nil
    }

    private mutating func unlink(_ id: String) {
        suspended.remove(id)
        for parent in declared.removeValue(forKey: id) ?? [] {
            dependents[parent]?.remove(id)
            if dependents[parent]?.isEmpty == true { dependents[parent] = nil }
        }
    }

    /// A walk over targets that visits each once.
    private struct Search {
        private var waiting: [String]
        /// What led to each.
        private var origins: [String: String?]
        private var position = 0

        init(from ids: [String]) {
            waiting = ids
            origins = Dictionary(ids.map { ($0, nil) }) { first, _ in first }
        }

        mutating func next() -> String? {
            guard position < waiting.count else { return nil }
            defer { position += 1 }
            return waiting[position]
        }

        mutating func add(_ ids: [String], after id: String) {
            for next in ids where origins[next] == nil {
                origins[next] = id
                waiting.append(next)
            }
        }

        /// From where the walk began to a target.
        func trail(to id: String) -> [String] {
            var trail = [id]
            while let origin = origins[trail[trail.count - 1]] ?? nil { trail.append(origin) }
            return trail.reversed()
        }
    }
}
