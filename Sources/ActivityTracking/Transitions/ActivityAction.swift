// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What the driver of an ``ActivityStateMachine`` has to do, in the order in which it is told.
public enum ActivityAction: Sendable, Hashable {
    /// Start a timer that is not running, or was cancelled just before.
    case startTimer(ActivityTimer)
    /// Cancel a timer; it may not be running. It must not fire any more, not even if it is already due.
    case cancelTimer(ActivityTimer)
    /// The indicator was shown (`true`) or hidden (`false`); the values alternate, and the first is `true` (contract A21).
    case visibleChanged(Bool)
}
