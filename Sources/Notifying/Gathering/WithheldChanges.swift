// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Changes of a target about which there were too many messages: the last judgement is reported, with the number of the others.
struct WithheldChanges: Sendable {
    /// The last change that was a judgement; nil: none was.
    private(set) var judgement: StateChange?
    /// The last pause or maintenance behind it that the receiver wants to know of.
    private(set) var info: StateChange?
    /// Changes that would have been messages.
    private(set) var count: Int
    private(set) var covers = SequenceSet()
    /// When it may be reported.
    let deadline: UInt64
    /// The same, in milliseconds since 1970.
    let earliest: Int64

    /// Changes of so many targets are held back; those of others are reported at once.
    static let limit = 1_000

    /// - Parameter leftOut: changes before the first that is held back.
    init(deadline: UInt64, earliest: Int64, leftOut: Int) {
        count = leftOut
        self.deadline = deadline
        self.earliest = earliest
    }

    /// The newest change.
    var sequence: UInt64 { max(judgement?.sequence ?? 0, info?.sequence ?? 0) }

    mutating func add(_ change: StateChange, isWanted: Bool, covers: SequenceSet) {
        self.covers.formUnion(covers)
        if change.to.isJudgement {
            if isWanted, judgement?.to != change.to { count += 1 }
            judgement = change
            info = nil
        } else if isWanted {
            count += 1
            info = change
        }
    }
}
