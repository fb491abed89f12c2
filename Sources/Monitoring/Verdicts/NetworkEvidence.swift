// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Probing

/// Evidence that the path works to a target that does not respond and is not expected to; see ``CauseDecision``, C10b.
enum NetworkEvidence {
    /// Whether the path is known to work.
    ///
    /// - Parameters:
    ///   - absence: the reason of the failure if a response had been expected.
    ///   - isNeighbourUp: whether another target behind the same gateway responds; called last.
    static func isProven(
        _ absence: ProbeReason,
        gateway: GatewayAnswer,
        anchors: AnchorCounts?,
        isNeighbourUp: () -> Bool
    ) -> Bool {
        if gateway == .notNeeded || absence == .prohibited || anchors?.isQuorumUp == true { return true }
        // A router that reports a missing route may have lost all its routes.
        if absence == .timeout, anchors == nil, gateway == .answers { return true }
        return isNeighbourUp()
    }
}

/// How many anchors (targets on the internet that are nearly always available) respond. The quorum distinguishes an internet
/// outage from the failure of one anchor.
package struct AnchorCounts: Sendable, Hashable {
    /// The number of anchors that respond.
    package let up: Int
    /// The number of evaluated anchors that do not respond.
    package let down: Int
    /// The number of all anchors, including those that are not evaluated yet.
    package let total: Int
    /// The number of anchors that must respond.
    package let quorum: Int

    /// Creates the counts.
    ///
    /// - Parameters:
    ///   - up, down: clamped to 0 or more, and together to at most `total`.
    ///   - quorum: clamped to 1 to `total`.
    package init(up: Int, down: Int, total: Int, quorum: Int) {
        self.total = max(total, 0)
        self.up = min(max(up, 0), self.total)
        self.down = min(max(down, 0), self.total - self.up)
        self.quorum = min(max(quorum, 1), max(self.total, 1))
    }

    /// Whether enough anchors respond.
    package var isQuorumUp: Bool { total > 0 && up >= quorum }

    /// Whether so many anchors are down that the quorum cannot be met. False without anchors, and before enough are evaluated.
    package var isInternetDown: Bool { total > 0 && total - down < quorum }
}
