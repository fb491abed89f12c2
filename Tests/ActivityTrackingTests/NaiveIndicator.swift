// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ActivityTracking

/// The indicator as AFNetworking writes it, with setters that have effects: slow, long-winded, and obviously right.
final class NaiveIndicator {
    let keepsQuirkA23: Bool
    let keepsQuirkA26: Bool

    private(set) var enabled = false
    private(set) var visible = false
    private(set) var currentState = 0
    /// Who goes on; -1 stands for somebody without a name.
    private(set) var tasks: [Int] = []
    private(set) var activationTimerRuns = false
    private(set) var completionTimerRuns = false
    /// What the block was called with.
    private(set) var blocks: [Bool] = []

    init(compatibility: ActivityCompatibility) {
        keepsQuirkA23 = compatibility.contains(.hidesWithoutCounting)
        keepsQuirkA26 = compatibility.contains(.countsWithoutIdentity)
    }

    func resume(_ task: Int?) {
        guard let task, !keepsQuirkA26 else { return tasks.append(-1) }
        if !tasks.contains(task) { tasks.append(task) }
    }

    func complete(_ task: Int?) {
        let place = tasks.firstIndex(of: keepsQuirkA26 ? -1 : task ?? -1)
        if let place { tasks.remove(at: place) }
    }

    func updateCurrentState() {
        if !enabled { return }
        if currentState == 0, !tasks.isEmpty {
            setState(1)
        } else if currentState == 2, tasks.isEmpty {
            setState(3)
        } else if currentState == 3, !tasks.isEmpty {
            setState(2)
        }
    }

    func activationDelayTimerFired() {
        if tasks.isEmpty { setState(0) } else { setState(2) }
    }

    func completionDelayTimerFired() {
        if keepsQuirkA23 || tasks.isEmpty { setState(0) } else { setState(2) }
    }

    func setEnabled(_ value: Bool) {
        enabled = value
        if !value { setState(0) }
    }

    private func setState(_ state: Int) {
        if state == currentState { return }
        currentState = state
        if state == 0 {
            activationTimerRuns = false
            completionTimerRuns = false
            setVisible(false)
        } else if state == 1 {
            activationTimerRuns = true
        } else if state == 2 {
            activationTimerRuns = false
            completionTimerRuns = false
            setVisible(true)
        } else {
            completionTimerRuns = true
        }
    }

    private func setVisible(_ value: Bool) {
        if value == visible { return }
        visible = value
        blocks.append(value)
    }
}
