// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import ActivityTracking

/// The activity indicator as it follows the probes in flight (A1–A27).
package struct ActivityStatus: Sendable, Hashable {
    /// Where the indicator is.
    package let state: ActivityState
    /// Whether it is shown.
    package let isVisible: Bool
    /// How many probes are in flight.
    package let count: Int

    /// Nothing goes on.
    package static let idle = ActivityStatus(state: .notActive, isVisible: false, count: 0)

    /// Creates a status.
    package init(state: ActivityState, isVisible: Bool, count: Int) {
        self.state = state
        self.isVisible = isVisible
        self.count = count
    }
}
