// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// AFNetworking's activity indicator as a value: events in, actions out, no clock, no lock, no I/O (contract A1–A27).
///
/// The driver keeps the machine behind its lock. It counts with ``increment()``, ``decrement()``, ``begin(_:)`` and
/// ``end(_:)``, which never change the state; after each of them it calls ``update()``, at once or queued as the
/// original does (A5). It runs the timers, calls the machine when one fires, and performs the actions of each
/// transition in their order, outside its lock.
///
/// An update acts only while the machine is enabled (A18). "Occurring" means that the count is above 0:
///
/// | # | state | event | condition | next | actions |
/// | --- | --- | --- | --- | --- | --- |
/// | A6 | `notActive` | update | occurring | `delayingStart` | start activation |
/// | A7 | `notActive` | update | not occurring | – | |
/// | A8 | `delayingStart` | update | | – | the timer is neither cancelled nor started again |
/// | A9 | `delayingStart` | activation fired | occurring | `active` | cancel completion, visible |
/// | A10 | `delayingStart` | activation fired | not occurring | `notActive` | cancel both; hidden as before |
/// | A11 | `active` | update | not occurring | `delayingEnd` | cancel completion, start completion |
/// | A12 | `active` | update | occurring | – | |
/// | A13 | `delayingEnd` | update | occurring | `active` | cancel completion; visible as before |
/// | A14 | `delayingEnd` | update | not occurring | – | the timer is not started again |
/// | A15 | `delayingEnd` | completion fired | not occurring, or the quirk | `notActive` | cancel both, hidden |
/// | A23 | `delayingEnd` | completion fired | occurring, without the quirk | `active` | cancel completion; visible as before |
/// | A16 | any | disabled | | `notActive` | cancel both; hidden, if it was visible |
/// | A17 | any | enabled | | – | nothing is evaluated before the next update |
/// | A18 | any | update | disabled | – | |
///
/// A timer that fires in a state in which it does not run does nothing.
public struct ActivityStateMachine<ID: Hashable & Sendable>: Sendable {
    /// Which quirks of the original it keeps.
    public let compatibility: ActivityCompatibility
    /// Where it is.
    public private(set) var state = ActivityState.notActive
    /// Whether it acts on updates; it counts all the same (A2).
    public private(set) var isEnabled: Bool
    /// Whether the indicator is to be seen.
    public private(set) var isVisible = false

    /// What is counted without a name.
    private var anonymous = 0
    /// What is going on by name; empty with ``ActivityCompatibility/countsWithoutIdentity``.
    private var named: Set<ID> = []

    /// Creates a machine that is not active, with a count of 0 (contract A1).
    ///
    /// - Parameters:
    ///   - isEnabled: whether it acts from the start; the original does not.
    ///   - compatibility: the quirks to keep.
    public init(isEnabled: Bool = false, compatibility: ActivityCompatibility = []) {
        self.isEnabled = isEnabled
        self.compatibility = compatibility
    }

    // MARK: Counting

    /// How many activities are going on; never below 0 (contract A4).
    public var count: Int { anonymous + named.count }

    /// Whether anything is going on.
    public var isActivityOccurring: Bool { count > 0 }

    /// Counts an activity that has no name (contract A5).
    public mutating func increment() {
        anonymous += 1
    }

    /// Counts an end of an activity that has no name; one too many is swallowed, and ends nothing named (contract A4).
    public mutating func decrement() {
        if anonymous > 0 { anonymous -= 1 }
    }

    /// Counts an activity by its name; once, however often it is begun (contract A26).
    ///
    /// With ``ActivityCompatibility/countsWithoutIdentity`` it is ``increment()``.
    ///
    /// - Parameter id: the activity's name; free for another one as soon as it ended.
    public mutating func begin(_ id: ID) {
        if compatibility.contains(.countsWithoutIdentity) {
            increment()
        } else {
            named.insert(id)
        }
    }

    /// Counts the end of an activity by its name; nothing happens if it is not going on (contract A26).
    ///
    /// With ``ActivityCompatibility/countsWithoutIdentity`` it is ``decrement()``.
    ///
    /// - Parameter id: the name it was begun with.
    public mutating func end(_ id: ID) {
        if compatibility.contains(.countsWithoutIdentity) {
            decrement()
        } else {
            named.remove(id)
        }
    }

    // MARK: Events

    /// Looks at the count (A6–A8, A11–A14, A18); any number of times.
    ///
    /// - Returns: the transition; nil when the original sets nothing.
    public mutating func update() -> ActivityTransition? {
        guard isEnabled else { return nil }
        return switch (state, isActivityOccurring) {
        case (.notActive, true): move(to: .delayingStart)
        case (.active, false): move(to: .delayingEnd)
        case (.delayingEnd, true): move(to: .active)
        case (.notActive, false), (.delayingStart, _), (.active, true), (.delayingEnd, false): nil
        }
    }

    /// A timer has run out (A9, A10, A15, A23).
    ///
    /// - Parameter timer: a timer that was started and not cancelled since.
    /// - Returns: the transition; nil when that timer does not run in the present state.
    public mutating func timerFired(_ timer: ActivityTimer) -> ActivityTransition? {
        switch (timer, state) {
        case (.activation, .delayingStart):
            return move(to: isActivityOccurring ? .active : .notActive)
        case (.completion, .delayingEnd):
            let stays = isActivityOccurring && !compatibility.contains(.hidesWithoutCounting)
            return move(to: stays ? .active : .notActive)
        case (.activation, _), (.completion, _):
            return nil
        }
    }

    /// Enables the machine, which does nothing more, or disables it, which makes it not active at once (A16, A17).
    ///
    /// - Parameter enabled: whether it is to act on updates.
    /// - Returns: for `false` always a transition, also when nothing changes (K16); for `true` nil.
    public mutating func setEnabled(_ enabled: Bool) -> ActivityTransition? {
        isEnabled = enabled
        guard !enabled else { return nil }
        return state == .notActive
            ? ActivityTransition(from: .notActive, to: .notActive, actions: []) : move(to: .notActive)
    }

    /// The effects of entering a state, which are the same from wherever it is entered.
    private mutating func move(to next: ActivityState) -> ActivityTransition {
        var actions: [ActivityAction]
        var visible = isVisible
        switch next {
        case .notActive:
            actions = [.cancelTimer(.activation), .cancelTimer(.completion)]
            visible = false
        case .delayingStart:
            actions = [.startTimer(.activation)]
        case .active:
            actions = [.cancelTimer(.completion)]
            visible = true
        case .delayingEnd:
            actions = [.cancelTimer(.completion), .startTimer(.completion)]
        }
        if visible != isVisible { actions.append(.visibleChanged(visible)) }
        isVisible = visible
        defer { state = next }
        return ActivityTransition(from: state, to: next, actions: actions)
    }
}

/// Where an activity indicator is; raw values are those of AFNetworking (contract A1).
public enum ActivityState: Int, Sendable, Hashable, CaseIterable {
    /// No activity, or the machine is disabled; hidden. Next: ``delayingStart``.
    case notActive = 0
    /// Activity, for less than the activation delay; hidden. Next: ``active`` or ``notActive``.
    case delayingStart = 1
    /// Activity; visible. Next: ``delayingEnd``, or ``notActive`` when disabled.
    case active = 2
    /// No activity, for less than the completion delay; still visible. Next: ``active`` or ``notActive``.
    case delayingEnd = 3

    /// The state's name in the HTTP contract: `not_active`, `delaying_start`, `active`, `delaying_end`.
    public var name: String {
        switch self {
        case .notActive: "not_active"
        case .delayingStart: "delaying_start"
        case .active: "active"
        case .delayingEnd: "delaying_end"
        }
    }
}

/// Which of the original's quirks an activity indicator keeps; none of them unless asked (contract A23, A26).
public struct ActivityCompatibility: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt8

    /// Creates a choice from raw bits; unknown bits are kept and mean nothing.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The end of the completion delay hides without a look at the count (A23).
    ///
    /// An activity that began just before, and whose update is still queued, then has to wait for a whole activation
    /// delay. Without this quirk the indicator stays visible.
    public static let hidesWithoutCounting = Self(rawValue: 1)

    /// A begin counts up and an end counts down, of any caller (A26).
    ///
    /// A task that is suspended and then cancelled counts down twice, and one that completes without ever being resumed
    /// takes another's place. Without this quirk identities are counted: beginning and ending are idempotent for each.
    public static let countsWithoutIdentity = Self(rawValue: 2)

    /// All quirks: what AFNetworking 4.0.1 does.
    public static let afnetworking: Self = [.hidesWithoutCounting, .countsWithoutIdentity]
}
