// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import NetworkPaths

/// Whose fault it is that a target is not up: the first row that applies.
///
/// | row | fact | cause |
/// | --- | --- | --- |
/// | C1 | no path: the kernel refused to answer | `self` |
/// | C2 | no path: the name has no address | `dns` |
/// | C3 | no path: anything else | `local_network` |
/// | C4 | a parent cannot be used | `parent` |
/// | C5 | the probe did not fail | none |
/// | C6 | the probe was not let out or its files cannot be used, or reachd has no descriptor left and nobody answered | `self` |
/// | C6a | this machine's own firewall refused the packet | `local_network` |
/// | C6b | the name resolved to an address that is not among the expected | `dns` |
/// | C7 | somebody answered, and wrongly: the way there and back is proven | `target` |
/// | C7a | the target itself reports by ICMP that it rejects the packet | `target` |
/// | C7b | the gateway reports by ICMP that it does not forward the packet | `local_network` |
/// | C7c | a router or firewall beyond the gateway reports by ICMP that it does not forward the packet | `path` |
/// | C8 | the scheduler's lag (its thread was late) is at its limit or above: an answer may have been missed | `self` |
/// | C9 | the gateway of the path does not answer, or the path has none any more behind which the target answered last | `local_network` |
/// | C10 | too few anchors answer, and the target is not on the link | `local_network` |
/// | C10a | nobody answered, as expected, and nothing shows that the way there works | `local_network` |
/// | C10b | nobody answered, as expected, and the way there works | none |
/// | C11 | the name could not be resolved | `dns` |
/// | C12 | nobody answered | `target` |
/// | C12a | nobody answered, and an element of the way explains it: a trace ends there, or several hosts behind it are silent | `path` |
/// | C12b | a connection opened and stalled, and large packets vanish on the path | `path` |
/// | C12c | the last router before the target reports that no host answers at its address | `target` |
///
/// C12a takes the place of C12, and C12c that of C7b and C7c, by ``NetworkDiagnosis``, which decides for all targets together; C12b does
/// once an investigation ended (``PathMTUMonitor``).
///
/// The rows before C5 need no probe, since it rests then.
///
/// A way is known to work (C10b) by one of: there is none, since the target is on the link; an anchor's quorum answers; another
/// target behind the same gateway answers; a firewall on the way says that it refuses; the gateway answers, no anchors are
/// configured, and no router on the way says that it has no route. Without any of them silence shows nothing (C10a).
package struct CauseDecision: Sendable, Hashable {
    /// The row that applied.
    package let rule: CauseRule
    /// Whether too few anchors answer; said whatever the target does.
    package let isInternetDown: Bool

    /// Where the fault is; nil without a fault.
    package var cause: StateCause? { rule.cause }

    /// Decides.
    package init(_ facts: CauseFacts) {
        isInternetDown = facts.anchors?.isInternetDown ?? false
        rule = Self.rule(facts, isInternetDown: isInternetDown)
    }

    private static func rule(_ facts: CauseFacts, isInternetDown: Bool) -> CauseRule {
        switch facts.unsatisfiedReason {
        case .kernelRefused: return .kernelRefused
        case .nameUnresolved: return .nameUnresolved
        case .some: return .noPath
        case nil: break
        }
        if facts.isParentDown { return .parentDown }
        switch facts.failure {
        case .none: return .nothingFailed
        case .answered: return .wrongAnswer
        case .local: return .notSent
        case .ownFirewall: return .ownFirewall
        case .wrongAddress: return .wrongAddress
        case .silent, .absent, .resolution: break
        }
        // An ICMP error is an answer, whatever else is wrong. A target that need not answer is decided by C10a and C10b.
        if facts.failure == .silent, let rule = facts.offender?.rule { return rule }
        if facts.isOutOfDescriptors { return .notSent }
        if facts.schedulerLag >= facts.lagLimit { return .tooLate }
        if facts.gateway == .silent { return .gatewaySilent }
        if isInternetDown, facts.gateway != .notNeeded { return .internetDown }
        switch facts.failure {
        case .absent: return facts.isWayProven ? .nothingFailed : .wayUnproven
        case .resolution: return .resolutionFailed
        default: return .noAnswer
        }
    }
}

/// What is known when the question is whose fault it is.
package struct CauseFacts: Sendable, Hashable {
    /// Why no packet could leave for the target; nil when one could.
    package var unsatisfiedReason: UnsatisfiedReason?
    /// What the gateway of the target's path does.
    package var gateway: GatewayAnswer
    /// How many anchors answer; nil when none are configured.
    package var anchors: AnchorCounts?
    /// Whether something that the target depends on cannot be used.
    package var isParentDown: Bool
    /// How much too late the probe was started, or its end was seen.
    package var schedulerLag: Duration
    /// The lag from which a missing answer is not evidence.
    package var lagLimit: Duration
    /// Whether reachd has no descriptor left.
    package var isOutOfDescriptors: Bool
    /// How the probe itself failed.
    package var failure: ProbeFailure
    /// Whether something shows that the way to the target works; only for ``ProbeFailure/absent``.
    package var isWayProven: Bool
    /// The host that reported by ICMP why the packet did not arrive; nil when none did.
    package var offender: Offender.Role?

    /// Creates facts; the defaults blame no party.
    package init(
        failure: ProbeFailure = .none,
        unsatisfiedReason: UnsatisfiedReason? = nil,
        gateway: GatewayAnswer = .unknown,
        anchors: AnchorCounts? = nil,
        isParentDown: Bool = false,
        schedulerLag: Duration = .zero,
        lagLimit: Duration = .seconds(1),
        isOutOfDescriptors: Bool = false,
        isWayProven: Bool = false,
        offender: Offender.Role? = nil
    ) {
        self.offender = offender
        self.failure = failure
        self.isWayProven = isWayProven
        self.unsatisfiedReason = unsatisfiedReason
        self.gateway = gateway
        self.anchors = anchors
        self.isParentDown = isParentDown
        self.schedulerLag = schedulerLag
        self.lagLimit = lagLimit
        self.isOutOfDescriptors = isOutOfDescriptors
    }
}

/// The rows by which the cause is decided; see ``CauseDecision``.
package enum CauseRule: String, Sendable, Hashable, CaseIterable {
    /// C1: the kernel refused to say whether there is a path.
    case kernelRefused = "kernel_refused"
    /// C2: there is no path, since the name has no address.
    case nameUnresolved = "name_unresolved"
    /// C3: there is no path.
    case noPath = "no_path"
    /// C4: something that it depends on cannot be used.
    case parentDown = "parent_down"
    /// C5: nothing failed.
    case nothingFailed = "nothing_failed"
    /// C6: this machine did not let the probe out, or has not what it needs, such as the file of a password.
    case notSent = "not_sent"
    /// C6a: this machine's own firewall refused the packet.
    case ownFirewall = "own_firewall"
    /// C6b: the name resolved to an address that is not among the expected.
    case wrongAddress = "wrong_address"
    /// C7: an answer came, but not the expected one.
    case wrongAnswer = "wrong_answer"
    /// C7a: the target itself reports by ICMP that it rejects the packet.
    case targetRejects = "target_rejects"
    /// C7b: the gateway reports by ICMP that it does not forward the packet.
    case gatewayRejects = "gateway_rejects"
    /// C7c: a router or firewall beyond the gateway reports by ICMP that it does not forward the packet.
    case routerRejects = "router_rejects"
    /// C8: reachd was too late to know.
    case tooLate = "too_late"
    /// C9: the gateway does not answer either.
    case gatewaySilent = "gateway_silent"
    /// C10: too few anchors answer.
    case internetDown = "internet_down"
    /// C10a: the target does not answer, as expected, and nothing shows that the way there works.
    case wayUnproven = "way_unproven"
    /// C11: the name could not be resolved.
    case resolutionFailed = "resolution_failed"
    /// C12: only the target does not answer.
    case noAnswer = "no_answer"
    /// C12a: the target does not answer, and a trace ends on the path before it.
    case pathBroken = "path_broken"
    /// C12c: the last router reports that no host answers at the target's address.
    case hostAbsent = "host_absent"
    /// C12b: a connection opened and stalled, and packets above a size vanish on the path.
    case mtuBlackHole = "mtu_black_hole"

    /// Where the fault is; nil without a fault.
    package var cause: StateCause? {
        switch self {
        case .kernelRefused, .notSent, .tooLate: .`self`
        case .nameUnresolved, .wrongAddress, .resolutionFailed: .dns
        case .noPath, .ownFirewall, .gatewayRejects, .gatewaySilent, .internetDown, .wayUnproven: .localNetwork
        case .routerRejects, .pathBroken, .mtuBlackHole: .path
        case .parentDown: .parent
        case .nothingFailed: nil
        case .wrongAnswer, .targetRejects, .noAnswer, .hostAbsent: .target
        }
    }
}
