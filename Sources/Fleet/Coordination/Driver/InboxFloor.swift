// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The floor of the inbox's ids: rows below it are done.
///
/// A row becomes visible after rows with greater ids, when its transaction commits later. The floor is the greatest id that was seen
/// a minute ago, far longer than an insertion may take. Without it each read would pass over the dead rows of an hour.
struct InboxFloor: Sendable, Hashable {
    /// How old an id must be, in nanoseconds.
    static let age: UInt64 = 60_000_000_000
    private static let step: UInt64 = 1_000_000_000

    /// All rows to be read have greater ids.
    private(set) var id: Int64 = 0
    private var seen: [Seen] = []

    private struct Seen: Sendable, Hashable {
        let at: UInt64
        var id: Int64
    }

    /// Records the greatest id of a batch.
    mutating func record(_ newest: Int64?, at now: UInt64) {
        if let newest {
            // One entry a second: at most about sixty.
            if let last = seen.last, now < last.at + Self.step, seen.count > 1 {
                seen[seen.count - 1].id = max(last.id, newest)
            } else {
                seen.append(Seen(at: now, id: max(newest, seen.last?.id ?? 0)))
            }
        }
        while let first = seen.first, now >= first.at + Self.age + Self.step {
            id = max(id, first.id)
            seen.removeFirst()
        }
    }
}
