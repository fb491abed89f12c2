// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// What an outage of our own network, or its end, did to targets: gathered for a moment, so that it is told once.
struct OutageGroup: Sendable {
    /// What happened to one target.
    struct Member: Sendable {
        /// The state before the first change.
        let from: TargetState
        var last: StateChange
        var changes = 1
        var covers: SequenceSet
    }

    /// Targets that are gathered at most; then the message is made at once.
    static let memberLimit = 10_000

    private(set) var members: [String: Member] = [:]
    /// When the first change happened, in milliseconds since 1970.
    let began: Int64
    /// When the gathering is over.
    let deadline: UInt64

    init(began: Int64, deadline: UInt64) {
        self.began = began
        self.deadline = deadline
    }

    var isFull: Bool { members.count >= Self.memberLimit }

    func contains(_ target: String) -> Bool { members[target] != nil }

    mutating func add(_ change: StateChange) {
        if var member = members[change.target] {
            member.last = change
            member.changes += 1
            member.covers.insert(change.sequence)
            members[change.target] = member
        } else {
            members[change.target] = Member(
                from: change.from,
                last: change,
                covers: SequenceSet(change.sequence...change.sequence)
            )
        }
    }

    /// Takes a target out, which has something of its own to tell.
    mutating func remove(_ target: String) -> Member? { members.removeValue(forKey: target) }

    /// What to tell: who cannot be judged, and who can be again.
    var messages: [Message] {
        let sorted = members.values.sorted { $0.last.sequence < $1.last.sequence }
        return [false, true].compactMap { isOver in
            let part = sorted.filter { ($0.last.to == .up) == isOver }
            var covers = SequenceSet()
            let changes = part.map { member in
                covers.formUnion(member.covers)
                var change = member.last
                // Of one that went and came back the worse of it would be hidden otherwise.
                change.from = member.changes > 1 && isOver ? .unreachable : member.from
                return change
            }
            let leftOut = part.reduce(0) { $0 + $1.changes - 1 }
            return Message(outage: changes, isOver: isOver, leftOut: leftOut, covers: covers)
        }
    }
}
