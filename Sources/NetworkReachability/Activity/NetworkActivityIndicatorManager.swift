// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import ActivityTracking
public import Dispatch
public import Foundation
public import KeyValueObserving
import Synchronization

@_exported public import struct ActivityTracking.ActivityCompatibility
@_exported public import enum ActivityTracking.ActivityState

/// Says when to show that the program uses the network, without flicker (contract A1–A27).
///
/// It counts activities: tasks that are announced on the notification centre, tokens, or plain counts. What lasts longer
/// than the activation delay shows the indicator, and it stays for the completion delay after the last one ended. It is
/// disabled until ``isEnabled`` is set; it counts all the same (A2).
///
/// There is no indicator on this platform: ``setNetworkingActivityAction(_:)`` is where to draw one (A22). The table of
/// states is that of `ActivityStateMachine`.
///
/// All members may be used from any thread. Updates and timers run on the delivery queue. Unless `compatibility` asks for
/// the original's quirks it deviates in two things: an activity that began just before the end of the completion delay
/// keeps the indicator visible (A23), and a task is counted once, however often it is announced (A26). Neither the
/// observers of `activityCount` nor those of the delays are called with a lock held (K15); those of the state, of
/// visibility and of `enabled`, and the action, are called inside a transition, as with the original: another thread that
/// enables or disables waits for its end, the same thread may do anything (A21).
public final class NetworkActivityIndicatorManager: KeyValueObservable {
    /// The manager on the main queue, made at its first use (contract A2).
    public static let shared = NetworkActivityIndicatorManager()

    /// The observers of `enabled`, `networkActivityIndicatorVisible`, `activityCount`, `currentState` and the two delays.
    public let observers = KeyValueObservers<NetworkActivityIndicatorManager>()

    private let scheduler: any ActivityScheduler
    private let state: Mutex<State>
    /// Held from the decision for a transition until everybody knows of it, so that those of several threads do not mix.
    private let transitions = NSRecursiveLock()
    private let subscription: TaskSubscription

    /// Creates a manager, disabled; it counts the tasks that are announced from now on (contract A1, A2).
    ///
    /// - Parameters:
    ///   - deliveryQueue: where updates and timers run, and the action is called.
    ///   - compatibility: which of the original's quirks to keep; `.afnetworking` for all.
    ///   - notificationCenter: where tasks are announced.
    public convenience init(
        deliveryQueue: DispatchQueue = .main,
        compatibility: ActivityCompatibility = [],
        notificationCenter: NotificationCenter = .default
    ) {
        self.init(
            scheduler: DispatchActivityScheduler(deliveryQueue: deliveryQueue),
            compatibility: compatibility,
            notificationCenter: notificationCenter
        )
    }

    /// Creates a manager with a time of its own.
    init(scheduler: any ActivityScheduler, compatibility: ActivityCompatibility, notificationCenter: NotificationCenter)
    {
        self.scheduler = scheduler
        state = Mutex(State(machine: ActivityStateMachine(compatibility: compatibility)))
        subscription = TaskSubscription(center: notificationCenter)
        subscription.begin { [weak self] announcement, task in self?.receive(announcement, of: task) }
    }

    deinit {
        subscription.end()
        for timer in state.withLock({ $0.timers.values.map(\.work) }) { timer.cancel() }
    }

    // MARK: Settings

    /// Whether the indicator is ever shown; false at first (contract A1).
    ///
    /// Enabling evaluates nothing: what is going on shows up with the next count (A17). Disabling hides the indicator
    /// before it returns, on the calling thread (A16).
    public var isEnabled: Bool {
        get { state.withLock { $0.machine.isEnabled } }
        set {
            transitions.withLock {
                observers.withChange(of: .enabled, on: self) {
                    transition { $0.setEnabled(newValue) }
                }
            }
        }
    }

    /// How long activity must last before it is shown, 1.0 seconds at first (contract A1, A19).
    ///
    /// A running timer keeps its delay; 0 and less are 0.1 milliseconds (A24).
    public var activationDelay: TimeInterval {
        get { state.withLock { $0.delays.activation } }
        set {
            observers.withChange(of: .activationDelay, on: self) {
                state.withLock { $0.delays.activation = newValue }
            }
        }
    }

    /// How long the indicator stays after the end of activity, 0.17 seconds at first (contract A1, A20).
    ///
    /// A running timer keeps its delay; 0 and less are 0.1 milliseconds (A24).
    public var completionDelay: TimeInterval {
        get { state.withLock { $0.delays.completion } }
        set {
            observers.withChange(of: .completionDelay, on: self) {
                state.withLock { $0.delays.completion = newValue }
            }
        }
    }

    /// Which of the original's quirks are kept (contract A23, A26).
    public var compatibility: ActivityCompatibility {
        state.withLock { $0.machine.compatibility }
    }

    /// Sets the one function that is called when the indicator is to be shown or hidden (contract A21, A22).
    ///
    /// It is called with `true` and `false` in turn, `true` first; on the delivery queue, or on the thread that disables.
    /// Setting it calls nothing. The new values can be read in it already, but observers are notified after it (K17).
    ///
    /// - Parameter action: it replaces the one before, nil clears it.
    public func setNetworkingActivityAction(_ action: (@Sendable (Bool) -> Void)?) {
        let previous = state.withLock { state in
            defer { state.action = action }
            return state.action
        }
        // What the replaced action holds is released here, outside the lock.
        withExtendedLifetime(previous) {}
    }

    // MARK: State

    /// Whether the indicator is to be seen now.
    public var isNetworkActivityIndicatorVisible: Bool {
        state.withLock { $0.isVisible }
    }

    /// Where the indicator is between hidden and visible (contract A1).
    public var currentState: NetworkActivityManagerState {
        state.withLock { $0.machine.state }
    }

    /// How many activities are going on; never below 0 (contract A4).
    public var activityCount: Int {
        state.withLock { $0.machine.count }
    }

    /// Whether anything is going on; not observable (contract K20).
    public var isNetworkActivityOccurring: Bool {
        state.withLock { $0.machine.isActivityOccurring }
    }

    // MARK: Counting

    /// Counts an activity; each needs its ``decrementActivityCount()`` (contract A5).
    ///
    /// ``beginActivity()`` cannot be unbalanced.
    public func incrementActivityCount() {
        count { $0.increment() }
    }

    /// Counts the end of an activity; one too many is swallowed (contract A4, A5).
    public func decrementActivityCount() {
        count { $0.decrement() }
    }

    /// Counts an activity for as long as the token lives and is not ended (contract A26).
    ///
    /// - Returns: the token; keep it.
    public func beginActivity() -> NetworkActivityToken {
        let id = state.withLock { state in
            state.lastToken += 1
            return ActivityIdentity.token(state.lastToken)
        }
        count { $0.begin(id) }
        return NetworkActivityToken { [weak self] correction in
            self?.count { machine in
                guard let isBegin = correction() else { return }
                if isBegin { machine.begin(id) } else { machine.end(id) }
            }
        }
    }

    /// A task was announced; on the thread that posts (A3).
    private func receive(_ announcement: TaskAnnouncement, of task: ObjectIdentifier) {
        switch announcement {
        case .resumed: count { $0.begin(.task(task)) }
        case .suspended, .completed: count { $0.end(.task(task)) }
        }
    }

    private func count(_ change: @Sendable (inout Machine) -> Void) {
        observers.withChange(of: .activityCount, on: self) {
            state.withLock { change(&$0.machine) }
        }
        scheduler.enqueue { [weak self] in self?.transition { $0.update() } }
    }

    // MARK: Transitions

    /// Lets an event happen, in the order of K17.
    private func transition(_ event: @Sendable (inout Machine) -> ActivityTransition?) {
        transitions.withLock {
            let isQuiet = state.withLock { state in
                var machine = state.machine
                guard event(&machine) == nil else { return false }
                state.machine = machine
                return true
            }
            guard !isQuiet else { return }
            observers.withChange(of: .currentState, on: self) {
                // Decided only now: the count may have changed, or an observer may have disabled it, since the look ahead.
                guard let transition = state.withLock({ event(&$0.machine) }) else { return }
                for action in transition.actions { perform(action) }
                if transition.setsVisible { publishVisible() }
            }
        }
    }

    private func perform(_ action: ActivityAction) {
        switch action {
        case .startTimer(let timer): start(timer)
        case .cancelTimer(let timer): state.withLock { $0.timers.removeValue(forKey: timer) }?.work.cancel()
        case .visibleChanged: break  // Published after the timers, with its observers around it.
        }
    }

    /// Shows or hides what the machine says by now, so that the action alternates whatever an observer does (A21).
    private func publishVisible() {
        observers.withChange(of: .networkActivityIndicatorVisible, on: self) {
            let call = state.withLock { state -> (action: (@Sendable (Bool) -> Void)?, isVisible: Bool)? in
                guard state.isVisible != state.machine.isVisible else { return nil }
                state.isVisible = state.machine.isVisible
                return (state.action, state.isVisible)
            }
            if let call { call.action?(call.isVisible) }
        }
    }

    private func start(_ timer: ActivityTimer) {
        let (number, delay) = state.withLock { state in
            state.lastTimer += 1
            return (state.lastTimer, state.delays.duration(of: timer))
        }
        // It cannot fire before it is kept: firing waits for the end of this transition.
        let work = scheduler.schedule(after: delay) { [weak self] in self?.fire(timer, number) }
        state.withLock { $0.timers[timer] = RunningTimer(number: number, work: work) }
    }

    private func fire(_ timer: ActivityTimer, _ number: UInt64) {
        transitions.withLock {
            // One that was due when it was cancelled still comes here.
            let isRunning = state.withLock { state in
                guard state.timers[timer]?.number == number else { return false }
                state.timers[timer] = nil
                return true
            }
            if isRunning { transition { $0.timerFired(timer) } }
        }
    }
}

extension NetworkActivityIndicatorManager {
    private typealias Machine = ActivityStateMachine<ActivityIdentity>

    private struct RunningTimer {
        let number: UInt64
        let work: any ScheduledActivityWork
    }

    private struct State {
        var machine: Machine
        /// What was shown last: the machine's flag, as far as its observers were notified of it.
        var isVisible = false
        var delays = ActivityDelays()
        var action: (@Sendable (Bool) -> Void)?
        var timers: [ActivityTimer: RunningTimer] = [:]
        var lastTimer: UInt64 = 0
        var lastToken: UInt64 = 0
    }
}

extension ObservableKey where Root == NetworkActivityIndicatorManager, Value == Bool {
    /// The key `enabled` (contract K19).
    public static var enabled: Self { Keys.enabled }

    /// The key `networkActivityIndicatorVisible`, notified with every setting, changed or not (contract K16).
    public static var networkActivityIndicatorVisible: Self { Keys.networkActivityIndicatorVisible }
}

extension ObservableKey where Root == NetworkActivityIndicatorManager, Value == TimeInterval {
    /// The key `activationDelay` (contract K19).
    public static var activationDelay: Self { Keys.activationDelay }

    /// The key `completionDelay` (contract K19).
    public static var completionDelay: Self { Keys.completionDelay }
}

extension ObservableKey where Root == NetworkActivityIndicatorManager, Value == Int {
    /// The key `activityCount`: a pair for each count up or down on the thread that counts, also from 0 to 0 (contract K15).
    public static var activityCount: Self { Keys.activityCount }
}

extension ObservableKey where Root == NetworkActivityIndicatorManager, Value == NetworkActivityManagerState {
    /// The key `currentState`, notified with every setting, changed or not (contract K16, K17).
    public static var currentState: Self { Keys.currentState }
}

/// Key names are the properties' names, not those of their getters (K11); none depends on another (K20).
private enum Keys {
    typealias Key<Value: Sendable> = ObservableKey<NetworkActivityIndicatorManager, Value>

    static let enabled = Key<Bool>("enabled") { $0.isEnabled }
    static let networkActivityIndicatorVisible = Key<Bool>("networkActivityIndicatorVisible") {
        $0.isNetworkActivityIndicatorVisible
    }
    static let activationDelay = Key<TimeInterval>("activationDelay") { $0.activationDelay }
    static let completionDelay = Key<TimeInterval>("completionDelay") { $0.completionDelay }
    static let activityCount = Key<Int>("activityCount") { $0.activityCount }
    static let currentState = Key<NetworkActivityManagerState>("currentState") { $0.currentState }
}

/// AFNetworking's state of an activity indicator, with its raw values 0 to 3 (contract A1).
public typealias NetworkActivityManagerState = ActivityState

/// The two delays as they were set, in seconds (contract A1).
struct ActivityDelays: Sendable {
    var activation: TimeInterval = 1.0
    var completion: TimeInterval = 0.17

    /// How long a timer that starts now runs: never less than 0.1 milliseconds, as on a run loop (contract A24).
    ///
    /// NaN is the shortest; more than a year, infinity too, is a year.
    func duration(of timer: ActivityTimer) -> Duration {
        let seconds = timer == .activation ? activation : completion
        guard seconds > 0.000_1 else { return .microseconds(100) }
        return .nanoseconds(Int64((min(seconds, 365 * 86_400) * 1e9).rounded()))
    }
}

/// The counted tasks.
///
/// A task that is gone without its end leaves an identity behind; the next task at its place takes it over, and ends it.
enum ActivityIdentity: Sendable, Hashable {
    case token(UInt64)
    case task(ObjectIdentifier)
}
