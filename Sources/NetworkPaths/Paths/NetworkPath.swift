// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The verdict on one target: what the kernel says about a packet that would leave for it.
///
/// A value; equal paths carry the same verdict. The word for a person is ``status``, for an AFNetworking
/// user ``reachability``, for a SystemConfiguration user ``flags``.
public struct NetworkPath: Sendable, Hashable {
    /// SystemConfiguration's flags (F1).
    public var flags: SCNetworkReachabilityFlags
    /// Why the path is not satisfied, absent while it is.
    public var unsatisfiedReason: UnsatisfiedReason?
    /// The outgoing interface; with an unsatisfied path the dead one, as information (linux-paths 4.2, row 10).
    public var interface: NetworkInterface?
    /// The address that packets would carry as their source.
    public var sourceAddress: IPAddress?
    /// The next hop, absent for directly connected targets.
    public var gateway: IPAddress?
    /// Whether the outgoing interface is cellular or declared as metered.
    public var isExpensive: Bool
    /// Whether the outgoing interface is declared as constrained.
    public var isConstrained: Bool
    /// Whether IPv4 packets can leave by this path.
    public var supportsIPv4: Bool
    /// Whether IPv6 packets can leave by this path.
    public var supportsIPv6: Bool
    /// How far the name's resolution is; `notNeeded` unless the target is a name.
    public var resolution: Resolution
    /// Grows by one with each change of interface, gateway or source address of this target.
    public var generation: UInt32

    /// Creates a path from its parts.
    public init(
        flags: SCNetworkReachabilityFlags,
        unsatisfiedReason: UnsatisfiedReason? = nil,
        interface: NetworkInterface? = nil,
        sourceAddress: IPAddress? = nil,
        gateway: IPAddress? = nil,
        isExpensive: Bool = false,
        isConstrained: Bool = false,
        supportsIPv4: Bool = false,
        supportsIPv6: Bool = false,
        resolution: Resolution = .notNeeded,
        generation: UInt32 = 0
    ) {
        self.flags = flags
        self.unsatisfiedReason = unsatisfiedReason
        self.interface = interface
        self.sourceAddress = sourceAddress
        self.gateway = gateway
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
        self.supportsIPv4 = supportsIPv4
        self.supportsIPv6 = supportsIPv6
        self.resolution = resolution
        self.generation = generation
    }

    /// Whether packets can leave.
    public var status: PathStatus {
        guard flags.contains(.reachable) else { return .unsatisfied }
        return flags.contains(.connectionRequired) ? .requiresConnection : .satisfied
    }

    /// AFNetworking's status; `unknown` when the kernel refused to answer, and for a pessimistic name until its
    /// resolution ended.
    public var reachability: ReachabilityStatus { isUnknown ? .unknown : ReachabilityStatus(flags: flags) }

    /// Whether there is no verdict at all.
    private var isUnknown: Bool {
        unsatisfiedReason == .kernelRefused
            || (flags.isEmpty && unsatisfiedReason == nil && resolution.state == .pending)
    }

    /// An interface counts only while something is reachable by it (R66).
    private var deliveredInterface: UInt32? { flags.contains(.reachable) ? interface?.index : nil }

    /// Whether going from `other` to this one is a delivery in SystemConfiguration's sense: flags,
    /// interface index or number of resolved addresses differ (R57, R66).
    public func isDelivery(after other: NetworkPath) -> Bool {
        flags != other.flags
            || deliveredInterface != other.deliveredInterface
            || resolution.addresses.count != other.resolution.addresses.count
            || isUnknown != other.isUnknown
    }
}

/// Whether a path can carry packets, in the words of Apple's `NWPath`; raw values are the HTTP contract's.
public enum PathStatus: String, Sendable, Hashable {
    /// Packets can leave.
    case satisfied
    /// Packets cannot leave.
    case unsatisfied
    /// Packets cannot leave now; making a declared connection may change that (R48).
    case requiresConnection = "requires_connection"
}

/// Why a path cannot carry packets: the reason codes of linux-paths section 4.2, closed and stable.
public enum UnsatisfiedReason: String, Sendable, Hashable, CaseIterable {
    /// `ENETUNREACH`: no route, or only `throw` routes.
    case noRoute = "no_route"
    /// `EHOSTUNREACH`: an `unreachable` route or rule.
    case unreachable
    /// `EACCES`: a `prohibit` route or rule.
    case prohibited
    /// `EINVAL` without text: a `blackhole` route or rule.
    case blackhole
    /// The outgoing link is administratively down.
    case linkDown = "link_down"
    /// The outgoing link is up and has no carrier.
    case noCarrier = "no_carrier"
    /// The interface that the target is bound to does not exist.
    case noInterface = "no_interface"
    /// There is a route and no usable source address, a tentative IPv6 one for example.
    case noSourceAddress = "no_source_address"
    /// The local address of a pair is not one of this machine's (R43).
    case localAddressNotOurs = "local_address_not_ours"
    /// The target is this machine and its loopback interface is down (L2).
    case loopbackDown = "loopback_down"
    /// The name resolved to nothing (R54).
    case nameUnresolved = "name_unresolved"
    /// No route now, and a declared connection covers the target (linux-paths section 4.4).
    case connectionAvailable = "connection_available"
    /// The kernel rejected the query: this is not a verdict, the status is unknown.
    case kernelRefused = "kernel_refused"
}

/// How far the resolution of a name target has come.
public struct Resolution: Sendable, Hashable {
    /// The states of a resolution; raw values are the HTTP contract's.
    public enum State: String, Sendable, Hashable {
        /// The target is not a name.
        case notNeeded = "not_needed"
        /// An answer is awaited; flags are those of the default path until then (R53).
        case pending
        /// There was an answer, possibly an empty one.
        case complete
        /// No answer came, or the resolver refused; earlier addresses are kept for an hour.
        case failed
    }

    /// The state.
    public var state: State
    /// The addresses of the last answer, in the resolver's order.
    public var addresses: [IPAddress]
    /// What went wrong, in words, when ``state`` is `failed`; when it is `pending`, why this machine cannot ask yet.
    public var error: String?

    /// Whether a failure is what a name server said: it refuses, or failed itself. Such a server can be reached.
    var isServersWord = false

    /// Creates a resolution from its parts.
    public init(state: State, addresses: [IPAddress] = [], error: String? = nil) {
        self.state = state
        self.addresses = addresses
        self.error = error
    }

    /// The resolution of every target that is not a name.
    public static let notNeeded = Resolution(state: .notNeeded)
}
