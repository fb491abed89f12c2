// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses
package import Probing

/// The host that reported by ICMP why a probe's packet did not arrive, as the kernel names it (`SO_EE_OFFENDER`, ip(7)).
package struct Offender: Sendable, Hashable {
    /// Where the host is on the path.
    package enum Role: String, Sendable, Hashable, CaseIterable {
        /// This machine itself.
        case thisMachine = "this_machine"
        /// The gateway of the target's path, or another neighbour of this machine.
        case gateway
        /// A router or firewall beyond the gateway.
        case router
        /// The target.
        case target

        /// The rule that a report from here decides; nil for this machine's own, which says no more than its errno.
        var rule: CauseRule? {
            switch self {
            case .thisMachine: nil
            case .gateway: .gatewayRejects
            case .router: .routerRejects
            case .target: .targetRejects
            }
        }
    }

    /// Its address; nil for a target that hides its address.
    package private(set) var address: IPAddress?
    /// Where it is on the path.
    package let role: Role
    /// Its report.
    package private(set) var message: PacketError.Message

    /// The offender of a failed packet; nil when no ICMP error came, or when its sender is unknown.
    ///
    /// - Parameters:
    ///   - error: The kernel's report about the packet.
    ///   - gateway: The gateway of the target's path; nil when the target is on the link.
    package init?(_ error: PacketError?, gateway: IPAddress?) {
        guard let error, let message = error.message, let address = message.offender, let sender = error.sender else {
            return nil
        }
        self.address = address
        self.message = message
        role =
            switch sender {
            case .thisMachine: .thisMachine
            case .target: .target
            // An IPv6 gateway is known by its link-local address and reports with another one.
            case .router: address == gateway || message.hops == 1 && gateway != nil ? .gateway : .router
            }
    }

    /// The same without what shows where the target is: the address and the distance.
    var hidingAddress: Offender {
        var offender = self
        offender.address = nil
        offender.message = PacketError.Message(
            family: message.family,
            type: message.type,
            code: message.code,
            offender: nil
        )
        return offender
    }
}
