// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Probing

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
            .prohibited, .heartbeatMissed:
            .silent
        case .permissionDenied, .icmpNotPermitted, .outOfDescriptors, .outOfMemory, .outOfPorts, .sourceUnavailable,
            .interfaceNotFound, .familyUnsupported, .invalidRequest, .systemError, .cancelled, .nameInvalid,
            .targetDenied, .credentialsUnavailable, .tlsFilesUnreadable:
            .local
        default:
            .answered
        }
    }
}

extension ProbeResult {
    /// What the result shows, for ``CauseDecision``.
    package var failure: ProbeFailure {
        if let absence { return absence.isOwnWord ? .none : .absent }
        guard outcome == .failure, let reason else { return .none }
        return isRefusedHere ? .ownFirewall : reason.failure
    }
}
