// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import NetworkPaths

/// What is known when the question is whose fault it is.
package struct CauseFacts: Sendable, Hashable {
    /// Why no packet could leave for the target; nil when one could.
    package var unsatisfiedReason: UnsatisfiedReason?
    /// What the gateway of the target's path does.
    package var gateway: GatewayAnswer
    /// How many anchors answer; nil when none are configured.
    package var anchors: AnchorTally?
    /// Whether something that the target depends on cannot be used.
    package var isParentDown: Bool
    /// How much too late the probe was started, or its end was seen.
    package var schedulerLag: Duration
    /// From which lag on a missing answer is no evidence.
    package var lagLimit: Duration
    /// Whether reachd has no descriptor left.
    package var isOutOfDescriptors: Bool
    /// How the probe itself failed.
    package var failure: ProbeFailure
    /// Whether something shows that the way to the target works; only for ``ProbeFailure/absent``.
    package var isWayProven: Bool

    /// Creates facts; each default is the one that blames nobody.
    package init(
        failure: ProbeFailure = .none,
        unsatisfiedReason: UnsatisfiedReason? = nil,
        gateway: GatewayAnswer = .unknown,
        anchors: AnchorTally? = nil,
        isParentDown: Bool = false,
        schedulerLag: Duration = .zero,
        lagLimit: Duration = .seconds(1),
        isOutOfDescriptors: Bool = false,
        isWayProven: Bool = false
    ) {
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
