// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import LinuxIO
package import Monitoring
import Synchronization

/// Delivers a fleet's notifications for the receivers that the coordinator assigned to this node, on a thread of its own.
///
/// It follows the fleet's log, and stores in the database how far each receiver was served: another node continues there when this one
/// ends. It sends only while the node's lease is valid. What is on its way, or was delivered and is not stored yet, may be sent again
/// by another node, with the same id. While the node is cut off from the database, it notifies of what the node sees itself.
package final class FleetNotifier: Sendable {
    /// What a notifier is made of.
    package struct Parts: Sendable {
        let receivers: any ReceiverAssignments
        let reader: any ReceiverSource
        let source: any BlockingEventSource & TargetSource & IncidentSource
        let ledger: (any OffsetStore)?
        let resolverFiles: ResolverConfigurationFiles
        let clock: any WallClock
        let timers: any MonotonicClock
        let statusChanged: @Sendable () -> Void
        let log: @Sendable (LogMessage) -> Void

        /// Creates parts.
        ///
        /// - Parameters:
        ///   - receivers: the assignments of receivers to this node, and their places.
        ///   - reader: reads the fleet's log.
        ///   - source: the node's own log and targets.
        ///   - ledger: stores what the node notified of while it was cut off; nil: a restart forgets it.
        ///   - resolverFiles: where the resolver's configuration is read, now and when it changes.
        ///   - clock: the wall clock.
        ///   - timers: runs the time limits.
        ///   - statusChanged: called after a change of ``deliveries``, on the notifier's thread; must not block.
        ///   - log: takes what operators should read.
        package init(
            receivers: any ReceiverAssignments,
            reader: any ReceiverSource,
            source: any BlockingEventSource & TargetSource & IncidentSource,
            ledger: (any OffsetStore)?,
            resolverFiles: ResolverConfigurationFiles = ResolverConfigurationFiles(),
            clock: any WallClock = SystemWallClock(),
            timers: any MonotonicClock = SystemMonotonicClock(),
            statusChanged: @escaping @Sendable () -> Void = {},
            log: @escaping @Sendable (LogMessage) -> Void
        ) {
            self.receivers = receivers
            self.reader = reader
            self.source = source
            self.ledger = ledger
            self.resolverFiles = resolverFiles
            self.clock = clock
            self.timers = timers
            self.statusChanged = statusChanged
            self.log = log
        }
    }

    private let parts: Parts
    /// nil before there were receivers.
    private let thread = Mutex<FleetDeliveryThread?>(nil)

    /// Creates a notifier without receivers, and without a thread: that begins with the first receiver.
    package init(_ parts: Parts) { self.parts = parts }

    /// The delivery by this node, by receiver.
    package var deliveries: [String: FleetDelivery] { thread.withLock { $0 }?.deliveries ?? [:] }

    /// Whether there is a thread.
    var isRunning: Bool { thread.withLock { $0 != nil } }

    /// Replaces the receivers that this node offers to serve. Any thread but the notifier's. Without a descriptor for the thread, the
    /// node serves none, and logs it.
    package func apply(_ settings: [ReceiverSettings]) {
        let thread = thread.withLock { thread in
            if thread == nil, !settings.isEmpty { thread = start() }
            return thread
        }
        thread?.apply(settings)
    }

    private func start() -> FleetDeliveryThread? {
        do throws(SystemError) {
            return try FleetDeliveryThread(parts)
        } catch {
            parts.log(
                LogMessage(
                    .error,
                    "cannot start the thread that notifies for the fleet; reload the configuration to try again",
                    facts: ["error": "\(error)"]
                )
            )
            return nil
        }
    }

    /// Ends all requests, stores the places, and ends the thread; a second call does nothing. To be called before the node leaves the
    /// fleet, so that another node continues where this one was.
    package func stop() { thread.withLock { $0 }?.stop() }
}
