// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ActivityTracking

typealias Machine = ActivityStateMachine<Int>

extension ActivityStateMachine where ID == Int {
    /// A machine in a state, with a count of 0 or 1; brought there by events alone.
    init(in state: ActivityState, occurring: Bool, compatibility: ActivityCompatibility = []) {
        self.init(isEnabled: true, compatibility: compatibility)
        if state != .notActive {
            increment()
            _ = update()
        }
        if state == .active || state == .delayingEnd {
            _ = timerFired(.activation)
        }
        if state == .delayingEnd {
            decrement()
            _ = update()
        }
        while isActivityOccurring { decrement() }
        if occurring { increment() }
    }
}

/// What can happen to a machine besides counting.
enum MachineEvent: Sendable, Hashable, CaseIterable {
    case update, activationFired, completionFired, enable, disable

    func happen(to machine: inout Machine) -> ActivityTransition? {
        switch self {
        case .update: machine.update()
        case .activationFired: machine.timerFired(.activation)
        case .completionFired: machine.timerFired(.completion)
        case .enable: machine.setEnabled(true)
        case .disable: machine.setEnabled(false)
        }
    }
}
