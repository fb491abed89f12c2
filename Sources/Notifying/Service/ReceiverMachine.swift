// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// What a kind of receiver makes of the log. Without clock and I/O; used by one thread at a time.
protocol ReceiverMachine: AnyObject {
    /// Whether more of the log may be taken.
    var hasRoom: Bool { get }
    /// What need not be told again after a restart.
    var mark: DeliveryMark { get }
    /// Where it would go on after a restart.
    var place: ReceiverPlace { get }
    /// What was told, or given up; not what nobody needed to be told. As far as it is worth remembering.
    var told: SequenceSet { get }
    /// What waits to be told or to be acknowledged.
    var waiting: Int { get }
    /// Failures in a row.
    var failures: Int { get }
    /// Changes that messages stand for without naming them, since the start.
    var leftOut: UInt64 { get }

    /// When there is something to do though nothing happens, in nanoseconds; nil for never.
    ///
    /// - Parameter isCaughtUp: whether the log has nothing more for now.
    func deadline(isCaughtUp: Bool) -> UInt64?
    /// Takes the next entries of the log.
    func take(_ entries: [LogEntry], now: UInt64)
    /// Takes note of entries that are lost.
    func miss(_ sequences: ClosedRange<UInt64>, epoch: String, at moment: Timestamp, world: [StateChange])
    /// Does what time is for.
    func advance(now: UInt64, isCaughtUp: Bool)
    /// The next request; it counts as on its way.
    func next(now: UInt64, at moment: Timestamp) -> Delivery?
    /// Takes what came of a request.
    func finish(_ token: UInt64, _ outcome: SendOutcome, now: UInt64) -> MessageQueue.Settlement?
}
