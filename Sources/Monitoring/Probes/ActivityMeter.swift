// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import ActivityTracking

/// Lets the activity indicator follow the probes in flight.
final class ActivityMeter<World: ProbeEnvironment> {
    private unowned let world: World
    private let changed: (ActivityStatus, Bool) -> Void
    private var machine = ActivityStateMachine<UInt64>(isEnabled: true)
    private var timers: [ActivityTimer: World.Timer] = [:]
    /// The state that readers and streams are shown.
    private var shown = ActivityState.notActive
    private var shownAt: UInt64?
    private var flicker: World.Timer?

    /// While the indicator is visible, its state follows the probes at most this often, in nanoseconds: with many probes it
    /// would change hundreds of times a second. Shorter changes are shown to nobody.
    static var leastTime: UInt64 { 100_000_000 }

    /// - Parameter changed: called after each change, with whether that of the count was also one of the state shown.
    init(world: World, changed: @escaping (ActivityStatus, Bool) -> Void) {
        self.world = world
        self.changed = changed
    }

    var status: ActivityStatus {
        ActivityStatus(state: shown, isVisible: machine.isVisible, count: machine.count)
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
        stopFlicker()
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
        show()
    }

    /// Shows the machine's state, at once or when the one before was shown for long enough.
    private func show() {
        guard machine.state != shown else {
            stopFlicker()
            return changed(status, false)
        }
        let isFlicker = [.active, .delayingEnd].contains(shown) && [.active, .delayingEnd].contains(machine.state)
        let now = world.now()
        if isFlicker, let shownAt, now < shownAt + Self.leastTime {
            if flicker == nil {
                flicker = world.schedule(at: shownAt + Self.leastTime) { [weak self] in
                    self?.flicker = nil
                    self?.show()
                }
            }
            return changed(status, false)
        }
        stopFlicker()
        (shown, shownAt) = (machine.state, now)
        changed(status, true)
    }

    private func stopFlicker() {
        if let flicker { world.cancel(flicker) }
        flicker = nil
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

/// The activity indicator as it follows the probes in flight (A1–A27).
package struct ActivityStatus: Sendable, Hashable {
    /// Where the indicator is.
    package let state: ActivityState
    /// Whether it is shown.
    package let isVisible: Bool
    /// How many probes are in flight.
    package let count: Int

    /// Idle.
    package static let idle = ActivityStatus(state: .notActive, isVisible: false, count: 0)

    /// Creates a status.
    package init(state: ActivityState, isVisible: Bool, count: Int) {
        self.state = state
        self.isVisible = isVisible
        self.count = count
    }
}
