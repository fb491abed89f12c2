// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// What an outage of our own network, or its end, did to targets: gathered for a moment, so that it is one message.
struct OutageGroup: Sendable {
    /// What happened to one target.
    struct Member: Sendable {
        /// The state before the first change.
        let from: TargetState
        var last: StateChange
        var changes = 1
        var covers: SequenceSet

        /// Whether the target came back.
        var isOver: Bool { !last.to.isProblem }
    }

    /// Targets that are gathered at most; then the message is made at once.
    static let memberLimit = 10_000

    private(set) var members: [String: Member] = [:]
    /// Changes whose time by the log is in it are gathered.
    let window: OutageWindow
    /// When the gathering is over.
    let deadline: UInt64

    init(_ window: OutageWindow, now: UInt64) {
        self.window = window
        deadline = now + window.length.magnitude * 1_000_000
    }

    var isFull: Bool { members.count >= Self.memberLimit }

    mutating func add(_ change: StateChange) {
        guard var member = members[change.target] else {
            members[change.target] = Member(
                from: change.from,
                last: change,
                covers: SequenceSet(change.sequence...change.sequence)
            )
            return
        }
        // Another reason for the same state is not a further change.
        if member.last.to != change.to { member.changes += 1 }
        member.last = change
        member.covers.insert(change.sequence)
        members[change.target] = member
    }

    /// Takes a target out: it has a message of its own, or is again what the receiver knows it to be.
    mutating func remove(_ target: String) -> Member? { members.removeValue(forKey: target) }

    /// The messages: one for the targets that cannot be judged, then one for those that can be again. The latter names every
    /// target that a message named before, in several messages if need be.
    ///
    /// - Parameter open: what the receiver was notified of; takes in what the messages notify of.
    func messages(_ open: inout OpenProblems) -> [Message] {
        let sorted = members.values.sorted { $0.last.sequence < $1.last.sequence }
        let failed = sorted.filter { !$0.isOver }
        var messages = [
            Self.message(failed, listed: min(failed.count, Message.listLimit), isOver: false, &open)
        ]
        let named = sorted.filter { $0.isOver && open[$0.last.target]?.isNamed == true }
        let counted = sorted.filter { $0.isOver && open[$0.last.target]?.isNamed != true }
        var rest = named[...]
        repeat {
            let part = rest.prefix(Message.listLimit)
            rest = rest.dropFirst(part.count)
            let isLast = rest.isEmpty
            messages.append(Self.message(part + (isLast ? counted : []), listed: part.count, isOver: true, &open))
        } while !rest.isEmpty
        return messages.compactMap(\.self)
    }

    private static func message(
        _ part: some Sequence<Member>,
        listed: Int,
        isOver: Bool,
        _ open: inout OpenProblems
    ) -> Message? {
        var covers = SequenceSet()
        var replaced: [OpenProblems.Replacement] = []
        var leftOut = 0
        let changes = part.enumerated().map { index, member in
            covers.formUnion(member.covers)
            leftOut += member.changes - 1
            var change = member.last
            change.from = member.from
            let problem = isOver ? nil : OpenProblems.Problem(state: change.to, isNamed: index < listed)
            replaced.append(open.replace(change.target, with: problem))
            return change
        }
        var message = Message(outage: changes, listed: listed, isOver: isOver, leftOut: leftOut, covers: covers)
        message?.replaced = replaced
        return message
    }
}

/// The time, by the log, in which what an outage does is gathered. Part of a receiver's place, because a reading of the log may begin
/// inside of it.
struct OutageWindow: Sendable, Hashable {
    /// When the first change happened, in milliseconds since 1970.
    let began: Int64
    /// In milliseconds; not negative, and ``limit`` at most.
    let length: Int64

    /// Thirty years and more: a sum of it and a time overflows nowhere.
    static let limit: Int64 = 1_000_000_000_000

    init(began: Int64, length: Int64) {
        self.began = began
        self.length = min(length, Self.limit)
    }

    /// Whether a time of the log is in it. So long before it began is not: the clock was set back.
    func contains(_ milliseconds: Int64) -> Bool {
        let (distance, isTooFar) = milliseconds.subtractingReportingOverflow(began)
        return !isTooFar && distance.magnitude <= length.magnitude
    }
}
