// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// How a vote counts for the verdict.
package enum VoteStanding: Sendable, Hashable {
    /// The target answers as it should.
    case well
    /// It answers, not as it should.
    case ill
    /// It does not answer, and this location's network is not the cause.
    case against
    /// The vote says nothing about the target.
    case void(VoidReason)

    /// The name in the HTTP contract (`counts_as`).
    package var name: String {
        switch self {
        case .well: "well"
        case .ill: "ill"
        case .against: "against"
        case .void: "void"
        }
    }
}

/// Why a vote is void; raw values are the HTTP contract's (`void_reason`).
package enum VoidReason: String, Sendable, Hashable, CaseIterable {
    /// No live node is assigned.
    case noOwner = "no_owner"
    /// The assigned node has not probed the target in time.
    case notConfirmed = "not_confirmed"
    /// The target is paused or in a maintenance.
    case suspended
    /// The location's own network, resolver or reachd keeps it from judging.
    case cannotJudge = "cannot_judge"
    /// The location alone reports so many targets down that its own network is the likely cause.
    case isolated
}

extension Vote {
    /// How the vote counts while its node is alive and its location is not isolated.
    ///
    /// A node reports `unreachable` with the cause `path` when a router beyond its gateway does not forward packets. That is a
    /// fact about the way to the target, and several locations that report it share the way's end. So it counts as against.
    package var standing: VoteStanding {
        switch (state, cause) {
        case (.up, _): .well
        case (.degraded, _): .ill
        case (.down, .target), (.down, .path), (.down, nil), (.unreachable, .path): .against
        case (.down, _), (.unreachable, _), (.unknown, _): .void(.cannotJudge)
        case (.paused, _), (.maintenance, _): .void(.suspended)
        }
    }

    /// How the vote counts.
    ///
    /// - Parameters:
    ///   - now: the database's time.
    ///   - grace: how long a predecessor's vote counts after a change of the owner.
    ///   - isIsolated: whether the location is isolated. Only a vote against becomes void then: a location without a network
    ///     cannot receive a target's answer, so its positive votes remain evidence.
    package func standing(now: Duration, grace: Duration, isIsolated: Bool) -> VoteStanding {
        switch owner {
        case .lost: return .void(.noOwner)
        case .unconfirmed(let since) where now - since > grace: return .void(.notConfirmed)
        case .unconfirmed, .confirmed: break
        }
        let standing = standing
        return isIsolated && standing == .against ? .void(.isolated) : standing
    }
}
