// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Probing

/// A probe's result with its circumstances; shared by every record that speaks of it.
package final class ProbeReport: Sendable {
    /// What it came to.
    package let result: ProbeResult
    /// When it ended.
    package let at: Timestamp
    /// How much too late it was started.
    package let lag: Duration
    /// Why it is not a success, and whose fault that is; nil for a success.
    package let diagnosis: Diagnosis?

    /// Whether reachd sent nothing: the target called, or should have, or connections of other programs were the evidence.
    package let isPassive: Bool

    /// How long the target took to answer; nil when it failed, or calls by itself.
    package var latency: Duration? { result.outcome == .failure || isPassive ? nil : result.responseTime }

    /// Creates a report.
    package init(
        _ result: ProbeResult,
        at: Timestamp,
        lag: Duration,
        diagnosis: Diagnosis?,
        isPassive: Bool = false
    ) {
        self.result = result
        self.at = at
        self.lag = lag
        self.diagnosis = diagnosis
        self.isPassive = isPassive
    }
}

/// Why a probe was no success, and whose fault that is.
package struct Diagnosis: Sendable, Hashable {
    /// The stable code.
    package let reason: ProbeReason
    /// One line for people.
    package let detail: String
    /// The row that found the cause.
    package let rule: CauseRule
    /// The host that reported by ICMP why the packet did not arrive; nil when none did.
    package let offender: Offender?
    /// Where a trace of the path ended; nil when none explains the failure.
    package let pathEnd: PathEnd?

    /// Creates a diagnosis.
    package init(
        reason: ProbeReason,
        detail: String,
        rule: CauseRule,
        offender: Offender? = nil,
        pathEnd: PathEnd? = nil
    ) {
        self.reason = reason
        self.detail = detail
        self.rule = rule
        self.offender = offender
        self.pathEnd = pathEnd
    }

    /// The diagnosis of a path MTU black hole.
    package init(_ blackHole: PathMTUBlackHole) {
        self.init(
            reason: .mtuBlackHole,
            detail: blackHole.detail,
            rule: .mtuBlackHole,
            pathEnd: blackHole.limit.map { PathEnd($0) }
        )
    }

    /// Where the fault lies; a result that is only degraded is always the target's doing.
    package var cause: StateCause { rule.cause ?? .target }
}

/// How a probe failed, as far as the search for the cause needs to know.
package enum ProbeFailure: Sendable, Hashable, CaseIterable {
    /// It did not, or there was none.
    case none
    /// The target answered, but not as expected: refused, reset, a wrong status, a bad certificate, too late.
    case answered
    /// No answer.
    case silent
    /// The name could not be resolved.
    case resolution
    /// The name resolved to an address that is not among the expected.
    case wrongAddress
    /// The target does not answer, and is not expected to.
    case absent
    /// This machine's firewall, or a route of it, refused the packet.
    case ownFirewall
    /// This machine did not let the probe out: no descriptor, no memory, no permission.
    case local
}

extension ProbeReason {
    /// What the reason shows of a failed probe, for ``CauseDecision``.
    package var failure: ProbeFailure {
        switch self {
        case .nameNotFound, .nameWithoutAddress, .nameTimeout, .nameServerFailure, .nameServerRefused,
            .nameServerUnreachable, .nameError:
            .resolution
        case .addressMismatch: .wrongAddress
        case .timeout, .hostUnreachable, .networkUnreachable, .networkDown, .blackhole, .ttlExceeded, .packetLoss,
            // A router or firewall on the way may be the sender: the target is not shown to be reached.
            .prohibited, .heartbeatMissed, .mtuBlackHole:
            .silent
        case .permissionDenied, .icmpNotPermitted, .outOfDescriptors, .outOfMemory, .outOfPorts, .sourceUnavailable,
            .interfaceNotFound, .familyUnsupported, .invalidRequest, .systemError, .cancelled, .nameInvalid,
            .targetDenied, .credentialsUnavailable, .tlsFilesUnreadable, .noTraffic,
            // Without an ICMP error of a router, this machine's own link or its memory of the path is too small.
            .messageTooBig:
            .local
        default:
            .answered
        }
    }
}

extension ProbeResult {
    /// What the result shows, for ``CauseDecision``.
    package var failure: ProbeFailure {
        // Firewalls reject packets with "port unreachable" too: only the target's own proves that it was reached.
        let isOfRouter = packetError?.sender == .router
        if let absence { return absence.isOwnWord && !isOfRouter ? .none : .absent }
        guard outcome == .failure, let reason else { return .none }
        if isRefusedHere { return .ownFirewall }
        return isOfRouter ? .silent : reason.failure
    }
}
