// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

@testable import Fleet

/// A node's history in memory.
final class ListedRollups: NodeRollupSource {
    private struct State {
        var buckets: [RollupLength: [Int64: [(target: String, data: [UInt8])]]] = [:]
        var answer: NodeRollupAnswer?
        var reads: [Int64] = []
    }

    private let state = Mutex(State())

    /// An answer instead of the history.
    var answer: NodeRollupAnswer? {
        get { state.withLock { $0.answer } }
        set { state.withLock { $0.answer = newValue } }
    }

    /// The beginnings of the buckets that were asked for.
    var reads: [Int64] { state.withLock { $0.reads } }

    /// Adds a target's bucket.
    func add(_ target: String, _ length: RollupLength, _ start: Int64, _ data: [UInt8]) {
        state.withLock { $0.buckets[length, default: [:]][start, default: []].append((target, data)) }
    }

    func read(
        _ length: RollupLength,
        start: Int64,
        after place: Int64?,
        limit: Int,
        bytes: Int,
        completion: @escaping @Sendable (NodeRollupAnswer) -> Void
    ) {
        let answer = state.withLock { state -> NodeRollupAnswer in
            state.reads.append(start)
            if let answer = state.answer { return answer }
            let all = state.buckets[length]?[start] ?? []
            let first = Int(place ?? 0)
            let page = all[first...].prefix(limit)
            let next = first + page.count
            return .page(
                NodeRollupPage(
                    targets: page.map(\.target),
                    data: page.map(\.data),
                    next: next < all.count ? Int64(next) : nil
                )
            )
        }
        completion(answer)
    }
}
