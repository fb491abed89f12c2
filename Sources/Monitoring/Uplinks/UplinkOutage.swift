// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths

/// A time in which an uplink did not work.
package struct UplinkOutage: Sendable, Hashable {
    /// Why it did not work.
    package enum Cause: String, Sendable, Hashable, CaseIterable {
        /// The interface was down.
        case linkDown = "link_down"
        /// The interface had no carrier.
        case noCarrier = "no_carrier"
        /// The interface was gone.
        case noInterface = "no_interface"
        /// The interface had no usable address.
        case noSourceAddress = "no_source_address"
        /// The interface worked; the route was gone.
        case routeGone = "route_gone"
        /// The gateway did not answer.
        case gatewaySilent = "gateway_silent"

        /// The cause for a path that is not satisfied.
        init(_ reason: UnsatisfiedReason) {
            switch reason {
            case .linkDown: self = .linkDown
            case .noCarrier: self = .noCarrier
            case .noInterface: self = .noInterface
            case .noSourceAddress: self = .noSourceAddress
            default: self = .routeGone
            }
        }
    }

    /// Why it ended.
    package enum End: String, Sendable, Hashable, CaseIterable {
        /// The uplink works again.
        case restored
        /// The default route leads through another network, on purpose as far as can be known.
        case replaced
        /// The uplink did not come back within a day, and another one is in use.
        case expired
    }

    /// The start.
    package let from: Timestamp
    /// The end; nil while it lasts.
    package internal(set) var to: Timestamp?
    /// Why it ended; nil while it lasts.
    package internal(set) var end: End?
    /// Why the uplink did not work.
    package internal(set) var cause: Cause
    /// The observed length, by the monotonic clock.
    package internal(set) var milliseconds: Int64 = 0

    init(from: Timestamp, cause: Cause) {
        self.from = from
        self.cause = cause
    }
}
