// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// AFNetworking's four-valued status of a target; raw values are wire format (contract R1).
public enum ReachabilityStatus: Int, Sendable, Hashable, CaseIterable {
    /// Nothing is known yet: before the first delivery, or the kernel refused to answer (F3).
    case unknown = -1
    /// No packet can leave for the target.
    case notReachable = 0
    /// Packets leave through a cellular modem.
    case reachableViaWWAN = 1
    /// Packets leave by any other way: Wi-Fi, Ethernet, loopback, a tunnel (R4).
    case reachableViaWiFi = 2

    /// Translates flags into a status; never `unknown` (contract F2–F7).
    public init(flags: SCNetworkReachabilityFlags) {
        let automatic = !flags.isDisjoint(with: [.connectionOnDemand, .connectionOnTraffic])
        let withoutTouch = automatic && !flags.contains(.interventionRequired)
        let usable = flags.contains(.reachable) && (!flags.contains(.connectionRequired) || withoutTouch)
        if !usable {
            self = .notReachable
        } else {
            self = flags.contains(.isWWAN) ? .reachableViaWWAN : .reachableViaWiFi
        }
    }

    /// Whether the target is reachable at all; `unknown` is not (R3).
    public var isReachable: Bool { self == .reachableViaWWAN || self == .reachableViaWiFi }

    /// The value's name in the HTTP contract.
    public var name: String {
        switch self {
        case .unknown: "unknown"
        case .notReachable: "not_reachable"
        case .reachableViaWWAN: "reachable_via_wwan"
        case .reachableViaWiFi: "reachable_via_wifi"
        }
    }
}
