// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import PostgreSQL

/// The owner of a shard in a location, as the database stores it.
struct AssignmentRecord: Sendable, Hashable {
    /// The owner; nil when there is none.
    let node: String?
    let token: Int64
    /// When it was assigned, or the one before was lost if there was none between: then its predecessor's vote may be as old.
    let since: Duration
    /// The newest token whose owner has probed all targets.
    var confirmed: Int64 = 0

    /// Whether the owner has probed all targets since it was assigned.
    var isConfirmed: Bool { confirmed == token }
}

/// All assignments of a fleet.
struct AssignmentTable: Sendable, Hashable {
    private(set) var shards: [Shard: [String: AssignmentRecord]] = [:]

    /// Reads a row with the columns of ``CoordinatorStatement/assignments``.
    ///
    /// - Throws: `unexpected_answer` for a row of another form.
    static func read(_ rows: DatabaseRows, _ row: Int) throws(DatabaseError) -> (AssignmentKey, AssignmentRecord) {
        let shard = Shard(
            placement: Int(clamping: try rows.integer(row, 0)),
            number: Int(clamping: try rows.integer(row, 1))
        )
        return (
            AssignmentKey(shard: shard, location: try rows.text(row, 2)),
            AssignmentRecord(
                node: try rows.optionalText(row, 3),
                token: try rows.integer(row, 4),
                since: Duration(microseconds: try rows.integer(row, 5)),
                confirmed: try rows.integer(row, 6)
            )
        )
    }

    subscript(key: AssignmentKey) -> AssignmentRecord? {
        get { shards[key.shard]?[key.location] }
        set { shards[key.shard, default: [:]][key.location] = newValue }
    }

    /// The owners, for ``AssignmentPlanner``.
    var owners: [AssignmentKey: Assignment] {
        var owners: [AssignmentKey: Assignment] = [:]
        for (shard, locations) in shards {
            for (location, record) in locations {
                guard let node = record.node else { continue }
                owners[AssignmentKey(shard: shard, location: location)] =
                    Assignment(node: node, token: UInt64(clamping: record.token))
            }
        }
        return owners
    }

    /// The locations that watch a shard, in the order of their names. Those without an owner count only when no other is assigned:
    /// they tell when the last owner was lost.
    func locations(of shard: Shard) -> [(location: String, record: AssignmentRecord)] {
        let all = (shards[shard] ?? [:]).map { (location: $0.key, record: $0.value) }
        let owned = all.filter { $0.record.node != nil }
        return (owned.isEmpty ? all : owned).sorted { $0.location < $1.location }
    }

    /// The number of targets that each location shares with two others or more.
    ///
    /// - Parameters:
    ///   - sizes: the number of targets in each shard.
    ///   - dead: the nodes that do not probe.
    func sharedTargets(_ sizes: [Shard: Int], dead: Set<String>) -> [String: Int] {
        var shared: [String: Int] = [:]
        for (shard, locations) in shards {
            let judging = locations.filter { $0.value.node.map { !dead.contains($0) } ?? false }.keys
            guard judging.count >= IsolationTally.fewestLocations else { continue }
            for location in judging { shared[location, default: 0] += sizes[shard] ?? 0 }
        }
        return shared
    }

    /// The shards that some locations watch.
    func shards(in wanted: Set<String>) -> [Shard] {
        shards.filter { !wanted.isDisjoint(with: $0.value.keys) }.map(\.key).sorted()
    }

    /// The shards that one of several nodes owns.
    func shards(ownedBy nodes: Set<String>) -> [Shard] {
        guard !nodes.isEmpty else { return [] }
        return shards.filter { $0.value.values.contains { $0.node.map(nodes.contains) ?? false } }.map(\.key)
    }
}
