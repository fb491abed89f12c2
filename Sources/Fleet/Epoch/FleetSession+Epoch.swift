// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import LinuxIO
internal import Monitoring
internal import PostgreSQL

/// Noticing that the database has lost events that this node has seen.
extension FleetSession {
    /// Compares the log with what was seen: after the first renewal on a connection, and when the reader doubts it.
    ///
    /// - Parameters:
    ///   - answer: what a renewal returned.
    ///   - seen: what had been seen when that renewal was sent; something newer may not be in its answer.
    func verifyLog(_ answer: LeaseAnswer, seen: LogMark?) {
        guard let link, !link.isVerifying else { return }
        let newest = LogMark(answer)
        guard let seen, seen.epoch == newest.epoch, seen.sequence > 0, seen != newest else {
            // Nothing is absent.
            link.isVerified = true
            return parts.seen.settle(newest)
        }
        guard !link.isVerified || parts.seen.isDoubted || newest.sequence < seen.sequence else {
            return parts.seen.record(newest)
        }
        link.isVerifying = true
        execute(LogEvidence.statement, [.integer(Int64(clamping: seen.sequence))]) { [weak self, weak link] result in
            guard let self, let link, link === self.link else { return }
            link.isVerifying = false
            // A failure is repeated after the next renewal.
            guard case .success(let rows) = result, let evidence = try? LogEvidence(rows) else { return }
            if evidence.lacks(seen) { return beginLogEpoch(after: seen) }
            link.isVerified = true
            parts.seen.settle(evidence.newest)
        }
    }

    /// Clients of this node may have seen an event that is gone.
    private func beginLogEpoch(after seen: LogMark) {
        let new = EventID.randomEpoch()
        link?.isVerifying = true
        execute(EpochStatements.begin, EpochStatements.beginning(after: seen.epoch, as: new)) {
            [weak self, weak link] result in
            guard let self, let link, link === self.link else { return }
            link.isVerifying = false
            // Another node may have begun it: the next renewal has it.
            guard case .success(let rows) = result, rows.rowCount > 0 else { return }
            log(
                .warning,
                "the database has lost events that this node has seen: the fleet's log begins a new epoch",
                ["event": EventID(epoch: seen.epoch, sequence: seen.sequence).description, "epoch": new]
            )
        }
    }
}
