// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// When the coordinator reads the inbox, and when it looks at the nodes.
///
/// **Rows arrive:** every 25 ms, and at once after a full batch. **5 s after the last row:** the look at the nodes, every 250 ms, also
/// tells whether the inbox has rows, and nothing else is executed. So an idle fleet costs its coordinator four cheap statements a
/// second and one renewal, the first event after a quiet time waits for 125 ms on average, and the others for 12.5 ms. A notification
/// by each writer would be faster, but PostgreSQL serializes the commits of those that notify.
struct PollPace: Sendable, Hashable {
    /// The time between two reads of the inbox while rows arrive, in nanoseconds like all times here.
    static let fast: UInt64 = 25_000_000
    /// How long after the last row the inbox is read fast.
    static let fastTime: UInt64 = 5_000_000_000
    /// The time between two looks while rows arrive.
    static let look: UInt64 = 200_000_000
    /// The time between two looks while none do.
    static let idleLook: UInt64 = 250_000_000

    /// When the inbox is read next; nil while only looks are due.
    private(set) var inboxAt: UInt64?
    /// When to look next.
    private(set) var lookAt: UInt64
    private var lastRow: UInt64?

    /// Begins with a look and a read.
    init(now: UInt64) {
        inboxAt = now
        lookAt = now
    }

    /// Rows are known to be in the inbox.
    mutating func rowsArrived(_ now: UInt64) {
        lastRow = now
        inboxAt = now
    }

    /// The inbox was read.
    ///
    /// - Parameters:
    ///   - count: how many rows it had.
    ///   - isFull: whether it may have more.
    ///   - now: the time.
    mutating func inboxRead(_ count: Int, isFull: Bool, now: UInt64) {
        if count > 0 { lastRow = now }
        let isFast = lastRow.map { now < $0 + Self.fastTime } ?? false
        inboxAt = isFull ? now : isFast ? now + Self.fast : nil
    }

    /// The nodes were looked at.
    ///
    /// - Parameters:
    ///   - isPending: whether the inbox has rows.
    ///   - nextEnd: when the first lease ends unless it is renewed, so that a loss is noticed at once.
    ///   - now: the time.
    mutating func looked(isPending: Bool, nextEnd: UInt64?, now: UInt64) {
        let regular = now + (inboxAt == nil ? Self.idleLook : Self.look)
        // Never more often than the inbox is read: a lease may end again and again in the same moment.
        lookAt = min(regular, max(nextEnd ?? regular, now + Self.fast))
        if isPending, inboxAt == nil { rowsArrived(now) }
    }
}
