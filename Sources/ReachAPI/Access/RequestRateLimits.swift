// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// Rate limits: a token bucket for each client and kind of request, so that clients do not affect each other, and
/// heartbeats and refused requests do not affect changes.
final class RequestRateLimits: Sendable {
    /// The kinds of requests with separate limits.
    enum Kind: Sendable, Hashable {
        /// Changes of targets, pause, resume, probe now, reload.
        case change
        /// Heartbeats of one target that exists and expects them.
        case heartbeat(target: String)
        /// Refused requests: 401, 403, and heartbeats that no probe expects.
        case refusal
    }

    private struct Key: Hashable {
        let client: ClientIdentity
        let kind: Kind
    }

    private struct Bucket {
        /// When the bucket is full again, in nanoseconds; the later, the less is left.
        var fullAt: UInt64
        var lastUsed: UInt64
    }

    private struct State {
        var perSecond: UInt64?
        var buckets: [Key: Bucket] = [:]
    }

    /// The maximum number of buckets. Beyond it the longest unused are dropped, which counts as full.
    static let limit = 8_192
    /// The burst, in seconds' worth of requests.
    private static let burst: UInt64 = 10

    private let time: @Sendable () -> UInt64
    private let state = Mutex(State())

    /// - Parameter time: monotonic time in nanoseconds.
    init(time: @escaping @Sendable () -> UInt64) {
        self.time = time
    }

    /// Buckets in use.
    var count: Int { state.withLock { $0.buckets.count } }

    /// - Parameter perSecond: requests per second of one client and kind; nil is unlimited.
    func apply(perSecond: Int?) {
        state.withLock { state in
            state.perSecond = perSecond.map { UInt64(max(1, $0)) }
            if perSecond == nil { state.buckets = [:] }
        }
    }

    /// Counts one request; if the limit is exceeded, returns the seconds until the next is allowed.
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

    /// Drops full buckets. If all are in use, drops the least recently used tenth, so that the next insertions cost
    /// nothing.
    private static func evict(_ buckets: inout [Key: Bucket], at now: UInt64) {
        buckets = buckets.filter { $0.value.fullAt > now }
        guard buckets.count >= limit else { return }
        for (key, _) in buckets.sorted(by: { $0.value.lastUsed < $1.value.lastUsed }).prefix(limit / 10) {
            buckets[key] = nil
        }
    }
}
