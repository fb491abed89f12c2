// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What one event did to an ``ActivityStateMachine``.
///
/// The two states are equal when a machine was disabled that was not active: the original sets its state then too, and
/// key-value observers are notified of it (contract K16).
public struct ActivityTransition: Sendable, Hashable {
    /// The state before the event.
    public let from: ActivityState
    /// The state after it.
    public let to: ActivityState
    /// What has to be done, in this order.
    public let actions: [ActivityAction]

    /// Creates a transition.
    ///
    /// - Parameters:
    ///   - from: the state before the event.
    ///   - to: the state after it.
    ///   - actions: what has to be done.
    public init(from: ActivityState, to: ActivityState, actions: [ActivityAction]) {
        self.from = from
        self.to = to
        self.actions = actions
    }

    /// Whether the original sets its visible flag in this transition, changed or not; observers are notified (contract K16).
    public var setsVisible: Bool {
        from != to && (to == .notActive || to == .active)
    }

    /// The new value of the visible flag, if it changed.
    public var visibleChange: Bool? {
        for case .visibleChanged(let isVisible) in actions { return isVisible }
        return nil
    }
}

/// What the driver of an ``ActivityStateMachine`` has to do, in order.
public enum ActivityAction: Sendable, Hashable {
    /// Start a timer that is not running, or was cancelled just before.
    case startTimer(ActivityTimer)
    /// Cancel a timer; it may not be running. It must not fire any more, not even if it is already due.
    case cancelTimer(ActivityTimer)
    /// The indicator was shown (`true`) or hidden (`false`); the values alternate, and the first is `true` (contract A21).
    case visibleChanged(Bool)
}

/// The two delays of an activity indicator; each is running at most once.
public enum ActivityTimer: String, Sendable, Hashable, CaseIterable {
    /// Runs in ``ActivityState/delayingStart``, for 1.0 s in the original (contract A1).
    case activation
    /// Runs in ``ActivityState/delayingEnd``, for 0.17 s in the original (contract A1).
    case completion
}
