// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The settings that all nodes of a fleet share; they are stored in the database.
package struct FleetSettings: Sendable, Hashable {
    /// How long a node's lease is valid; renewed five times as often.
    package var lease: Duration
    /// How long locations may disagree about a target before the verdict shows it.
    package var settle: Duration
    /// How long the last votes on a target count after its last live node was lost.
    package var unwatchedAfter: Duration

    /// Creates settings; the defaults are those of a new fleet.
    package init(
        lease: Duration = .seconds(5),
        settle: Duration = .seconds(10),
        unwatchedAfter: Duration = .seconds(30)
    ) {
        self.lease = lease
        self.settle = settle
        self.unwatchedAfter = unwatchedAfter
    }
}
