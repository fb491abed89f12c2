// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Probing

/// Evidence that the way works to a target that does not answer, and is not expected to; see ``CauseDecision``, C10b.
enum WayEvidence {
    /// Whether the way is known to work.
    ///
    /// - Parameters:
    ///   - absence: what the probe would have failed with.
    ///   - isNeighbourUp: whether another target behind the same gateway answers; called last.
    static func isProven(
        _ absence: ProbeReason,
        gateway: GatewayAnswer,
        anchors: AnchorTally?,
        isNeighbourUp: () -> Bool
    ) -> Bool {
        if gateway == .notNeeded || absence == .prohibited || anchors?.isQuorumUp == true { return true }
        // A router that says that it has no route may have lost all of them.
        if absence == .timeout, anchors == nil, gateway == .answers { return true }
        return isNeighbourUp()
    }
}
