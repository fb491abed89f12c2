// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths

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
/// | C8 | the scheduler's lag (its thread was late) is at its limit or above: an answer may have been missed | `self` |
/// | C9 | the gateway of the path does not answer | `local_network` |
/// | C10 | too few anchors answer, and the target is not on the link | `local_network` |
/// | C10a | nobody answered, as expected, and nothing shows that the way there works | `local_network` |
/// | C10b | nobody answered, as expected, and the way there works | none |
/// | C11 | the name could not be resolved | `dns` |
/// | C12 | nobody answered | `target` |
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

    /// Where the fault lies; nil when there is none.
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
