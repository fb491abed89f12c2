// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A connection that is not there yet and could be made: Linux has no such notion, so the user declares it
/// (linux-paths section 4.4).
public struct DeclaredConnection: Sendable, Hashable {
    /// How the connection comes to be.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// Traffic starts it.
        case traffic
        /// It is started on demand, as a VPN is.
        case demand
        /// Traffic would start it; a person must intervene first.
        case intervention
        /// A person starts it.
        case manual
    }

    /// What the user calls it.
    public var name: String
    /// The targets that it would serve; nil is every target, the default path included.
    public var prefixes: [IPPrefix]?
    /// How it comes to be.
    public var mode: Mode
    /// Whether it goes through a cellular modem.
    public var isCellular: Bool

    /// Declares a connection.
    public init(name: String, prefixes: [IPPrefix]?, mode: Mode, isCellular: Bool = false) {
        self.name = name
        self.prefixes = prefixes
        self.mode = mode
        self.isCellular = isCellular
    }

    /// The flags of a target that it covers while there is no route (0x0f, 0x27, 0x1f or 0x07).
    public var flags: SCNetworkReachabilityFlags {
        var flags: SCNetworkReachabilityFlags = [.transientConnection, .reachable, .connectionRequired]
        switch mode {
        case .traffic: flags.insert(.connectionOnTraffic)
        case .demand: flags.insert(.connectionOnDemand)
        case .intervention: flags.formUnion([.connectionOnTraffic, .interventionRequired])
        case .manual: break
        }
        if isCellular { flags.insert(.isWWAN) }
        return flags
    }
}
