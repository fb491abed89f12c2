// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Probing

extension ProbeReason {
    /// What the reason shows, for ``CauseDecision``.
    public var failure: ProbeFailure {
        switch self {
        case .nameNotFound, .nameWithoutAddress, .nameTimeout, .nameServerFailure, .nameServerRefused,
            .nameServerUnreachable, .nameError:
            .resolution
        case .timeout, .hostUnreachable, .networkUnreachable, .networkDown, .blackhole, .ttlExceeded, .packetLoss,
            .heartbeatMissed:
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
