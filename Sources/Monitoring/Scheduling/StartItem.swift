// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// An entry in one of the queue's lines: the earlier due is first, of the same due the earlier given.
struct StartItem: Comparable, Sendable {
    let due: UInt64
    let token: UInt64
    let id: UInt64
    /// When the queue was first asked for it after it was due: the thread's lateness ends here, and waiting for a place begins.
    var admitted: UInt64 = 0

    static func < (left: StartItem, right: StartItem) -> Bool { (left.due, left.token) < (right.due, right.token) }
    static func == (left: StartItem, right: StartItem) -> Bool { left.token == right.token }
}
