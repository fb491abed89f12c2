// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring

/// The recent messages about each target, by the time of their events: a receiver that returns
/// after hours gets everything that happened meanwhile.
struct RateLimit: Sendable {
    private let limit: Int
    private let window: Int64
    private var times: [String: [Int64]]

    /// The name of outages; no target's id is empty.
    static let outage = ""
    /// Targets that are remembered; those whose last message is longest ago are forgotten first.
    static let targetLimit = 10_000

    /// Targets that are remembered now.
    var count: Int { times.count }

    /// - Parameter times: those of earlier messages, by target.
    init(_ pace: MessageRate, times: [String: [Int64]] = [:]) {
        self.times = times
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

    mutating func note(_ message: Message) {
        switch message.kind {
        case .state: note(message.target?.target ?? Self.outage, at: message.at.milliseconds)
        case .outage: note(Self.outage, at: message.at.milliseconds)
        case .certificate, .gap, .test: break
        }
    }

    mutating func note(_ target: String, at milliseconds: Int64) {
        if times[target] == nil, times.count >= Self.targetLimit { forget(before: milliseconds) }
        times[target, default: []].append(milliseconds)
        if times[target, default: []].count > limit { times[target]?.removeFirst() }
    }

    /// The times that count for what happened at one of the log and, because changes may be held back, a window before it.
    func times(at milliseconds: Int64) -> [String: [Int64]] {
        let (past, isTooFar) = milliseconds.subtractingReportingOverflow(2 * min(window, .max / 2))
        return isTooFar ? times : times.filter { ($0.value.last ?? .min) > past }
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
    /// How long changes for which this machine's network, DNS or a parent is the cause are gathered into one message.
    package var groupWait: Duration = .seconds(5)
    /// Messages about one target within ``window``; later changes are held back and delivered in one message, with their number.
    package var perTarget = 6
    /// See ``perTarget``.
    package var window: Duration = .seconds(600)

    /// The defaults.
    package init() {}
}
