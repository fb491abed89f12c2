// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
package import Monitoring

/// The delivery status of a receiver.
package struct NotificationStatus: Sendable, Hashable {
    /// In all; raw values are the HTTP contract's.
    package enum State: String, Sendable, Hashable, CaseIterable {
        /// The last try went well, or none was needed.
        case ok
        /// The last try failed, and it is tried again.
        case retrying
        /// Several tries in a row failed, or a message was discarded undelivered since the last that went well.
        case failing
    }

    /// Failures in a row from which on it is ``State/failing``.
    static let failingLimit = 5

    /// The receiver's name.
    package let name: String
    /// `webhook` or `alertmanager`.
    package let type: String
    /// In all.
    package internal(set) var state = State.ok
    /// Messages that wait to be sent or acknowledged, and changes that wait to become some.
    package internal(set) var pending = 0
    /// Everything in the event log up to this sequence was delivered, or is not for this receiver.
    package internal(set) var cursor: UInt64 = 0
    /// Whether a restart continues there.
    package internal(set) var isDurable = false
    /// Requests that were acknowledged since the start.
    package internal(set) var delivered: UInt64 = 0
    /// Messages that were given up since the start.
    package internal(set) var givenUp: UInt64 = 0
    /// Events that were lost before their delivery, since the start.
    package internal(set) var missed: UInt64 = 0
    /// When something was acknowledged last.
    package internal(set) var lastSuccess: Timestamp?
    /// Why the last try that failed did.
    package internal(set) var lastError: DeliveryFailure?
    /// When that was.
    package internal(set) var lastErrorTime: Timestamp?

    /// The delivery of the fleet's notifications; nil on a node without a fleet.
    package var fleet: FleetDelivery?

    /// Creates a status.
    package init(name: String, type: String) {
        self.name = name
        self.type = type
    }
}

/// Provides the delivery status of receivers. Any thread.
package protocol NotificationReporting: Sendable {
    /// How each is, in the order of the configuration.
    var statuses: [NotificationStatus] { get }
}
