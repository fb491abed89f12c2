// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Synchronization

/// The answers of targets that were asked for lately, in two halves: when the young half is full it becomes the old
/// one, and what nobody asked for since is forgotten.
final class TargetCache: Sendable {
    private struct Entry {
        let record: StatusRecord
        let answer: PreparedAnswer
    }

    private struct Halves {
        var young: [String: Entry] = [:]
        var old: [String: Entry] = [:]
    }

    /// Answers in one half: some 500 kB, or some 3 MB of targets that show certificates.
    static let halfLength = 512

    private let halves = Mutex(Halves())

    /// The answer for a record, made when the one at hand is of another.
    func answer(for record: StatusRecord, id: String, make: () -> PreparedAnswer) -> PreparedAnswer {
        let found = halves.withLock { halves -> PreparedAnswer? in
            if let entry = halves.young[id] { return entry.record === record ? entry.answer : nil }
            guard let entry = halves.old[id], entry.record === record else { return nil }
            Self.insert(entry, id: id, &halves)
            return entry.answer
        }
        if let found { return found }
        let answer = make()
        halves.withLock { Self.insert(Entry(record: record, answer: answer), id: id, &$0) }
        return answer
    }

    private static func insert(_ entry: Entry, id: String, _ halves: inout Halves) {
        if halves.young.count >= halfLength, halves.young[id] == nil {
            halves.old = halves.young
            halves.young = [:]
        }
        halves.young[id] = entry
    }
}
