// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What an incident is about: targets that fail for an equal cause belong to one incident.
package struct IncidentCause: Sendable, Hashable {
    /// The kinds of cause, the nearest to this machine first; raw values are the HTTP contract's.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// An interface of this machine is down or lost its carrier; the subject is its name.
        case link
        /// The kernel has no usable route; the subject is the reason, with the family of the addresses if it is known.
        case route
        /// This machine's firewall refuses the packets.
        case firewall
        /// A gateway does not answer, or reports that it does not forward; the subject is its address.
        case gateway
        /// Too few anchors answer.
        case internet
        /// Names cannot be resolved.
        case dns
        /// A router beyond the gateway reports that it does not forward; the subject is its address.
        case router
        /// A trace ends behind a hop; the subject is its address.
        case hop
        /// Large packets vanish behind a hop; the subject is its address.
        case mtu
        /// A target on which others depend cannot be used, and is in no incident itself; the subject is its id.
        case parent
        /// A certificate is not accepted; the subject is its fingerprint and the reason.
        case certificate
        /// A host refuses connections; the subject is its address.
        case refusal
        /// A host does not answer; the subject is its address.
        case silence
        /// None of these: only the target itself fails; the subject is its id.
        case target

        /// Whether such a cause is inferred from missing replies, so that a later inference refutes it. Of `target` only the
        /// observation tells (``IncidentObservation/isInferred``).
        package var isInferred: Bool {
            switch self {
            case .silence, .hop, .router, .mtu: true
            case .link, .route, .firewall, .gateway, .internet, .dns, .parent, .certificate, .refusal, .target: false
            }
        }
    }

    /// The kind.
    package let kind: Kind
    /// What tells causes of one kind apart; empty where there is only one.
    package let subject: String
    /// In a fleet, the node whose network or resolver it is about; nil for what all nodes share, and without a fleet.
    package let origin: String?

    /// Creates a cause.
    package init(_ kind: Kind, _ subject: String = "", origin: String? = nil) {
        (self.kind, self.subject, self.origin) = (kind, subject, origin)
    }

    /// The same router's fault as other witnesses show it: its own reports, or that packets end behind it; the silence of a gateway, or
    /// that of a target at its address.
    ///
    /// - Parameter distance: how far packets come.
    func otherWitnesses(at distance: FaultDistance) -> [IncidentCause] {
        let kinds: [Kind] =
            switch (kind, distance) {
            case (.router, .route), (.gateway, .route): [.hop]
            case (.hop, .route): [.router, .gateway]
            case (.gateway, .network): [.silence]
            case (.silence, .target): [.gateway]
            default: []
            }
        return kinds.map { IncidentCause($0, subject, origin: origin) }
    }

    /// The same cause as a fleet has it that learned of it from a node.
    ///
    /// - Parameter node: the node's name.
    package func seen(by node: String) -> IncidentCause {
        switch place {
        case .localNetwork, .dns: IncidentCause(kind, subject, origin: node)
        case .path, .parent, .target, .`self`: self
        }
    }

    /// Where the fault lies, in the words of a target's state.
    package var place: StateCause {
        switch kind {
        case .link, .route, .firewall, .gateway, .internet: .localNetwork
        case .dns: .dns
        case .router, .hop, .mtu: .path
        case .parent: .parent
        case .certificate, .refusal, .silence, .target: .target
        }
    }
}

/// How far from this machine a verdict found the fault. A verdict at one distance shows that nothing nearer prevents it: the packets
/// of a probe that was refused by the target passed this machine's link, gateway and routers.
package enum FaultDistance: UInt8, Sendable, Hashable, Comparable, CaseIterable {
    /// No packet can leave.
    case path
    /// A parent is not usable, so there is no probe.
    case parent
    /// The gateway or the provider.
    case network
    /// The name's resolution.
    case resolution
    /// A router or hop on the way.
    case route
    /// The target.
    case target

    /// Nearer before farther.
    package static func < (left: FaultDistance, right: FaultDistance) -> Bool { left.rawValue < right.rawValue }
}
