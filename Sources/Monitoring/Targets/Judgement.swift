// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What is known of a target besides its path: of its probe, of what it depends on, and of what people declared.
package final class Judgement: Sendable {
    /// What decided the state.
    package let basis: VerdictBasis
    /// Why it is not up, when the probe's results decided.
    package let finding: ProbeFinding?
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
    package let tally: ProbeTally?

    init(
        basis: VerdictBasis,
        finding: ProbeFinding?,
        parent: String?,
        pending: PendingVerdict?,
        isFlapping: Bool,
        lastReport: ProbeReport?,
        isHeartbeat: Bool = false,
        tally: ProbeTally? = nil
    ) {
        self.basis = basis
        self.finding = finding
        self.parent = parent
        self.pending = pending
        self.isFlapping = isFlapping
        self.lastReport = lastReport
        self.isHeartbeat = isHeartbeat
        self.tally = tally
    }

    /// The same with an earlier one's sentence, where both find the same reason and cause.
    func keepingSentence(of old: Judgement?) -> Judgement {
        guard let finding, let before = old?.finding, finding.detail != before.detail,
            finding.reason == before.reason, finding.cause == before.cause
        else { return self }
        return Judgement(
            basis: basis,
            finding: ProbeFinding(reason: finding.reason, detail: before.detail, rule: finding.rule),
            parent: parent,
            pending: pending,
            isFlapping: isFlapping,
            lastReport: lastReport,
            isHeartbeat: isHeartbeat,
            tally: tally
        )
    }
}
