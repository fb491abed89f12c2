// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Probing

/// Turns one target's probe results, its path and what people declared into its state: events in, state and actions out;
/// no clock, no lock, no I/O.
///
/// **Which word counts.** The first row that applies:
///
/// | row | holds | state | basis | the probe |
/// | --- | --- | --- | --- | --- |
/// | H1 | paused | `paused` | `paused` | rests |
/// | H2 | in maintenance | `maintenance` | `maintenance` | goes on, unless H3 or H4 hold too; its results count for the end |
/// | H3 | path unsatisfied | `unreachable` | `path` | rests |
/// | H4 | parent not up | `unreachable` | `parent` | rests |
/// | H5 | none | the results' verdict | `awaited` while there is none, else `probe` | goes on |
///
/// **What the results say.** `fall` and `rise` are of the settings; counts are of results in a row:
///
/// | row | verdict | results | becomes |
/// | --- | --- | --- | --- |
/// | V1 | none | a success | `up` |
/// | V2 | none | a degraded one | `degraded` |
/// | V3 | none | `fall` failures; one after V13 | `down` |
/// | V4 | `up` | `fall` failures | `down` |
/// | V5 | `up` | `fall` without a success, not all failures | `degraded` |
/// | V6 | `degraded` | `fall` failures | `down` |
/// | V7 | `degraded` | `rise` successes | `up` |
/// | V8 | `down` | `rise` successes | `up` |
/// | V9 | `down` | `rise` without a failure, not all successes | `degraded` |
/// | V10 | any | less | stays, ``pending`` says how far it is |
/// | V11 | any | the probe rests | is ignored |
///
/// **What the rest does.** When the probe begins to rest, counts and verdict are thrown away. When the last hold lets go:
///
/// | row | last to let go | probe | state until a result decides |
/// | --- | --- | --- | --- |
/// | V12 | the pause | at once | `unknown`, as in the beginning |
/// | V13 | the path or the parent | at once | `unreachable`; the first result decides, a failure too |
/// | V14 | (the machine slept) | at once | as before; counts are thrown away and V13's promise is taken back: what a machine hears while it wakes up is no outage |
///
/// **When to probe next:** the confirm interval while something is in doubt; while `down` and nothing is, the interval with its
/// backoff; else the interval. Nothing while the probe rests.
package struct HealthStateMachine<Reason: Sendable & Hashable>: Sendable {
    /// What it was told.
    package private(set) var settings: VerdictSettings
    private var isPaused = false
    private var isInMaintenance = false
    private var isPathSatisfied = true
    private var isParentUp = true

    /// What the results say: `unknown` or `unreachable` while they say nothing, else `up`, `degraded` or `down`.
    private var probed: TargetState = .unknown
    private var firstResultDecides = false
    private var streaks = ResultStreaks()
    private var flaps = FlapDetector()
    private var failuresWhileDown = 0
    private var lastFailure: Reason?
    private var lastDegraded: Reason?

    /// Creates the machine of a target about which nothing is known and that nothing holds back.
    package init(settings: VerdictSettings) {
        self.settings = settings
    }

    /// The target's state.
    package var state: TargetState {
        switch basis {
        case .paused: .paused
        case .maintenance: .maintenance
        case .path, .parent: .unreachable
        case .awaited, .probe: probed
        }
    }

    /// What decided ``state``.
    package var basis: VerdictBasis {
        if isPaused { return .paused }
        if isInMaintenance { return .maintenance }
        if !isPathSatisfied { return .path }
        if !isParentUp { return .parent }
        return probed == .unknown || probed == .unreachable ? .awaited : .probe
    }

    /// The newest result's reason for `degraded` or `down`; nil in every other state.
    package var reason: Reason? {
        guard basis == .probe else { return nil }
        return switch probed {
        case .down: lastFailure
        case .degraded: lastDegraded
        default: nil
        }
    }

    /// The change of ``state`` that is in doubt; nil while none is, or while something stronger than results decides.
    package var pending: PendingVerdict? { basis == .awaited || basis == .probe ? doubt : nil }

    /// Whether the results change so often that no state lasts.
    package var isFlapping: Bool { flaps.isFlapping }

    /// Whether no probe may run.
    package var isResting: Bool { isPaused || !isPathSatisfied || !isParentUp }

    /// How long from the last start to the next one; nil while the probe rests.
    package var nextInterval: Duration? {
        if isResting { return nil }
        if doubt != nil { return settings.confirmInterval }
        return probed == .down ? settings.backoff(after: failuresWhileDown) : settings.interval
    }

    /// Takes one input.
    ///
    /// - Returns: What changed and what to do; the properties are the state after it.
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
            firstResultDecides = !isResting && input != .resume
            probed = firstResultDecides ? .unreachable : .unknown
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
        firstResultDecides = false
        flaps.interrupt()
    }

    private mutating func record(_ verdict: ProbeOutcome, _ reason: Reason?) {
        switch verdict {
        case .success: break
        case .degraded: lastDegraded = reason
        case .failure: lastFailure = reason
        }
        streaks.record(verdict)
        if let flapDetection = settings.flapDetection { flaps.record(verdict, flapDetection) }
        let wasDown = probed == .down
        probed = decided(by: verdict)
        firstResultDecides = false
        failuresWhileDown = wasDown && probed == .down && verdict == .failure ? min(failuresWhileDown + 1, 1000) : 0
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
            if verdict == .failure, streaks.failures < fall, !firstResultDecides { return probed }
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

/// What happens to a ``HealthStateMachine``. To say the same twice is allowed and changes nothing, except for results.
package enum VerdictInput<Reason: Sendable & Hashable>: Sendable, Hashable {
    /// A probe ended. Ignored while the probe rests: such a result speaks of the time before.
    case result(ProbeOutcome, Reason?)
    /// What the path engine says: whether a packet could leave for the target.
    case path(isSatisfied: Bool)
    /// Whether all that the target depends on can be used.
    case parent(isUp: Bool)
    /// Somebody stops watching the target.
    case pause
    /// Somebody goes on watching it.
    case resume
    /// A declared maintenance begins.
    case maintenanceBegins
    /// The last declared maintenance ends.
    case maintenanceEnds
    /// The machine slept, and woke up again.
    case suspended
}

/// What one input did to a ``HealthStateMachine``, and what its driver has to do now.
package struct VerdictOutput: Sendable, Hashable {
    /// The change of the state, if there was one.
    package let transition: StateTransition?
    /// What to do with the probe; nil to leave it as it is.
    package let order: ProbeOrder?
    /// Whether ``HealthStateMachine/isFlapping`` changed.
    package let flappingChanged: Bool
}

/// What decided a target's state, the strongest first.
package enum VerdictBasis: String, Sendable, Hashable, CaseIterable {
    /// Paused by a user.
    case paused
    /// A declared maintenance.
    case maintenance
    /// No packet can leave for it.
    case path
    /// Something that it depends on cannot be used.
    case parent
    /// Nothing yet: the results that would decide are awaited.
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
