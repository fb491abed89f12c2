// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What the network says of a target, as Apple's SystemConfiguration spells it (contract F1).
///
/// The raw values are wire format: they appear in JSON, in logs and in source written for Apple's systems.
public struct SCNetworkReachabilityFlags: OptionSet, Sendable, Hashable {
    /// The bits; only those of F1 are ever produced, unknown ones are kept (F6).
    public let rawValue: UInt32

    /// Creates flags from raw bits.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The path uses a connection that comes and goes: a tunnel, a point-to-point link, a modem (R50).
    public static let transientConnection = Self(rawValue: 1 << 0)
    /// A packet could leave this machine for the target (R31).
    public static let reachable = Self(rawValue: 1 << 1)
    /// A connection must be made first (R48).
    public static let connectionRequired = Self(rawValue: 1 << 2)
    /// Traffic to the target starts the connection.
    public static let connectionOnTraffic = Self(rawValue: 1 << 3)
    /// A person must do something before the connection can be made.
    public static let interventionRequired = Self(rawValue: 1 << 4)
    /// The connection is started by the CFSocketStream programming interface only; here: by a VPN on demand.
    public static let connectionOnDemand = Self(rawValue: 1 << 5)
    /// The target is an address of this machine.
    public static let isLocalAddress = Self(rawValue: 1 << 16)
    /// No router stands between this machine and the target.
    public static let isDirect = Self(rawValue: 1 << 17)
    /// The path leaves through a cellular modem.
    public static let isWWAN = Self(rawValue: 1 << 18)
    /// The old name of ``connectionOnTraffic``, the same bit.
    public static let connectionAutomatic = Self.connectionOnTraffic

    /// The flags that are set, in bit order, by their names in the HTTP contract.
    public var names: [String] {
        Self.table.filter { contains($0.flag) }.map(\.name)
    }

    /// The nine-letter form `WR ctiCDld` that log readers know, `-` for what is not set (F8).
    public var text: String {
        var text = ""
        for (position, flag) in Self.textOrder.enumerated() {
            if position == 2 { text.append(" ") }
            text.append(contains(flag.flag) ? flag.letter : "-")
        }
        return text
    }

    private struct Entry {
        let flag: SCNetworkReachabilityFlags
        let name: String
        let letter: Character
    }

    private static let table = [
        Entry(flag: .transientConnection, name: "transient_connection", letter: "t"),
        Entry(flag: .reachable, name: "reachable", letter: "R"),
        Entry(flag: .connectionRequired, name: "connection_required", letter: "c"),
        Entry(flag: .connectionOnTraffic, name: "connection_on_traffic", letter: "C"),
        Entry(flag: .interventionRequired, name: "intervention_required", letter: "i"),
        Entry(flag: .connectionOnDemand, name: "connection_on_demand", letter: "D"),
        Entry(flag: .isLocalAddress, name: "is_local_address", letter: "l"),
        Entry(flag: .isDirect, name: "is_direct", letter: "d"),
        Entry(flag: .isWWAN, name: "is_wwan", letter: "W"),
    ]

    private static let textOrder = "WRctiCDld".compactMap { letter in table.first { $0.letter == letter } }
}
