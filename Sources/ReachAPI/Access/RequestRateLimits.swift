// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// Rate limits: a token bucket for each client and kind of request, so that no client spends another's, and heartbeats and
/// refused requests never spend what changes need.
final class RequestRateLimits: Sendable {
    /// What is counted by itself.
    enum Kind: Sendable, Hashable {
        /// Changes of targets, pause, resume, probe now, reload.
        case change
        /// Heartbeats of one target that exists and expects them.
        case heartbeat(target: String)
        /// Requests that were refused: 401, 403, and heartbeats that nothing expects.
        case refusal
    }

    private struct Key: Hashable {
        let client: ClientIdentity
        let kind: Kind
    }

    private struct Bucket {
        /// When it would be full, in nanoseconds; the farther ahead, the less is left.
        var fullAt: UInt64
        var lastUsed: UInt64
    }

    private struct State {
        var perSecond: UInt64?
        var buckets: [Key: Bucket] = [:]
    }

    /// Buckets that are kept; beyond that the longest unused are dropped, which is as if they were full.
    static let limit = 8_192
    /// Seconds' worth that may be spent at once.
    private static let burst: UInt64 = 10

    private let time: @Sendable () -> UInt64
    private let state = Mutex(State())

    /// - Parameter time: nanoseconds that never go back.
    init(time: @escaping @Sendable () -> UInt64) {
        self.time = time
    }

    /// Buckets in use.
    var count: Int { state.withLock { $0.buckets.count } }

    /// - Parameter perSecond: requests of one client and kind a second; nil: any number.
    func apply(perSecond: Int?) {
        state.withLock { state in
            state.perSecond = perSecond.map { UInt64(max(1, $0)) }
            if perSecond == nil { state.buckets = [:] }
        }
    }

    /// Takes one; otherwise returns in how many seconds there is one again.
    func spend(_ kind: Kind, by client: ClientIdentity) -> Int? {
        let now = time()
        return state.withLock { state in
            guard let perSecond = state.perSecond else { return nil }
            let key = Key(client: client, kind: kind)
            let price = 1_000_000_000 / perSecond
            let full = max(state.buckets[key]?.fullAt ?? 0, now) + price
            let ahead = full - now
            let allowed = Self.burst * 1_000_000_000
            guard ahead <= allowed else {
                state.buckets[key]?.lastUsed = now
                return Int((ahead - allowed) / 1_000_000_000) + 1
            }
            if state.buckets[key] == nil, state.buckets.count >= Self.limit { Self.evict(&state.buckets, at: now) }
            state.buckets[key] = Bucket(fullAt: full, lastUsed: now)
            return nil
        }
    }

    /// Drops full buckets; if all are in use, the tenth that is unused for the longest time, so that the next ones cost nothing.
    private static func evict(_ buckets: inout [Key: Bucket], at now: UInt64) {
        buckets = buckets.filter { $0.value.fullAt > now }
        guard buckets.count >= limit else { return }
        for (key, _) in buckets.sorted(by: { $0.value.lastUsed < $1.value.lastUsed }).prefix(limit / 10) {
            buckets[key] = nil
        }
    }
}
