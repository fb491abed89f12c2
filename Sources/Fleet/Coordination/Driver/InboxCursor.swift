// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Above which id the coordinator reads the inbox.
///
/// Usually that is the ``InboxFloor``. When a term begins, and once a minute, all rows are read: another program may have inserted
/// an id from far ahead, which raises the floor above all that follow, or a negative one, or it may have set the sequence back.
struct InboxCursor: Sendable, Hashable {
    /// The time between two readings of all rows, in nanoseconds.
    static let interval: UInt64 = 60_000_000_000
    /// No more rows than this are written while an insertion is in progress.
    static let largestStep: Int64 = 1 << 32

    private var floor = InboxFloor()
    private var greatest: Int64 = 0
    private var readsAllAt: UInt64 = 0
    private var readsAll = true

    /// All rows to be read have greater ids.
    var position: Int64 { readsAll ? .min : floor.id }

    /// The coordinator is about to look whether the inbox has rows.
    mutating func willLook(at now: UInt64) {
        guard now >= readsAllAt else { return }
        readsAllAt = now + Self.interval
        readsAll = true
    }

    /// Nothing is above ``position``.
    mutating func foundNothing() { readsAll = false }

    /// The inbox was read.
    ///
    /// - Parameters:
    ///   - ids: of the rows, in order.
    ///   - isFull: whether there may be more.
    ///   - now: the time in nanoseconds.
    mutating func read(_ ids: [Int64], isFull: Bool, at now: UInt64) {
        if let first = ids.first, let last = ids.last {
            // What raised the floor was not of the sequence.
            let isFarBelow = greatest > Self.largestStep && last < greatest - Self.largestStep
            if first <= floor.id || isFarBelow {
                floor = InboxFloor()
                greatest = 0
            }
            greatest = max(greatest, last)
        }
        floor.record(ids.last, at: now)
        if !isFull { readsAll = false }
    }
}
