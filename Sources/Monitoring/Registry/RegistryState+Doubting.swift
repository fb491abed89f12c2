// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Diagnosis
import Probing

/// What is asked before a silent result counts.
extension RegistryState {
    /// What is asked before a silent result counts.
    ///
    /// - Returns: nil for a result that says by itself what it is.
    mutating func doubt(
        _ diagnosis: Diagnosis,
        _ result: ProbeResult,
        of record: StatusRecord,
        _ context: Registry.ProbeContext,
        at now: Timestamp
    ) -> Registry.Doubt? {
        let isAbsent = diagnosis.reason == .hostUnreachable && diagnosis.rule.isOfPath
        guard diagnosis.rule == .noAnswer || isAbsent, diagnosis.reason != .packetLoss,
            let observed = Observed(result, of: record, context)
        else { return nil }
        if observed.isStalled {
            ways.place(observed.id, observed.host, observed.gateway)
            return Registry.Doubt(isStalled: true, isDecisive: isDecisive(observed.id))
        }
        if ways.isOver(observed.id, since: observed.start) { return Registry.Doubt(isOver: true) }
        takeSilence(observed)
        if let router = diagnosis.offender?.address {
            ways.heard(router, of: observed.id, from: observed.end, until: observed.end)
        }
        let known = ways.faultCount
        let isExplained: Bool
        var since = ways.failingSince(observed.id) ?? observed.start
        var provenAt = ways.provenAt(observed.id)
        var doubtedAt: UInt64 = 0
        switch ways.reading(of: observed.id, at: observed.end, isDown: isDownByItself(observed.id)) {
        case .host(isProven: true), .own: return nil
        case .host(isProven: false): isExplained = false
        case .path(let fault):
            // Silence alone tells least of where the fault is, and a router that no longer reports may forward again.
            isExplained =
                fault.witness == .trace || fault.witness == .report && observed.end < fault.renewedAt + Self.reportAge
            if fault.witness == .report { since = max(since, fault.renewedAt) }
            doubtedAt = fault.doubtedAt
            (since, provenAt) = (max(since, doubtedAt), max(provenAt, doubtedAt))
        }
        let behind = follow(known, of: observed.id, observed.end, at: now)
        // Its first failure: later ones find what was asked then.
        let isFirst = ways.failures(of: observed.id) == 1
        // Neither does it become the target's fault, or the way's, before anchors answer.
        let judge = judges[observed.id]
        let waitsForAnchors = judge?.wouldFall == true || judge?.failureReason?.rule == .internetDown
        return Registry.Doubt(
            siblings: isFirst && !isExplained ? ways.siblings(of: observed.id, at: observed.end) : [],
            behind: behind,
            isExplained: isExplained,
            isDecisive: !isExplained && isDecisive(observed.id),
            anchors: waitsForAnchors ? .awaited : isFirst ? .probed : .notNeeded,
            since: since,
            provenAt: provenAt,
            doubtedAt: doubtedAt
        )
    }
}

extension Registry {
    /// What is asked before a silent result counts.
    struct Doubt: Sendable {
        /// Targets whose answers tell more.
        var siblings: [UInt64] = []
        /// Targets behind the fault that the result showed.
        var behind: [UInt64] = []
        /// Whether the probe began before a fault ended that explains the result.
        var isOver = false
        /// Whether the connection was established and stalled, which a path MTU black hole may explain.
        var isStalled = false
        /// Whether a fault on the way is known that explains the result.
        var isExplained = false
        /// Whether the result would make the target `down`.
        var isDecisive = false
        /// What it needs of the anchors.
        var anchors = AnchorNeed.notNeeded
        /// For traces: since when the target fails for what is to be explained.
        var since: UInt64 = 0
        /// For traces: when a packet was sent that came to its network, or ended the fault that explained its silence; 0 for never.
        var provenAt: UInt64 = 0
        /// For traces: when what explains it became doubtful; 0 for never. A trace that began later answers that.
        var doubtedAt: UInt64 = 0
    }

    /// What a silent result needs of the anchors. What they answered before its probe began shows nothing of the silence.
    enum AnchorNeed: Sendable {
        case notNeeded
        /// They are probed; a result that waits for nothing else does not wait for them.
        case probed
        /// The result waits until they answer: it would blame the target, or its way, for the first time.
        case awaited
    }
}
