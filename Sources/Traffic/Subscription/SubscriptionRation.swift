// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Decides when the subscription to ended connections is held, so that a busy machine does not pay for it.
///
/// While anybody listens, each socket that ends costs the kernel about 8 µs, whether or not a filter drops the message. Below a limit
/// of ended connections a second the subscription stays. When a second has more, it is cancelled, and renewed for one second in thirty,
/// until such a second has less than three quarters of the limit.
///
/// The rate is measured by the messages themselves: those that pass the filter, each sampled one of another connection standing for
/// ``ConnectionFilter/sampling``. So an idle machine runs no timer and reads no counters in `/proc`; a timer exists only while the
/// limit is exceeded. Pure: the caller passes the time, in nanoseconds of its monotonic clock, and acts on the changes.
struct SubscriptionRation {
    /// What the caller does.
    enum Change: Hashable {
        /// Leave the groups.
        case leave
        /// Join them again.
        case join
    }

    private enum Phase {
        case subscribed
        case sampling(until: UInt64)
        case away(until: UInt64)
    }

    /// One second, over which the rate is measured, and for which a busy machine is sampled.
    static let second: UInt64 = 1_000_000_000
    /// Seconds from one sample to the next.
    static let period: UInt64 = 30

    /// Ended connections a second.
    let limit: Int
    private var phase = Phase.subscribed
    private var windowStart: UInt64
    private var windowCount = 0

    /// - Parameters:
    ///   - limit: Ended connections a second, at least 1.
    ///   - now: The time.
    init(limit: Int, at now: UInt64) {
        self.limit = max(1, limit)
        windowStart = now
    }

    /// Whether the groups are joined.
    var isSubscribed: Bool {
        if case .away = phase { false } else { true }
    }

    /// Whether the limit was exceeded, so that only samples are seen.
    var isRationed: Bool {
        if case .subscribed = phase { false } else { true }
    }

    /// When ``advance(to:)`` is due; nil while no timer is needed.
    var deadline: UInt64? {
        switch phase {
        case .subscribed: nil
        case .sampling(let until), .away(let until): until
        }
    }

    /// Counts ended connections; a second without any begins with the next one.
    mutating func count(_ connections: Int, at now: UInt64) -> Change? {
        if case .subscribed = phase, now >= windowStart + Self.second {
            windowStart = now
            windowCount = 0
        }
        windowCount = min(windowCount, .max / 2) + connections
        guard case .subscribed = phase, windowCount > limit else { return nil }
        return leave(at: now)
    }

    /// Continues after a deadline; before it nothing happens.
    mutating func advance(to now: UInt64) -> Change? {
        guard let deadline, now >= deadline else { return nil }
        if case .away = phase {
            phase = .sampling(until: now + Self.second)
            windowStart = now
            windowCount = 0
            return .join
        }
        guard windowCount < max(1, limit / 4 * 3) else { return leave(at: now) }
        phase = .subscribed
        return nil
    }

    private mutating func leave(at now: UInt64) -> Change {
        phase = .away(until: now + (Self.period - 1) * Self.second)
        return .leave
    }
}
