// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension PathMonitor {
    /// A path as a monitor tells it: the kernel's verdict on the target, and what is true for all targets beside it.
    public struct Path: Sendable, Hashable {
        /// The kernel's verdict, with flags, source address and the state of the name's resolution.
        public let verdict: NetworkPath
        /// The next hops: those of the default routes for the default path, otherwise the one of the target's route;
        /// empty for directly connected targets.
        public let gateways: [IPAddress]
        /// Whether at least one configured name server has a satisfied path.
        public let supportsDNS: Bool
        /// The number of this path in its monitor's updates, from 1, without gaps; 0 for one that was evaluated on the
        /// spot.
        public let sequence: UInt64

        /// Whether packets can leave.
        public var status: PathStatus { verdict.status }
        /// Why packets cannot leave; nil while they can.
        public var unsatisfiedReason: UnsatisfiedReason? { verdict.unsatisfiedReason }
        /// SystemConfiguration's flags (F1).
        public var flags: SCNetworkReachabilityFlags { verdict.flags }
        /// AFNetworking's status.
        public var reachability: ReachabilityStatus { verdict.reachability }
        /// The outgoing interface.
        public var interface: NetworkInterface? { verdict.interface }
        /// Whether IPv4 packets can leave by this path.
        public var supportsIPv4: Bool { verdict.supportsIPv4 }
        /// Whether IPv6 packets can leave by this path.
        public var supportsIPv6: Bool { verdict.supportsIPv6 }
        /// Whether the outgoing interface is cellular or declared as metered.
        public var isExpensive: Bool { verdict.isExpensive }
        /// Whether the outgoing interface is declared as constrained.
        public var isConstrained: Bool { verdict.isConstrained }

        init(_ verdict: NetworkPath, of target: PathTarget, in environment: NetworkEnvironment, sequence: UInt64) {
            self.verdict = verdict
            self.sequence = sequence
            supportsDNS = environment.supportsDNS
            gateways =
                switch target {
                case .defaultPath(let family, nil) where verdict.status == .satisfied:
                    environment.gateways.map(\.address).filter { family == nil || $0.family == family }
                default:
                    verdict.gateway.map { [$0] } ?? []
                }
        }

        /// Whether this is news after another path: all but the number counts.
        func differs(from other: Path) -> Bool {
            verdict != other.verdict || gateways != other.gateways || supportsDNS != other.supportsDNS
        }
    }
}
