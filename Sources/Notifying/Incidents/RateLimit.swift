// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring

/// The recent messages about the certificates of each target, by the time of their events: a receiver that returns after hours gets
/// everything that happened meanwhile.
struct RateLimit: Sendable {
    private let limit: Int
    private let window: Int64
    private var times: [String: [Int64]] = [:]

    /// Targets that are remembered; those whose last message is longest ago are forgotten first.
    static let targetLimit = 10_000

    /// Targets that are remembered now.
    var count: Int { times.count }

    init(_ pace: MessageRate) {
        limit = max(1, pace.perTarget)
        window = Int64(clamping: pace.window.nanoseconds / 1_000_000)
    }

    /// From when on, in milliseconds since 1970, a message about a target may be made; no more than the window from the time at
    /// which it is asked: what is later than that is of a clock that was set back, and does not count.
    func earliest(_ target: String, at milliseconds: Int64) -> Int64 {
        let past = (times[target] ?? []).filter { $0 <= milliseconds }
        guard past.count >= limit else { return .min }
        let (sum, isTooFar) = past[past.count - limit].addingReportingOverflow(window)
        return isTooFar ? .max : sum
    }

    mutating func note(_ target: String, at milliseconds: Int64) {
        if times[target] == nil, times.count >= Self.targetLimit { forget(before: milliseconds) }
        times[target, default: []].append(milliseconds)
        if times[target, default: []].count > limit { times[target]?.removeFirst() }
    }

    private mutating func forget(before milliseconds: Int64) {
        times = times.filter { ($0.value.last ?? .min) > milliseconds - window }
        guard times.count >= Self.targetLimit else { return }
        // A tenth at once, so that the next ones cost nothing.
        let oldest = times.sorted { ($0.value.last ?? .min, $0.key) < ($1.value.last ?? .min, $1.key) }
        for (target, _) in oldest.prefix(times.count - Self.targetLimit * 9 / 10) { times[target] = nil }
    }
}

/// How many messages there may be.
package struct MessageRate: Sendable, Hashable {
    /// How long targets may join an incident whose cause others may share before the receiver is notified of it. Those that
    /// are asked when a fault is found fail within 4 s and the default timeout of 5 s.
    package var groupWait: Duration = .seconds(10)
    /// Messages about one incident, or the certificates of one target, within ``window``.
    package var perTarget = 6
    /// See ``perTarget``.
    package var window: Duration = .seconds(600)

    /// The defaults.
    package init() {}
}
