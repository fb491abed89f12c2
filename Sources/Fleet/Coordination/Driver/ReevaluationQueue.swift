// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The targets that have to be decided again without a row of the inbox, in pages.
///
/// Only shards and parents are remembered, whose number is bounded, and of targets at most a page of the pending ones.
struct ReevaluationQueue: Sendable, Hashable {
    /// A page of the targets in shards.
    struct ShardPage: Sendable, Hashable {
        let shards: [Shard]
        /// The last id of the page before.
        var after = ""
    }

    /// A page of the targets that depend on others.
    struct ChildPage: Sendable, Hashable {
        let parents: [String]
        var after = ""
    }

    /// Targets that are known by their ids.
    private(set) var targets: [String] = []
    private var isListed: Set<String> = []
    private(set) var shardPage: ShardPage?
    private(set) var childPage: ChildPage?
    private var urgent: Set<Shard> = []
    private var background: [Shard] = []
    private var parents: [String] = []
    private var isParentListed: Set<String> = []
    private var due: [Shard: Duration] = [:]
    /// When the next shard is due because of the time; nil when none is.
    private(set) var nextDue: Duration?

    // MARK: Adding

    /// Adds targets.
    mutating func add(targets ids: some Sequence<String>) {
        for id in ids where isListed.insert(id).inserted { targets.append(id) }
    }

    /// Adds all targets of shards.
    mutating func add(shards: some Sequence<Shard>) { urgent.formUnion(shards) }

    /// Adds all targets of shards, to be decided when nothing else is.
    mutating func addInBackground(_ shards: [Shard]) { background += shards.reversed() }

    /// Adds all targets that depend on others.
    mutating func add(childrenOf ids: [String]) {
        for id in ids where isParentListed.insert(id).inserted { parents.append(id) }
    }

    /// Adds all targets of a shard at a later time.
    mutating func add(_ shard: Shard, at time: Duration) {
        due[shard] = min(time, due[shard] ?? time)
        nextDue = min(time, nextDue ?? time)
    }

    // MARK: Taking

    /// Whether there is something to do at once.
    var isUrgent: Bool {
        !targets.isEmpty || shardPage != nil || childPage != nil || !urgent.isEmpty || !parents.isEmpty
    }

    /// Whether there is something to do when nothing else is.
    var hasBackground: Bool { !background.isEmpty }

    /// Takes some of the targets.
    mutating func takeTargets(_ limit: Int) -> [String] {
        let taken = Array(targets.prefix(limit))
        targets.removeFirst(taken.count)
        isListed.subtract(taken)
        return taken
    }

    /// Moves the shards that are due because of the time to those to be decided at once.
    ///
    /// - Parameters:
    ///   - now: the database's time.
    ///   - isUnsteady: whether the time can still change something about a shard.
    mutating func takeDue(_ now: Duration, where isUnsteady: (Shard) -> Bool) {
        guard let nextDue, nextDue <= now else { return }
        for (shard, time) in due where time <= now {
            due[shard] = nil
            if isUnsteady(shard) { urgent.insert(shard) }
        }
        self.nextDue = due.values.min()
    }

    /// Begins the next page of shards if none is begun: as many shards as have about a page of targets together.
    ///
    /// - Parameters:
    ///   - limit: the number of targets of a page.
    ///   - sizes: the number of targets in each shard.
    ///   - withBackground: whether those may be taken that can wait.
    mutating func beginShardPage(_ limit: Int, sizes: [Shard: Int], withBackground: Bool) {
        guard shardPage == nil else { return }
        var taken: [Shard] = []
        var room = limit
        let candidates = urgent.isEmpty && withBackground ? background.suffix(Shard.count).reversed() : urgent.sorted()
        for shard in candidates {
            guard taken.isEmpty || room >= sizes[shard] ?? 0, taken.count < Shard.count else { break }
            room -= sizes[shard] ?? 0
            taken.append(shard)
        }
        guard !taken.isEmpty else { return }
        if urgent.isEmpty { background.removeLast(taken.count) } else { urgent.subtract(taken) }
        shardPage = ShardPage(shards: taken)
    }

    /// Takes the targets of the page that was begun.
    mutating func take(shardPage ids: [String], isFull: Bool) {
        if isFull, let last = ids.last { shardPage?.after = last } else { shardPage = nil }
    }

    /// Begins the next page of dependent targets if none is begun.
    mutating func beginChildPage(_ limit: Int) {
        guard childPage == nil, !parents.isEmpty else { return }
        let taken = Array(parents.prefix(limit))
        childPage = ChildPage(parents: taken)
        parents.removeFirst(taken.count)
        isParentListed.subtract(taken)
    }

    /// Takes the targets of the page that was begun.
    mutating func take(childPage ids: [String], isFull: Bool) {
        add(targets: ids)
        if isFull, let last = ids.last { childPage?.after = last } else { childPage = nil }
    }
}
