// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// The delivery of a fleet's notifications to a receiver, as one node sees it.
package enum FleetDelivery: Sendable, Hashable {
    /// This node serves the receiver.
    case here(Status)
    /// This node is cut off from the fleet, and notifies of what it sees.
    case cutOff(Status)
    /// Another node does, or none.
    case elsewhere

    /// A status. Boxed: it is a part of another one.
    package final class Status: Sendable, Hashable {
        /// The status.
        package let value: NotificationStatus

        /// Boxes a status.
        package init(_ value: NotificationStatus) { self.value = value }

        /// Whether the statuses are equal.

        package static func == (left: Status, right: Status) -> Bool { left.value == right.value }

        /// Hashes the status.
        package func hash(into hasher: inout Hasher) { hasher.combine(value) }
    }
}

/// The status of each receiver, with its delivery for the fleet. Any thread.
package struct FleetNotificationReports: NotificationReporting {
    private let own: any NotificationReporting
    private let fleet: FleetNotifier

    /// Combines both.
    package init(own: any NotificationReporting, fleet: FleetNotifier) {
        (self.own, self.fleet) = (own, fleet)
    }

    /// How each is, in the order of the configuration.
    package var statuses: [NotificationStatus] {
        let served = fleet.deliveries
        return own.statuses.map { status in
            var status = status
            status.fleet = served[status.name] ?? .elsewhere
            return status
        }
    }
}
