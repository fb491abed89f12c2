// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Probing

/// Evidence that the way works to a target that does not answer, and is not expected to; see ``CauseDecision``, C10b.
enum NetworkEvidence {
    /// Whether the way is known to work.
    ///
    /// - Parameters:
    ///   - absence: what the probe would have failed with.
    ///   - isNeighbourUp: whether another target behind the same gateway answers; called last.
    static func isProven(
        _ absence: ProbeReason,
        gateway: GatewayAnswer,
        anchors: AnchorCounts?,
        isNeighbourUp: () -> Bool
    ) -> Bool {
        if gateway == .notNeeded || absence == .prohibited || anchors?.isQuorumUp == true { return true }
        // A router that says that it has no route may have lost all of them.
        if absence == .timeout, anchors == nil, gateway == .answers { return true }
        return isNeighbourUp()
    }
}

/// How many of the anchors (targets far out that are nearly always there) answer: a quorum tells "the internet is down" from
/// "one of them is".
package struct AnchorCounts: Sendable, Hashable {
    /// How many answer.
    package let up: Int
    /// How many were judged and do not.
    package let down: Int
    /// How many there are; the rest is not judged yet.
    package let total: Int
    /// How many have to answer.
    package let quorum: Int

    /// Creates a tally.
    ///
    /// - Parameters:
    ///   - up, down: never negative, together at most `total`; more is cut off.
    ///   - quorum: taken into 1 to `total`.
    package init(up: Int, down: Int, total: Int, quorum: Int) {
        self.total = max(total, 0)
        self.up = min(max(up, 0), self.total)
        self.down = min(max(down, 0), self.total - self.up)
        self.quorum = min(max(quorum, 1), max(self.total, 1))
    }

    /// Whether enough of them answer.
    package var isQuorumUp: Bool { total > 0 && up >= quorum }

    /// Whether so many are down that the quorum cannot be reached; never without anchors, and not before enough were judged.
    package var isInternetDown: Bool { total > 0 && total - down < quorum }
}
