// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import NetworkPaths

/// A snapshot of the state of the network as a monitor sees it: Apple's `NWPath`.
///
/// Equal paths are the same to a program. A change that no property shows, such as another source address, makes no new path.
public struct NWPath: Sendable, Equatable {
    /// Whether packets can leave.
    public enum Status: Sendable, Hashable {
        /// Packets can leave. It does not say that anything responds.
        case satisfied
        /// Packets cannot leave.
        case unsatisfied
        /// Packets cannot leave now, and a connection that was declared for this may change that
        /// (`DeclaredConnection` of `NetworkPaths`).
        case requiresConnection
    }

    /// Why a path is unsatisfied. Apple's list grew, so that a switch needs `@unknown default`.
    @nonexhaustive public enum UnsatisfiedReason: Sendable, Hashable {
        /// No reason is given: on Linux always, because no policy of a user denies a program an interface there. The reason of
        /// the kernel is part of ``NWPath/debugDescription``.
        case notAvailable
        /// Cellular was denied by the user; never on Linux.
        case cellularDenied
        /// Wi-Fi was denied by the user; never on Linux.
        case wifiDenied
        /// The local network was denied by the user; never on Linux.
        case localNetworkDenied
        /// A required VPN is not active; never on Linux.
        case vpnInactive
    }

    /// Whether packets can leave.
    public let status: Status
    /// The interfaces by which they can leave, in order of preference: the kernel's choice first, then by the metric of their
    /// default routes. Empty while the path is not satisfied.
    public let availableInterfaces: [NWInterface]
    /// Whether an interface that packets take is cellular or declared as metered. Linux does not know which networks are metered;
    /// rules declare it (`InterfaceRule` of `NetworkPaths`).
    public let isExpensive: Bool
    /// Whether an interface that packets take is declared as constrained; Linux has no such setting of its own.
    public let isConstrained: Bool
    /// Whether IPv4 packets can leave.
    public let supportsIPv4: Bool
    /// Whether IPv6 packets can leave.
    public let supportsIPv6: Bool
    /// Whether at least one name server of `resolv.conf` has a satisfied path.
    public let supportsDNS: Bool
    /// The gateways of the default routes that packets take, IPv4 before IPv6, with port 0.
    public let gateways: [NWEndpoint]
    /// The types of interface that packets take.
    let usedTypes: Set<NWInterface.InterfaceType>
    /// Why packets cannot leave, in words.
    let explanation: String?

    /// Why the path is unsatisfied.
    public var unsatisfiedReason: UnsatisfiedReason { .notAvailable }

    /// The local end of a connection; nil, because paths of monitors belong to none.
    public var localEndpoint: NWEndpoint? { nil }

    /// The remote end of a connection; nil, because paths of monitors belong to none.
    public var remoteEndpoint: NWEndpoint? { nil }

    /// Whether packets may leave by interfaces of a type. Unlike ``availableInterfaces`` this is about the interface that packets
    /// take, and for a tunnel over a modem also about the modem. Other links under a tunnel are not known.
    public func usesInterfaceType(_ type: NWInterface.InterfaceType) -> Bool {
        usedTypes.contains(type)
    }
}

extension NWPath {
    /// The path for a kernel that does not answer.
    init(refusal: PathEngineError) {
        self.init(
            status: .unsatisfied,
            availableInterfaces: [],
            isExpensive: false,
            isConstrained: false,
            supportsIPv4: false,
            supportsIPv6: false,
            supportsDNS: false,
            gateways: [],
            usedTypes: [],
            explanation: refusal.message
        )
    }
}

extension NWPath.Status {
    init(_ status: PathStatus) {
        self =
            switch status {
            case .satisfied: .satisfied
            case .unsatisfied: .unsatisfied
            case .requiresConnection: .requiresConnection
            }
    }
}

extension NWPath: CustomDebugStringConvertible {
    /// The status with its reason, then what the path has: `unsatisfied (no carrier, eth0)`.
    public var debugDescription: String {
        let (word, reason) =
            switch status {
            case .satisfied: ("satisfied", "Path is satisfied")
            case .unsatisfied: ("unsatisfied", explanation ?? "No network route")
            case .requiresConnection: ("requiresConnection", explanation ?? "Connection required")
            }
        var parts = ["\(word) (\(reason))"]
        if let interface = availableInterfaces.first { parts.append("interface: \(interface.name)") }
        let properties = [
            (supportsIPv4, "ipv4"), (supportsIPv6, "ipv6"), (supportsDNS, "dns"), (isExpensive, "expensive"),
            (isConstrained, "constrained"),
        ]
        parts += properties.filter(\.0).map(\.1)
        return parts.joined(separator: ", ")
    }
}
