// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths
import Probing
import ServerTrust

/// Decides one target's state, for targets about which more is said than their path: they have a probe, depend on others,
/// or they are paused.
///
/// | results say | the last one's cause | state |
/// | --- | --- | --- |
/// | `down` | the target | `down` |
/// | `down` | this machine's network, DNS, a parent | `unreachable`: it could not be judged from here |
/// | `down` | reachd itself | `unknown` |
/// | else | | as ``HealthStateMachine`` says |
///
/// While ``TargetFailures/areTooFew`` holds, the cause is that of the failures before.
///
/// By reference, and a part of the registry's state like everything in it: each result changes one, and looks at it several times.
final class TargetEvaluator {
    private var machine: HealthStateMachine<Diagnosis>
    private(set) var plan: ProbePlan?
    private(set) var lastReport: ProbeReport?
    private var failures = TargetFailures()
    /// All results, whatever the settings were.
    private var tally = ProbeCounters()
    /// What it depends on and cannot be used.
    private(set) var blockingParent: String?
    private(set) var isPaused = false
    private(set) var isInMaintenance = false
    /// What the target showed last.
    private var certificate: Certificate?

    /// - Parameters:
    ///   - plan: how the target is probed.
    ///   - resumed: what another observer found by its results; nil for nothing.
    init(plan: ProbePlan?, resuming resumed: TargetState? = nil) {
        self.plan = plan
        machine = HealthStateMachine(settings: plan?.verdict ?? .standard, resuming: plan == nil ? nil : resumed)
    }

    /// Whether no probe may run.
    var isResting: Bool { machine.isResting }

    /// How long from the last start to the next one; nil while the probe rests.
    var nextInterval: Duration? {
        guard let interval = machine.nextInterval, failures.isConfirming, let plan else { return machine.nextInterval }
        return min(interval, plan.verdict.confirmInterval)
    }

    /// Whether it would decide as the path alone does.
    var isIdle: Bool { plan == nil && blockingParent == nil && !isPaused && !isInMaintenance }

    func take(path: NetworkPath) -> ProbeOrder? {
        handle(.path(isSatisfied: path.reachability != .notReachable))
    }

    /// Takes a result.
    ///
    /// - Returns: What is different about the certificate, when the target shows another one than before.
    func take(_ report: ProbeReport) -> CertificateChange? {
        let former = machine.newestFailure
        let isFailure = report.result.outcome == .failure
        failures.take(
            isFailure ? report.diagnosis : nil,
            fall: machine.settings.fall,
            isDown: machine.state == .down && former?.cause == .target
        )
        lastReport = report
        tally.count(report.result)
        let reason = failures.areTooFew ? former ?? report.diagnosis : report.diagnosis
        _ = machine.handle(.result(report.result.outcome, reason))
        guard let new = report.result.tls?.chain.first else { return nil }
        let old = certificate
        certificate = new
        return old.flatMap { CertificateChange(from: $0, to: new) }
    }

    /// Replaces the diagnosis of the last result, if it still is that the target does not respond.
    ///
    /// - Returns: Whether it was replaced.
    func explain(_ diagnosis: Diagnosis) -> Bool {
        guard let report = lastReport, let known = report.diagnosis,
            known.isReadingOfSilence || known.rule == diagnosis.rule
        else { return false }
        lastReport = ProbeReport(report.result, at: report.at, lag: report.lag, diagnosis: diagnosis)
        failures.explain(diagnosis)
        if failures.areTooFew, diagnosis.cause == .target { return true }
        machine.replaceFailureReason(diagnosis)
        return true
    }

    /// Whether the results say `down`, whoever is at fault.
    var isDown: Bool { machine.state == .down }

    /// Whether there were too few results for a verdict.
    var isUndecided: Bool { machine.state == .unknown }

    /// What explains the newest failure: the last result's, or while the results say `down`, one before it. A failure that says nothing of
    /// the target, such as one that reachd was too late to see, does not take the place of one that does.
    var failureReason: Diagnosis? {
        guard let last = lastReport?.diagnosis else { return machine.reason }
        return failures.newest ?? last
    }

    /// Whether one more failure makes the target `down`.
    var wouldFall: Bool {
        if failures.areTooFew { return true }
        var next = machine
        _ = next.handle(.result(.failure, nil))
        return next.state == .down && machine.state != .down
    }

    func setParent(_ blocking: String?) -> ProbeOrder? {
        blockingParent = blocking
        return handle(.parent(isUp: blocking == nil))
    }

    func setPaused(_ paused: Bool) -> ProbeOrder? {
        isPaused = paused
        return handle(paused ? .pause : .resume)
    }

    func setMaintenance(_ isOn: Bool) {
        isInMaintenance = isOn
        _ = handle(isOn ? .maintenanceBegins : .maintenanceEnds)
    }

    func machineSlept() { _ = handle(.suspended) }

    /// Goes on with another plan: another question is a new beginning, other thresholds are not.
    func change(_ new: ProbePlan?, path: NetworkPath?) {
        let old = plan
        plan = new
        guard old?.method == new?.method else {
            lastReport = nil
            failures = TargetFailures()
            certificate = nil
            machine = HealthStateMachine(settings: new?.verdict ?? .standard)
            if let path { _ = take(path: path) }
            if blockingParent != nil { _ = machine.handle(.parent(isUp: false)) }
            if isPaused { _ = machine.handle(.pause) }
            if isInMaintenance { _ = machine.handle(.maintenanceBegins) }
            return
        }
        machine.apply(new?.verdict ?? .standard)
    }

    /// The state, and what to say of it.
    func verdict(path: NetworkPath?) -> (state: TargetState, evaluation: TargetEvaluation) {
        let basis = machine.basis
        let diagnosis = diagnosis(basis)
        let evaluation = TargetEvaluation(
            basis: basis,
            diagnosis: diagnosis,
            parent: basis == .parent ? blockingParent : nil,
            pending: plan == nil ? nil : machine.pending,
            isFlapping: machine.isFlapping,
            lastReport: lastReport,
            isHeartbeat: plan?.isHeartbeat == true,
            tally: plan == nil ? nil : tally
        )
        return (state(basis, diagnosis, path), evaluation)
    }

    private func handle(_ input: VerdictInput<Diagnosis>) -> ProbeOrder? {
        let order = machine.handle(input).order
        if order != nil { failures.restart() }
        return plan == nil ? nil : order
    }

    private func diagnosis(_ basis: VerdictBasis) -> Diagnosis? {
        switch basis {
        case .probe: machine.reason
        // It could not be probed yet, and this says why. A target is not at fault while its path returned and `fall` is not reached.
        case .awaited:
            machine.state == .unreachable && lastReport?.diagnosis?.cause == .target ? nil : lastReport?.diagnosis
        case .paused, .maintenance, .path, .parent: nil
        }
    }

    private func state(_ basis: VerdictBasis, _ diagnosis: Diagnosis?, _ path: NetworkPath?) -> TargetState {
        if plan == nil, basis == .awaited || basis == .path { return TargetState(path: path) }
        guard machine.state == .down, let cause = diagnosis?.cause else { return machine.state }
        switch cause {
        case .target: return .down
        case .localNetwork, .path, .dns, .parent: return .unreachable
        case .`self`: return .unknown
        }
    }
}

/// What is known of a target besides its path: of its probe, of what it depends on, and of what people declared.
package final class TargetEvaluation: Sendable {
    /// What decided the state.
    package let basis: VerdictBasis
    /// Why it is not up, when the probe's results decided.
    package let diagnosis: Diagnosis?
    /// What it depends on and cannot be used, when that decided.
    package let parent: String?
    /// A change of the state that is in doubt.
    package let pending: PendingVerdict?
    /// Whether the results change so often that no state lasts.
    package let isFlapping: Bool
    /// The last probe; nil before the first one.
    package let lastReport: ProbeReport?
    /// Whether the target is the one that calls.
    package let isHeartbeat: Bool
    /// All its results, counted; nil without a probe.
    package let tally: ProbeCounters?

    init(
        basis: VerdictBasis,
        diagnosis: Diagnosis?,
        parent: String?,
        pending: PendingVerdict?,
        isFlapping: Bool,
        lastReport: ProbeReport?,
        isHeartbeat: Bool = false,
        tally: ProbeCounters? = nil
    ) {
        self.basis = basis
        self.diagnosis = diagnosis
        self.parent = parent
        self.pending = pending
        self.isFlapping = isFlapping
        self.lastReport = lastReport
        self.isHeartbeat = isHeartbeat
        self.tally = tally
    }

    /// The same with an earlier one's sentence, where both find the same reason, cause and offender.
    func keepingSentence(of old: TargetEvaluation?) -> TargetEvaluation {
        guard let diagnosis, let before = old?.diagnosis,
            diagnosis.detail != before.detail || diagnosis.pathEnd != before.pathEnd,
            diagnosis.reason == before.reason, diagnosis.cause == before.cause,
            diagnosis.offender?.address == before.offender?.address,
            diagnosis.pathEnd?.lastHop == before.pathEnd?.lastHop
        else { return self }
        return TargetEvaluation(
            basis: basis,
            diagnosis: Diagnosis(
                reason: diagnosis.reason,
                detail: before.detail,
                rule: diagnosis.rule,
                offender: before.offender,
                pathEnd: before.pathEnd
            ),
            parent: parent,
            pending: pending,
            isFlapping: isFlapping,
            lastReport: lastReport,
            isHeartbeat: isHeartbeat,
            tally: tally
        )
    }
}
