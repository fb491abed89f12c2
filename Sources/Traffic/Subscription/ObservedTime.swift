// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How much of each minute the subscription was held, for the last so many minutes: every figure is reported with that share.
///
/// Pure; times are nanoseconds of a monotonic clock, and minutes are counted from its zero. 24 bytes a minute, once for all targets.
struct ObservedTime {
    private struct Minute {
        var number: UInt64
        var observed: UInt64 = 0
        var overruns: UInt32 = 0
    }

    static let minute: UInt64 = 60_000_000_000

    private let capacity: Int
    private let start: UInt64
    private var minutes: [Minute] = []
    private var last: UInt64
    private var isObserving = false

    /// - Parameters:
    ///   - capacity: How many minutes are kept, the present one included.
    ///   - now: The time, from which shares are computed.
    init(capacity: Int, at now: UInt64) {
        self.capacity = max(1, capacity)
        start = now
        last = now
    }

    /// Adds the time since the last call, and sets whether the time from now on is observed.
    mutating func update(isObserving newValue: Bool, at now: UInt64) {
        settle(at: now)
        isObserving = newValue
    }

    /// Adds the time since the last call.
    mutating func settle(at now: UInt64) {
        defer { last = max(last, now) }
        guard isObserving, now > last else { return }
        // What is older than the ring would be dropped at once.
        let oldest = now / Self.minute - min(now / Self.minute, UInt64(capacity - 1))
        var from = max(last, oldest * Self.minute)
        while from < now {
            let end = min(now, (from / Self.minute + 1) * Self.minute)
            change(from / Self.minute) { $0.observed += end - from }
            from = end
        }
    }

    /// Counts messages that the kernel dropped.
    mutating func overrun(at now: UInt64) {
        settle(at: now)
        change(now / Self.minute) { $0.overruns &+= 1 }
    }

    /// The share of a minute that was observed, from 0 to 1: of the present one until now, of the first one from the start.
    ///
    /// Call ``settle(at:)`` first.
    func share(ofMinute number: UInt64, at now: UInt64) -> Double {
        share(from: number * Self.minute, to: (number + 1) * Self.minute, at: now)
    }

    /// The observed share of the last so many minutes, the present one included.
    func share(ofLast count: Int, at now: UInt64) -> Double {
        let present = now / Self.minute
        let first = present - min(present, UInt64(max(1, min(count, capacity)) - 1))
        return share(from: first * Self.minute, to: (present + 1) * Self.minute, at: now)
    }

    /// How often the kernel dropped messages in a minute.
    func overruns(inMinute number: UInt64) -> UInt32 {
        minutes.last { $0.number == number }?.overruns ?? 0
    }

    private func share(from: UInt64, to: UInt64, at now: UInt64) -> Double {
        let (from, to) = (max(from, start), min(to, now))
        guard to > from else { return isObserving && to == from ? 1 : 0 }
        let numbers = from / Self.minute...(to - 1) / Self.minute
        let observed = minutes.reduce(UInt64(0)) { numbers.contains($1.number) ? $0 + $1.observed : $0 }
        return min(1, Double(observed) / Double(to - from))
    }

    private mutating func change(_ number: UInt64, _ body: (inout Minute) -> Void) {
        if minutes.last.map({ $0.number < number }) ?? true {
            if minutes.count == capacity { minutes.removeFirst() }
            minutes.append(Minute(number: number))
        }
        body(&minutes[minutes.count - 1])
    }
}
