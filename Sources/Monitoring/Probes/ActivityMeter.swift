// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ActivityTracking

/// Lets the activity indicator follow the probes in flight.
final class ActivityMeter<World: ProbeWorld> {
    private unowned let world: World
    private let changed: (ActivityStatus, Bool) -> Void
    private var machine = ActivityStateMachine<UInt64>(isEnabled: true)
    private var timers: [ActivityTimer: World.Timer] = [:]

    /// - Parameter changed: called after each change, with whether that of the count was also one of the state.
    init(world: World, changed: @escaping (ActivityStatus, Bool) -> Void) {
        self.world = world
        self.changed = changed
    }

    var status: ActivityStatus {
        ActivityStatus(state: machine.state, isVisible: machine.isVisible, count: machine.count)
    }

    func begin(_ ordinal: UInt64) {
        machine.begin(ordinal)
        perform(machine.update())
    }

    func end(_ ordinal: UInt64) {
        machine.end(ordinal)
        perform(machine.update())
    }

    func close() {
        for timer in timers.values { world.cancel(timer) }
        timers = [:]
    }

    private func perform(_ transition: ActivityTransition?) {
        guard let transition else { return changed(status, false) }
        for action in transition.actions {
            switch action {
            case .startTimer(let timer): start(timer)
            case .cancelTimer(let timer):
                if let running = timers.removeValue(forKey: timer) { world.cancel(running) }
            case .visibleChanged: break
            }
        }
        changed(status, true)
    }

    private func start(_ timer: ActivityTimer) {
        // A1: 1.0 s and 0.17 s.
        let delay: UInt64 = timer == .activation ? 1_000_000_000 : 170_000_000
        timers[timer] = world.schedule(at: world.now() + delay) { [weak self] in
            guard let self else { return }
            timers[timer] = nil
            perform(machine.timerFired(timer))
        }
    }
}
