// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// When the coordinator reads the inbox, and when it looks at the nodes, which also renews its lease.
///
/// **Rows arrive:** every 25 ms, and at once after a full batch. **5 s after the last row:** only a look every two fifths of a lease.
/// What happens then is notified by the node that reports it, so the first event after a quiet time waits for nothing. A notification
/// by each writer would make PostgreSQL serialize their commits. Without notifications, behind a pooler in transaction mode, a look
/// every 250 ms also tells whether the inbox has rows.
struct PollPace: Sendable, Hashable {
    /// The time between two reads of the inbox while rows arrive, in nanoseconds like all times here.
    static let fast: UInt64 = 25_000_000
    /// How long after the last row the inbox is read fast.
    static let fastTime: UInt64 = 5_000_000_000
    /// How long a node has not reported when it notifies of its next report: the inbox may not be read fast any more. Less than
    /// ``fastTime`` by more than a report takes.
    static let quietTime: UInt64 = 3_000_000_000
    /// The time between two looks while rows arrive.
    static let look: UInt64 = 200_000_000
    /// The time between two looks while none do, without notifications.
    static let idleLook: UInt64 = 250_000_000

    /// Whether what happens is notified.
    var isNotified = false
    /// When the inbox is read next; nil while only looks are due.
    private(set) var inboxAt: UInt64?
    /// When to look next.
    private(set) var lookAt: UInt64
    private var lastRow: UInt64?
    private var lastLook: UInt64
    /// Whether something was notified since the last look began.
    private var mustLook = false

    /// Begins with a look and fast reads: nodes may have reported shortly before.
    init(now: UInt64) {
        inboxAt = now
        lookAt = now
        lastRow = now
        lastLook = now
    }

    /// Rows are known to be in the inbox.
    mutating func rowsArrived(_ now: UInt64) {
        lastRow = now
        inboxAt = now
    }

    /// A node notified that there is something to do.
    mutating func notified(_ now: UInt64) {
        mustLook = true
        lookAt = min(lookAt, max(now, lastLook + Self.fast))
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

    /// A look begins: what is notified from now on may not be in it.
    mutating func lookBegins() { mustLook = false }

    /// The nodes were looked at.
    ///
    /// - Parameters:
    ///   - isPending: whether the inbox has rows.
    ///   - lease: the length of the leases.
    ///   - nextEnd: when the first lease ends unless it is renewed, so that a loss is noticed at once.
    ///   - now: the time.
    mutating func looked(isPending: Bool, lease: Duration, nextEnd: UInt64?, now: UInt64) {
        lastLook = now
        let idle = isNotified ? (lease * 2 / 5).nanoseconds : Self.idleLook
        let regular = mustLook ? now : now + (inboxAt == nil ? idle : min(idle, Self.look))
        // Never more often than the inbox is read: a lease may end again and again in the same moment.
        lookAt = min(max(regular, now + Self.fast), max(nextEnd ?? regular, now + Self.fast))
        if isPending, inboxAt == nil { rowsArrived(now) }
    }
}
