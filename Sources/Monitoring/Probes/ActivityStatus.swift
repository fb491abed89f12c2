// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import ActivityTracking

/// The activity indicator as it follows the probes in flight (A1–A27).
public struct ActivityStatus: Sendable, Hashable {
    /// Where the indicator is.
    public let state: ActivityState
    /// Whether it is shown.
    public let isVisible: Bool
    /// How many probes are in flight.
    public let count: Int

    /// Nothing goes on.
    public static let idle = ActivityStatus(state: .notActive, isVisible: false, count: 0)

    /// Creates a status.
    public init(state: ActivityState, isVisible: Bool, count: Int) {
        self.state = state
        self.isVisible = isVisible
        self.count = count
    }
}
