// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// A webhook or a messaging service: messages are made of the log, and sent until they are acknowledged.
final class MessageMachine: ReceiverMachine {
    private let channel: ReceiverSettings.Channel
    private var maker: MessageGrouper
    private var queue: MessageQueue
    /// Counts what is settled: a reading that begins anew makes, and counts, all other messages again.
    private var limit: RateLimit
    /// The time of the last event, in milliseconds since 1970.
    private var latest = Int64.min
    private(set) var mark: ConsumerOffset
    /// What of the mark it began with is in the open problems that it began with.
    private let openThrough: UInt64
    /// The last number of the mark that it began with.
    private let settledThrough: UInt64
    private(set) var told: SequenceSet
    private(set) var leftOut: UInt64 = 0
    /// The targets that requests named.
    private var named: Set<String> = []

    /// The most delivered ranges to remember; older ones are delivered again when needed.
    private static let toldLimit = 4_096

    /// - Parameters:
    ///   - place: where it left off; without open problems those in `transitions` are.
    ///   - told: what is acknowledged because it was delivered; nil: everything acknowledged.
    ///   - transitions: the last transitions of targets up to there.
    ///   - reported: the targets of which events will say how their problems end; nil: all.
    init(
        _ receiver: ReceiverSettings,
        place: ReceiverOffset,
        told: SequenceSet? = nil,
        transitions: [StateChange] = [],
        reported: ReportedTargets? = nil,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        channel = receiver.channel
        limit = RateLimit(receiver.pace, times: place.times)
        maker = MessageGrouper(
            receiver,
            problems: ProblemTable(transitions),
            open: place.open ?? OpenProblems(transitions, filter: receiver.filter),
            limit: limit,
            window: place.window,
            reported: reported
        )
        queue = MessageQueue(receiver.retry, random: random)
        mark = place.mark
        openThrough = place.openThrough
        settledThrough = max(place.mark.floor, place.mark.beyond.last ?? 0)
        self.told = told ?? place.mark.settled
    }

    /// What is on its way may have arrived, or not: a problem counts with both.
    var notified: [OpenProblems.Replacement] {
        let acknowledged = place.open
        return named.map { OpenProblems.Replacement(target: $0, problem: acknowledged?[$0] ?? maker.open[$0]) }
    }

    var hasRoom: Bool { !queue.isFull }
    var waiting: Int { queue.count + maker.waiting }
    var failures: Int { queue.failures }

    /// A message that is not acknowledged is made again after a restart: of what was known before it.
    var place: ReceiverOffset {
        var open = maker.open
        for message in queue.messages.reversed() { open.revert(message.replaced) }
        return ReceiverOffset(
            mark: mark,
            open: open,
            window: maker.window(through: mark.floor),
            times: limit.times(at: queue.messages.first?.at.milliseconds ?? latest)
        )
    }

    /// What waits for its time waits for the rest of the log, too.
    func deadline(isCaughtUp: Bool) -> UInt64? {
        [queue.deadline, isCaughtUp ? maker.deadline : nil].compactMap(\.self).min()
    }

    func take(_ entries: [LogEntry], now: UInt64) {
        for entry in entries {
            latest = entry.at.milliseconds
            if mark.isSettled(entry.sequence) {
                maker.pass(entry, isKnown: entry.sequence <= openThrough, now: now)
            } else {
                if entry.sequence < settledThrough { maker.noteRepeat(entry) }
                maker.take(entry, now: now)
            }
        }
        collect()
    }

    func skip(_ sequences: ClosedRange<UInt64>) { mark.acknowledge(sequences) }

    func miss(_ sequences: ClosedRange<UInt64>, epoch: String, at moment: Timestamp, world: [StateChange]) {
        queue.append(Message(missed: sequences, epoch: epoch, at: moment))
        // Their recovery may be among what is lost.
        let known = Set(world.map(\.target))
        maker.end { known.contains($0) ? nil : .missed }
    }

    func advance(now: UInt64, at moment: Timestamp, isCaughtUp: Bool) {
        maker.advance(now: now, isCaughtUp: isCaughtUp)
        collect()
    }

    func next(now: UInt64, at moment: Timestamp) -> Delivery? {
        guard let sending = queue.next(now: now) else { return nil }
        named.formUnion(sending.message.replaced.map(\.target))
        return Delivery(sending, to: channel)
    }

    func finish(_ token: UInt64, _ outcome: SendOutcome, now: UInt64) -> MessageQueue.Settlement? {
        let message = queue.message(token)
        let settlement = queue.finish(token, outcome, now: now)
        switch settlement {
        case .delivered, .givenUp: if let message { acknowledge(message) }
        case .kept, nil: break
        }
        return settlement
    }

    private func acknowledge(_ message: Message) {
        limit.note(message)
        mark.acknowledge(message.covers)
        told.formUnion(message.covers)
        if told.ranges.count > Self.toldLimit * 2 { told.keepLast(Self.toldLimit) }
    }

    private func collect() {
        mark.acknowledge(maker.takeSettled())
        for message in maker.takeMessages() {
            leftOut += UInt64(message.leftOut)
            queue.append(message)
        }
        maker.forgetWindows(before: mark.floor)
    }
}
