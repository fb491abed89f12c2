// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import History
import LinuxIO
import Monitoring

/// A target's last 90 days, one bar each.
struct PublicBars: Sendable, Hashable {
    /// What a day was like.
    enum Level: Int, Sendable, Hashable, CaseIterable {
        /// Nothing is known of it.
        case unknown
        /// It was up all the time.
        case good
        /// It was degraded, or down for up to 1 % of the time.
        case fair
        /// It was down for longer.
        case poor
    }

    /// The days, of UTC.
    static let days = 90
    private static let day: Int64 = 86_400_000

    /// Oldest first; ``days`` of them.
    let levels: [Level]
    /// The share of the known time in which it was up or degraded; nil when nothing is known.
    let uptime: Double?
    /// The known time in milliseconds.
    let known: Int64

    /// The days up to a moment, in milliseconds since 1970.
    static func ranges(until now: Int64) -> [Range<Int64>] {
        let end = (now / day + 1) * day
        return (0..<Int64(days)).map { end - (Int64(days) - $0) * day..<end - (Int64(days) - 1 - $0) * day }
    }

    /// - Parameter buckets: what the days came to.
    init(_ buckets: [RollupBucket]) {
        levels = buckets.map { bucket in
            let times = bucket.times
            guard times.judged > 0 else { return .unknown }
            if times[.down] * 100 > times.judged { return .poor }
            // A second of a change is no bad day.
            return times[.down] > 0 || times[.degraded] * 100 > times.judged ? .fair : .good
        }
        let judged = buckets.reduce(0 as UInt64) { $0 &+ $1.times.judged }
        known = Int64(clamping: judged)
        let up = buckets.reduce(0 as UInt64) { $0 &+ $1.times.up }
        uptime = judged == 0 ? nil : Double(up) / Double(judged)
    }

    /// `99.98 % up`, with the known time where that is not all of it, never rounded up to 100; nil when nothing is known.
    var uptimeText: String? {
        guard let uptime else { return nil }
        let hundredths = min(Int(uptime * 10_000), 10_000)
        let (whole, rest) = (hundredths / 100, hundredths % 100)
        let share = rest == 0 ? "\(whole) % up" : "\(whole).\(rest < 10 ? "0" : "")\(rest) % up"
        return levels.contains(.unknown) ? "\(share) in \(LengthOfTime.text(milliseconds: known))" : share
    }
}
