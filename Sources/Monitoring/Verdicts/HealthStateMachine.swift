// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Probing

/// Computes one target's state from its probe results, its path, its parents, maintenance and pauses: inputs in, state and
/// actions out; no clock, no lock, no I/O.
///
/// **Precedence.** The first row that applies:
///
/// | row | holds | state | basis | the probe |
/// | --- | --- | --- | --- | --- |
/// | H1 | paused | `paused` | `paused` | suspended |
/// | H2 | in maintenance | `maintenance` | `maintenance` | continues, unless H3 or H4 hold; results count at the end |
/// | H3 | path unsatisfied | `unreachable` | `path` | suspended |
/// | H4 | parent not up | `unreachable` | `parent` | suspended |
/// | H5 | none | the results' verdict | `awaited` while there is none, else `probe` | continues |
///
/// **Evaluation of results.** `fall` and `rise` come from the settings; counts are consecutive results:
///
/// | row | verdict | results | becomes |
/// | --- | --- | --- | --- |
/// | V1 | none | a success | `up` |
/// | V2 | none | a degraded one | `degraded` |
/// | V3 | none | `fall` failures | `down` |
/// | V4 | `up` | `fall` failures | `down` |
/// | V5 | `up` | `fall` without a success, not all failures | `degraded` |
/// | V6 | `degraded` | `fall` failures | `down` |
/// | V7 | `degraded` | `rise` successes | `up` |
/// | V8 | `down` | `rise` successes | `up` |
/// | V9 | `down` | `rise` without a failure, not all successes | `degraded` |
/// | V10 | any | fewer | unchanged; ``pending`` shows the progress |
/// | V11 | any | the probe is suspended | unchanged; the result is ignored |
///
/// **Suspension.** When the probe is suspended, counts and verdict are discarded. When the last reason to suspend is gone:
///
/// | row | last reason | probe | state until a result decides |
/// | --- | --- | --- | --- |
/// | V12 | the pause | immediately | `unknown`, as initially |
/// | V13 | the path or the parent | soon | `unreachable`; V1–V3 apply: the first packets after a return are often lost |
/// | V14 | (the machine was suspended) | soon | unchanged; counts are discarded: a resume causes failures |
///
/// **A resumed state** is what another observer of the target found last, such as the node of a fleet that watched it before. Rows
/// V4–V9 apply to it with counts that begin anew, so that `fall` and `rise` hold. Until results bear it out or change it, the state is
/// `unknown` (`awaited`): what is reported was observed here. Results bear out `up` by a success, `down` by a failure, `degraded` by a
/// degraded one or by a success and a failure next to each other. That takes at most `fall` or `rise` results, whichever is greater. A
/// reason to suspend the probe discards it.
///
/// **Next probe:** after the confirm interval while a change is pending; else while `down`, after the interval with its
/// backoff; else after the interval. None while the probe is suspended.
package struct HealthStateMachine<Reason: Sendable & Hashable>: Sendable {
    /// The thresholds and intervals.
    package private(set) var settings: VerdictSettings
    private var isPaused = false
    private var isInMaintenance = false
    private var isPathSatisfied = true
    private var isParentUp = true

    /// The state by results: `unknown` or `unreachable` before a result decides, else `up`, `degraded` or `down`.
    private var probed: TargetState = .unknown
    /// Whether ``probed`` is a resumed state that no result has borne out.
    private var isResumed = false
    private var streaks = ResultStreaks()
    private var flaps = FlapDetector()
    private var failuresWhileDown = 0
    private var lastFailure: Reason?
    private var lastDegraded: Reason?

    /// Creates the machine of a target without results and without a reason to suspend its probe.
    ///
    /// - Parameters:
    ///   - settings: the thresholds and intervals.
    ///   - resumed: what another observer found by its results: `up`, `degraded` or `down`; all else is the same as nil.
    package init(settings: VerdictSettings, resuming resumed: TargetState? = nil) {
        self.settings = settings
        guard let resumed, [.up, .degraded, .down].contains(resumed) else { return }
        (probed, isResumed) = (resumed, true)
    }

    /// The target's state.
    package var state: TargetState {
        switch basis {
        case .paused: .paused
        case .maintenance: .maintenance
        case .path, .parent: .unreachable
        case .awaited, .probe: isResumed ? .unknown : probed
        }
    }

    /// The input that decided ``state``.
    package var basis: VerdictBasis {
        if isPaused { return .paused }
        if isInMaintenance { return .maintenance }
        if !isPathSatisfied { return .path }
        if !isParentUp { return .parent }
        return isResumed || probed == .unknown || probed == .unreachable ? .awaited : .probe
    }

    /// Replaces the reason of the newest failure by one that was found later; without a failure nothing happens.
    package mutating func replaceFailureReason(_ reason: Reason) {
        if lastFailure != nil { lastFailure = reason }
    }

    /// The reason of the newest failure since the probe was suspended last, also when results since were better; nil without one.
    package var newestFailure: Reason? { lastFailure }

    /// The newest result's reason for `degraded` or `down`; nil in every other state.
    package var reason: Reason? {
        guard basis == .probe else { return nil }
        return switch probed {
        case .down: lastFailure
        // A resumed `degraded` can be borne out without a degraded result.
        case .degraded: lastDegraded ?? lastFailure
        default: nil
        }
    }

    /// The change of ``state`` that is being confirmed; nil while none is, or while results do not decide.
    package var pending: PendingVerdict? { basis == .awaited || basis == .probe ? doubt : nil }

    /// Whether the results change so often that no state lasts.
    package var isFlapping: Bool { flaps.isFlapping }

    /// Whether the probe is suspended.
    package var isResting: Bool { isPaused || !isPathSatisfied || !isParentUp }

    /// The time from the last start of a probe to the next one; nil while the probe is suspended.
    package var nextInterval: Duration? {
        if isResting { return nil }
        if doubt != nil { return settings.confirmInterval }
        return probed == .down ? settings.backoff(after: failuresWhileDown) : settings.interval
    }

    /// Processes one input.
    ///
    /// - Returns: The changes and the order for the probe; the properties are those after the input.
    package mutating func handle(_ input: VerdictInput<Reason>) -> VerdictOutput {
        let (oldState, wasResting, wasFlapping) = (state, isResting, isFlapping)
        var order: ProbeOrder?
        switch input {
        case .result(let verdict, let reason): if !isResting { record(verdict, reason) }
        case .path(let isSatisfied): isPathSatisfied = isSatisfied
        case .parent(let isUp): isParentUp = isUp
        case .pause: isPaused = true
        case .resume: isPaused = false
        case .maintenanceBegins: isInMaintenance = true
        case .maintenanceEnds: isInMaintenance = false
        case .suspended:
            forgetCounts()
            if !isResting { order = .atOnce }
        }
        if isResting != wasResting {
            forgetCounts()
            (lastFailure, lastDegraded) = (nil, nil)
            isResumed = false
            probed = isResting || input == .resume ? .unknown : .unreachable
            order = isResting ? .rest : .atOnce
        }
        return VerdictOutput(
            transition: state == oldState ? nil : StateTransition(from: oldState, to: state),
            order: order,
            flappingChanged: isFlapping != wasFlapping
        )
    }

    /// Goes on with other settings; the state stays, and counts begin anew.
    package mutating func apply(_ settings: VerdictSettings) {
        guard settings != self.settings else { return }
        if settings.flapDetection != self.settings.flapDetection { flaps = FlapDetector() }
        self.settings = settings
        streaks = ResultStreaks()
        failuresWhileDown = 0
    }

    private mutating func forgetCounts() {
        streaks = ResultStreaks()
        failuresWhileDown = 0
        flaps.interrupt()
    }

    private mutating func record(_ verdict: ProbeOutcome, _ reason: Reason?) {
        switch verdict {
        case .success: break
        case .degraded: lastDegraded = reason
        case .failure: lastFailure = reason
        }
        let (oldStreaks, old) = (streaks, probed)
        streaks.record(verdict)
        if let flapDetection = settings.flapDetection { flaps.record(verdict, flapDetection) }
        probed = decided(by: verdict)
        if isResumed { isResumed = probed == old && !bearsOut(verdict, after: oldStreaks) }
        failuresWhileDown =
            old == .down && probed == .down && verdict == .failure ? min(failuresWhileDown + 1, 1000) : 0
    }

    /// Whether a result, after those of some streaks, is what a target in the state ``probed`` returns.
    private func bearsOut(_ verdict: ProbeOutcome, after streaks: ResultStreaks) -> Bool {
        switch (probed, verdict) {
        case (.up, .success), (.degraded, .degraded), (.down, .failure): true
        case (.degraded, .success): streaks.failures > 0
        case (.degraded, .failure): streaks.successes > 0
        default: false
        }
    }

    private func decided(by verdict: ProbeOutcome) -> TargetState {
        let (fall, rise) = (settings.fall, settings.rise)
        switch probed {
        case .up:
            if streaks.failures >= fall { return .down }
            return streaks.nonSuccesses >= fall ? .degraded : .up
        case .degraded:
            if streaks.failures >= fall { return .down }
            return streaks.successes >= rise ? .up : .degraded
        case .down:
            if streaks.successes >= rise { return .up }
            return streaks.passes >= rise ? .degraded : .down
        default:
            if verdict == .failure, streaks.failures < fall { return probed }
            return switch verdict {
            case .success: .up
            case .degraded: .degraded
            case .failure: .down
            }
        }
    }

    /// The change that the results speak for; of two the one that needs fewer results.
    private var doubt: PendingVerdict? {
        let (fall, rise) = (settings.fall, settings.rise)
        switch probed {
        case .up:
            guard streaks.nonSuccesses > 0 else { return nil }
            let toward: TargetState = streaks.failures == streaks.nonSuccesses ? .down : .degraded
            return PendingVerdict(toward: toward, count: streaks.nonSuccesses, of: fall)
        case .degraded:
            if streaks.failures > 0 { return PendingVerdict(toward: .down, count: streaks.failures, of: fall) }
            guard streaks.successes > 0 else { return nil }
            return PendingVerdict(toward: .up, count: streaks.successes, of: rise)
        case .down:
            guard streaks.passes > 0 else { return nil }
            let toward: TargetState = streaks.successes == streaks.passes ? .up : .degraded
            return PendingVerdict(toward: toward, count: streaks.passes, of: rise)
        default:
            guard streaks.failures > 0 else { return nil }
            return PendingVerdict(toward: .down, count: streaks.failures, of: fall)
        }
    }
}

/// The inputs of a ``HealthStateMachine``. Repeating an input changes nothing, except for results.
package enum VerdictInput<Reason: Sendable & Hashable>: Sendable, Hashable {
    /// A probe ended. Ignored while the probe is suspended: the result is about the time before.
    case result(ProbeOutcome, Reason?)
    /// The path engine reports whether a packet could leave for the target.
    case path(isSatisfied: Bool)
    /// Whether all parents of the target are usable.
    case parent(isUp: Bool)
    /// A client pauses the target.
    case pause
    /// A client resumes the target.
    case resume
    /// A declared maintenance begins.
    case maintenanceBegins
    /// The last declared maintenance ends.
    case maintenanceEnds
    /// The machine was suspended and resumed.
    case suspended
}

/// The changes that one input made to a ``HealthStateMachine``, and the order for its driver.
package struct VerdictOutput: Sendable, Hashable {
    /// The change of the state, if there was one.
    package let transition: StateTransition?
    /// The order for the probe; nil for no change.
    package let order: ProbeOrder?
    /// Whether ``HealthStateMachine/isFlapping`` changed.
    package let flappingChanged: Bool
}

/// The inputs that can decide a target's state, by precedence.
package enum VerdictBasis: String, Sendable, Hashable, CaseIterable {
    /// Paused by a user.
    case paused
    /// A declared maintenance.
    case maintenance
    /// No packet can leave for the target.
    case path
    /// A parent is not usable.
    case parent
    /// None yet: no result has decided.
    case awaited
    /// The probe's results.
    case probe
}

/// A change that was seen and is not confirmed yet.
package struct PendingVerdict: Sendable, Hashable {
    /// The state that the results speak for.
    package let toward: TargetState
    /// How many results in a row speak for it.
    package let count: Int
    /// How many it takes.
    package let of: Int

    /// Creates a pending verdict.
    package init(toward: TargetState, count: Int, of: Int) {
        self.toward = toward
        self.count = count
        self.of = of
    }
}

/// A change from one state to another.
package struct StateTransition: Sendable, Hashable {
    /// The state before.
    package let from: TargetState
    /// The state now.
    package let to: TargetState

    /// Creates a transition.
    package init(from: TargetState, to: TargetState) {
        self.from = from
        self.to = to
    }
}

/// How many results in a row, counted back from the newest, are of a kind.
struct ResultStreaks: Sendable, Hashable {
    /// Only failures.
    private(set) var failures = 0
    /// Only successes.
    private(set) var successes = 0
    /// Successes and degraded ones.
    private(set) var passes = 0
    /// Failures and degraded ones.
    private(set) var nonSuccesses = 0

    mutating func record(_ verdict: ProbeOutcome) {
        failures = verdict == .failure ? Self.more(failures) : 0
        successes = verdict == .success ? Self.more(successes) : 0
        passes = verdict == .failure ? 0 : Self.more(passes)
        nonSuccesses = verdict == .success ? 0 : Self.more(nonSuccesses)
    }

    /// Beyond the largest threshold a count says nothing new.
    private static func more(_ count: Int) -> Int { min(count + 1, VerdictSettings.countRange.upperBound) }
}
