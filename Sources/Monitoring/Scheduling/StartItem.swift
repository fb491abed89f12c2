// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// An entry in one of the queue's lines: the earlier due is first, of the same due the earlier given.
struct StartItem: Comparable, Sendable {
    let due: UInt64
    let token: UInt64
    let id: UInt64

    static func < (left: StartItem, right: StartItem) -> Bool { (left.due, left.token) < (right.due, right.token) }
    static func == (left: StartItem, right: StartItem) -> Bool { left.token == right.token }
}
