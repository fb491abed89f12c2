// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

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
    /// C7: somebody answered, and wrongly.
    case wrongAnswer = "wrong_answer"
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

    /// Where the fault lies; nil when there is none.
    package var cause: StateCause? {
        switch self {
        case .kernelRefused, .notSent, .tooLate: .`self`
        case .nameUnresolved, .wrongAddress, .resolutionFailed: .dns
        case .noPath, .ownFirewall, .gatewaySilent, .internetDown, .wayUnproven: .localNetwork
        case .parentDown: .parent
        case .nothingFailed: nil
        case .wrongAnswer, .noAnswer: .target
        }
    }
}
