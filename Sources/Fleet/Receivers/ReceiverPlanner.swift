// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring

/// A receiver as the database has it.
struct ReceiverRecord: Sendable, Hashable {
    /// The digest of the definition in force.
    var digest: String
    /// The node that serves it; nil: none.
    var node: String?
    /// When it was assigned.
    var since: Duration
}

/// What a plan changes.
struct ReceiverChanges: Sendable, Hashable {
    /// An assignment; no node when none offers the receiver.
    struct Assignment: Sendable, Hashable {
        let name: String
        let digest: String
        let node: String?
    }

    /// New and changed assignments, by name.
    var assignments: [Assignment] = []
    /// Receivers whose offset is forgotten.
    var forgotten: [String] = []

    var isEmpty: Bool { assignments.isEmpty && forgotten.isEmpty }
}

/// Assigns each receiver to one node that offers it. Pure.
///
/// A name is one receiver, whatever its definition: while a changed configuration spreads over the nodes, nothing is sent twice and
/// nothing is lost. The node that serves a receiver decides which definition is in force, and keeps the receiver while it lives, does
/// not drain and offers it. Another node is chosen among those with the definition that most nodes have, by rendezvous hashing.
enum ReceiverPlanner {
    /// How long the offset of a receiver is kept that no node serves or offers.
    static let forgetfulness: Duration = .seconds(86_400)

    /// - Parameters:
    ///   - records: the stored receivers by name.
    ///   - nodes: all nodes.
    ///   - offers: what each node offers: digests by name.
    ///   - dead: the nodes that serve nothing any more.
    ///   - now: the database's time.
    static func changes(
        _ records: [String: ReceiverRecord],
        nodes: [FleetNode],
        offers: [String: [String: String]],
        dead: Set<String>,
        now: Duration
    ) -> ReceiverChanges {
        let known = Dictionary(nodes.map { ($0.name, $0) }) { first, _ in first }
        let candidates = Self.candidates(nodes, offers: offers, now: now)
        var changes = ReceiverChanges()
        for name in Set(records.keys).union(candidates.keys).sorted() {
            let record = records[name]
            let offering = candidates[name] ?? [:]
            let owner = record?.node.flatMap { known[$0] }
            let owned = owner.flatMap { dead.contains($0.name) ? nil : offers[$0.name]?[name] }
            if let record, let owner, let owned, owner.intent == .serve || offering.isEmpty {
                if owned != record.digest { changes.assign(name, owned, to: owner.name) }
                continue
            }
            if let chosen = choose(name, offering, inForce: record?.digest) {
                changes.assign(name, chosen.digest, to: chosen.node)
            } else if let record {
                let isGone = owner.map { dead.contains($0.name) } ?? true
                let idleSince = record.node == nil ? record.since : max(record.since, owner?.until ?? .zero)
                if isGone, now - idleSince > forgetfulness {
                    changes.forgotten.append(name)
                } else if !isGone {
                    changes.assign(name, record.digest, to: nil)
                }
            }
        }
        return changes
    }

    /// The names of receivers that live nodes define differently.
    static func conflicts(_ nodes: [FleetNode], offers: [String: [String: String]], now: Duration) -> Set<String> {
        Set(candidates(nodes, offers: offers, now: now).filter { Set($0.value.values).count > 1 }.keys)
    }

    /// The nodes that can be given a receiver, with their digests, by receiver.
    private static func candidates(
        _ nodes: [FleetNode],
        offers: [String: [String: String]],
        now: Duration
    ) -> [String: [String: String]] {
        var candidates: [String: [String: String]] = [:]
        for node in nodes where node.isLive(now) && node.intent == .serve {
            for (name, digest) in offers[node.name] ?? [:] { candidates[name, default: [:]][node.name] = digest }
        }
        return candidates
    }

    private static func choose(_ name: String, _ offering: [String: String], inForce digest: String?) -> (
        node: String, digest: String
    )? {
        let counts = offering.values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        let wanted = counts.max { left, right in
            (left.value, left.key == digest ? 1 : 0, right.key) < (right.value, right.key == digest ? 1 : 0, left.key)
        }
        guard let wanted else { return nil }
        let seed = StableHash.hash(name)
        let node = offering.filter { $0.value == wanted.key }.keys.max { left, right in
            (StableHash.hash(left, seed: seed), left) < (StableHash.hash(right, seed: seed), right)
        }
        return node.map { ($0, wanted.key) }
    }
}

extension ReceiverChanges {
    fileprivate mutating func assign(_ name: String, _ digest: String, to node: String?) {
        assignments.append(Assignment(name: name, digest: digest, node: node))
    }
}
