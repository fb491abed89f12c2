// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring

/// Messages on their way to one receiver: in order for each target, a few at a time, again and again until they arrive.
///
/// A value without clock or I/O: from events and times it derives what to do. A failure of the receiver's stops all sending
/// for a while, and then one message tries whether it is back; a message that is refused waits alone.
struct MessageQueue: Sendable {
    /// A message that is to be sent now.
    struct Sending: Sendable, Hashable {
        let token: UInt64
        let message: Message
        /// 1 for the first.
        let attempt: Int
    }

    /// What came of a message.
    enum Settlement: Sendable, Hashable {
        case delivered(SequenceSet)
        /// Refused too often.
        case givenUp(Message, DeliveryFailure)
        /// It is tried again.
        case kept(DeliveryFailure)
    }

    private struct Entry {
        let token: UInt64
        let message: Message
        var attempts = 0
        /// How many of them the receiver did not want.
        var refused = 0
        var earliest: UInt64 = 0
        var isInFlight = false
    }

    /// Messages that may wait; then nothing more is read from the log.
    static let capacity = 256
    /// Messages that may be on their way at once.
    static let width = 4

    private let retry: RetrySettings
    private let pause: RetryPause
    private var random: any RandomNumberGenerator & Sendable
    private var entries: [Entry] = []
    private var lastToken: UInt64 = 0
    private var pausedUntil: UInt64 = 0
    /// Failures of the receiver in a row.
    private(set) var failures = 0

    init(_ retry: RetrySettings, random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()) {
        self.retry = retry
        self.random = random
        pause = RetryPause(retry)
    }

    /// The messages that are not acknowledged, in order.
    var messages: some BidirectionalCollection<Message> { entries.lazy.map(\.message) }
    var count: Int { entries.count }
    var isFull: Bool { entries.count >= Self.capacity }

    mutating func append(_ message: Message) {
        lastToken += 1
        entries.append(Entry(token: lastToken, message: message))
    }

    /// The next message that may be sent, if any; it counts as on its way.
    mutating func next(now: UInt64) -> Sending? {
        guard now >= pausedUntil, let index = sendable.first(where: { entries[$0].earliest <= now }) else { return nil }
        entries[index].isInFlight = true
        entries[index].attempts += 1
        return Sending(
            token: entries[index].token,
            message: entries[index].message,
            attempt: entries[index].attempts
        )
    }

    /// The message with a token, until it is settled.
    func message(_ token: UInt64) -> Message? { entries.first { $0.token == token }?.message }

    /// When to ask again; nil when only an outcome or another message can change something.
    var deadline: UInt64? {
        sendable.map { max(entries[$0].earliest, pausedUntil) }.min()
    }

    /// Handles the outcome of a message; nil when it is no longer in flight.
    mutating func finish(_ token: UInt64, _ outcome: SendOutcome, now: UInt64) -> Settlement? {
        guard let index = entries.firstIndex(where: { $0.token == token && $0.isInFlight }) else { return nil }
        entries[index].isInFlight = false
        switch outcome {
        case .accepted:
            (failures, pausedUntil) = (0, 0)
            return .delivered(entries.remove(at: index).message.covers)
        case .failed(let failure, let retryAfter):
            failures += 1
            pausedUntil = later(now, pause.next(failures: failures, wish: retryAfter, random: &random))
            return .kept(failure)
        case .refused(let failure):
            // It answers, and this is about one message.
            (failures, pausedUntil) = (0, 0)
            entries[index].refused += 1
            guard entries[index].refused < retry.refusals else {
                return .givenUp(entries.remove(at: index).message, failure)
            }
            let wait = pause.next(failures: entries[index].refused, random: &random)
            entries[index].earliest = later(now, wait)
            return .kept(failure)
        }
    }

    private func later(_ now: UInt64, _ wait: UInt64) -> UInt64 {
        let (sum, isTooFar) = now.addingReportingOverflow(wait)
        return isTooFar ? .max : sum
    }

    /// The places of the messages that no other one holds up.
    private var sendable: [Int] {
        var found: [Int] = []
        var inFlight = 0
        var busy: Set<String> = []
        // A receiver that failed is tried with one message.
        let width = failures > 0 ? 1 : Self.width
        for (index, entry) in entries.enumerated() {
            let order = entry.message.order
            if entry.isInFlight {
                inFlight += 1
            } else if !busy.contains(order) {
                found.append(index)
            }
            busy.insert(order)
        }
        return inFlight < width ? found : []
    }
}

/// How long to wait before the next try.
struct RetryPause: Sendable {
    private let settings: RetrySettings
    /// What a receiver may ask for at most.
    static let longestWish: UInt64 = 3600

    init(_ settings: RetrySettings) {
        self.settings = settings
    }

    /// - Parameters:
    ///   - failures: how many there were in a row, this one included.
    ///   - wish: what the receiver asks for, in seconds.
    ///   - random: makes receivers that failed together not come back together.
    /// - Returns: Nanoseconds.
    func next(failures: Int, wish: UInt64? = nil, random: inout some RandomNumberGenerator) -> UInt64 {
        let (first, longest) = (settings.firstPause.nanoseconds, settings.longestPause.nanoseconds)
        let doublings = UInt64(max(0, min(failures - 1, 40)))
        let (grown, isTooLong) = first.multipliedReportingOverflow(by: 1 << doublings)
        let pause = isTooLong ? longest : min(grown, longest)
        let jittered = pause - pause / 5 + UInt64.random(in: 0...max(1, pause / 5 * 2), using: &random)
        return max(jittered, min(wish ?? 0, Self.longestWish) * 1_000_000_000)
    }
}

/// How a message is tried again that did not arrive.
package struct RetrySettings: Sendable, Hashable {
    /// How often a message is tried that the receiver refuses (a status of 3xx or 4xx other than 408, 425 and 429) before it is given
    /// up. One that fails in any other way is tried for ever.
    package var refusals = 5
    /// The first pause; it doubles each time, give or take a fifth.
    package var firstPause: Duration = .seconds(1)
    /// The longest pause.
    package var longestPause: Duration = .seconds(300)

    /// The defaults.
    package init() {}
}
