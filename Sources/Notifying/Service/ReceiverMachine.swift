// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// What a kind of receiver makes of the log. Without clock and I/O; used by one thread at a time.
protocol ReceiverMachine: AnyObject {
    /// Whether more of the log may be taken.
    var hasRoom: Bool { get }
    /// What need not be delivered again after a restart.
    var mark: ConsumerOffset { get }
    /// Where it would go on after a restart.
    var place: ReceiverOffset { get }
    /// What was delivered or given up, without what needed no delivery. As far as it is worth remembering.
    var told: SequenceSet { get }
    /// What waits for delivery or acknowledgement.
    var waiting: Int { get }
    /// Failures in a row.
    var failures: Int { get }

    /// When there is something to do though nothing happens, in nanoseconds; nil for never.
    ///
    /// - Parameter isCaughtUp: whether the log has nothing more for now.
    func deadline(isCaughtUp: Bool) -> UInt64?
    /// Takes the next entries of the log.
    func take(_ entries: [LogEntry], now: UInt64)
    /// Takes note of numbers without an entry: nothing will be read of them.
    func skip(_ sequences: ClosedRange<UInt64>)
    /// Takes note of entries that are lost.
    func miss(_ sequences: ClosedRange<UInt64>, epoch: String, at moment: Timestamp, world: [StateChange])
    /// Does what time is for.
    ///
    /// - Parameters:
    ///   - now: the monotonic clock, in nanoseconds.
    ///   - moment: the wall clock.
    ///   - isCaughtUp: whether the log has nothing more for now.
    func advance(now: UInt64, at moment: Timestamp, isCaughtUp: Bool)
    /// The next request; it counts as on its way.
    func next(now: UInt64, at moment: Timestamp) -> Delivery?
    /// Takes what came of a request.
    func finish(_ token: UInt64, _ outcome: SendOutcome, now: UInt64) -> MessageQueue.Settlement?
}

extension ReceiverSettings {
    /// The machine of this receiver.
    ///
    /// - Parameters:
    ///   - place: where it left off.
    ///   - incidents: the incidents that it is notified of.
    ///   - transitions: the last transitions of targets up to there, for an Alertmanager.
    ///   - reported: the targets of which events will say how their problems end, for an Alertmanager.
    func machine(
        from place: ReceiverOffset,
        incidents: ReceiverIncidents,
        transitions: () -> [StateChange],
        reported: () -> ReportedTargets
    ) -> any ReceiverMachine {
        switch channel {
        case .webhook, .service, .email: IncidentMachine(self, place: place, incidents: incidents)
        case .alertmanager(let alertmanager):
            AlertmanagerMachine(
                self,
                alertmanager,
                place: place,
                transitions: transitions(),
                reported: reported(),
                incidents: incidents.source
            )
        }
    }
}
