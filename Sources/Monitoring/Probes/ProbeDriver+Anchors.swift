// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Probing

/// The anchors have to answer before a silent target is blamed.
extension ProbeDriver {
    /// Goes on with other anchors, also for the results that wait.
    func changeAnchors(_ ids: [String], quorum: Int) {
        anchors.change(ids: ids, quorum: quorum)
        anchorAnswered()
        turn()
    }

    /// What is known of the anchors whose probes run.
    var knownAnchors: [AnchorCheck.Anchor] {
        anchors.ids.compactMap { id in
            guard let record = registry.target(id), let ordinal = record.target?.ordinal, let entry = entries[ordinal],
                !entry.isResting, case .ask = entry.plan.method
            else { return nil }
            return AnchorCheck.Anchor(
                ordinal: ordinal,
                startedAt: entry.startedAt,
                isRunning: entry.run != nil,
                isHeld: held[ordinal] != nil,
                responded: record.evaluation?.lastReport.map { $0.result.outcome != .failure } == true
            )
        }
    }

    /// Probes the anchors whose answers since a moment are missing.
    ///
    /// - Parameter known: What is known of the anchors: ``knownAnchors``.
    /// - Returns: Whether answers are missing.
    func asksAnchors(for entry: Entry, since start: UInt64, known: [AnchorCheck.Anchor]) -> Bool {
        guard !anchors.ids.contains(entry.target.settings.id) else { return false }
        let missing = anchors.missing(of: known, since: start)
        for anchor in missing {
            guard let due = anchors.due(of: anchor, at: world.now()), let entry = entries[anchor.ordinal] else {
                continue
            }
            plan(entry, due: due)
        }
        return !missing.isEmpty
    }

    /// The anchors that were probed after a moment and are silent so far.
    func silentAnchors(since start: UInt64) -> Set<UInt64> {
        anchors.silent(of: knownAnchors, since: start, at: world.now())
    }

    /// Hands in the results that waited for an anchor which has answered, or failed to.
    func anchorAnswered() {
        let results = anchors.results
        let known = results.isEmpty ? [] : knownAnchors
        for (ordinal, start) in results {
            guard let entry = entries[ordinal], !asksAnchors(for: entry, since: start, known: known) else { continue }
            anchors.release(ordinal)
            releaseIfAnswered(ordinal)
        }
    }
}
