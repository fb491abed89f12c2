// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Reads reports from their source, numbers them, and knows which of them the database has.
///
/// A value; the source is a parameter. At most one batch exists at a time. It is kept until the database has it, so that sending it
/// again cannot store it twice.
struct ReportQueue: Sendable {
    /// Where the source was read up to.
    private struct Place: Sendable {
        /// The last local event that was read.
        var sequence: UInt64 = 0
        /// The last number that was given.
        var last = LocalPosition.zero
        /// Whether the states of all targets must be reported.
        var needsStates = true
        /// The list of states that is being read: as of which event, and where its next page begins.
        var states: (sequence: UInt64, cursor: String?)?
    }

    /// The local epoch that the positions belong to; nil until the database confirmed one.
    private(set) var epoch: String?
    /// The position that the database has.
    private(set) var acknowledged = LocalPosition.zero
    /// How many reports were not sent.
    private(set) var dropped: UInt64 = 0
    /// The batch that is not acknowledged yet.
    private(set) var pending: ReportBatch?

    private var place = Place()
    /// Where the pending batch began.
    private var start = Place()
    private var confirmations: [Report] = []
    /// How many of the confirmations are in the pending batch.
    private var pendingConfirmations = 0
    private var limit = ReportBatch.limit

    /// Creates a queue that knows no position.
    init() {}

    // MARK: Positions

    /// Takes the position that the database has for a local epoch, and begins there.
    mutating func adopt(epoch: String, reported: LocalPosition) {
        self.epoch = epoch
        reset(to: reported)
    }

    /// Forgets the epoch: the database did not confirm it.
    mutating func forgetEpoch() { epoch = nil }

    /// Compares with the position that a renewal returned, while no batch is being sent.
    mutating func reconcile(_ reported: LocalPosition) {
        if reported < acknowledged {
            // The database lost data.
            reset(to: reported)
        } else if reported > acknowledged {
            // A batch was stored whose answer got lost.
            acknowledge(reported)
        }
    }

    /// The database has everything up to a position.
    mutating func acknowledge(_ reported: LocalPosition) {
        acknowledged = max(acknowledged, reported)
        place.last = max(place.last, reported)
        place.sequence = max(place.sequence, reported.sequence)
        if var batch = pending {
            batch.entries.removeAll { $0.position <= reported }
            pending = batch
            if batch.entries.isEmpty { endPending() }
        }
    }

    private mutating func reset(to reported: LocalPosition) {
        acknowledged = reported
        place = Place(
            sequence: reported.sequence,
            last: reported,
            needsStates: reported == .zero || reported.isPartial
        )
        pending = nil
        pendingConfirmations = 0
    }

    private mutating func endPending() {
        confirmations.removeFirst(pendingConfirmations)
        pendingConfirmations = 0
        pending = nil
        limit = min(limit * 2, ReportBatch.limit)
    }

    /// The database rejects a value of the pending batch: smaller ones follow, until one report is left, which is dropped.
    mutating func reject() {
        guard let pending else { return }
        if pending.entries.count <= 1 {
            dropped += UInt64(pending.entries.count)
            endPending()
            limit = 1
        } else {
            limit = max(1, pending.entries.count / 2)
            place = start
            pendingConfirmations = 0
            self.pending = nil
        }
    }

    // MARK: Reading

    /// Whether the source's log is another than the positions belong to: another epoch, or one that ends before them.
    func needsEpoch(_ source: any ReportSource) -> Bool {
        epoch != source.epoch || acknowledged.sequence > source.newest
    }

    /// Reads a batch from the source unless one is pending.
    ///
    /// - Parameter pages: how many pages without reports are read at most.
    /// - Returns: whether more can be read.
    mutating func read(_ source: any ReportSource, pages: Int = 4) -> Bool {
        for _ in 0..<pages {
            guard pending == nil, !needsEpoch(source) else { return false }
            start = place
            var batch = ReportBatch()
            let isProgress = readPage(source, &batch)
            if place.states == nil, !place.needsStates { appendConfirmations(source, &batch) }
            if !batch.entries.isEmpty {
                pending = batch
                return false
            }
            guard isProgress else { return false }
        }
        return true
    }

    /// How many events are not reported: 0 only when there are none.
    func backlog(newest: UInt64) -> UInt64 {
        let unread = newest > place.sequence ? newest - place.sequence : 0
        let isListing = place.needsStates || place.states != nil
        return unread + UInt64(pending?.entries.count ?? 0) + (isListing ? 1 : 0)
    }

    /// Removes reports of shards that the node does not have under the report's token from the pending batch: the coordinator would
    /// reject them.
    ///
    /// - Returns: the batch; nil when nothing is left, and reading can continue.
    mutating func batch(for tokens: [AssignmentKey: UInt64]) -> ReportBatch? {
        guard var batch = pending else { return nil }
        let count = batch.entries.count
        batch.entries.removeAll { tokens[$0.report.key] != $0.report.token }
        guard batch.entries.count < count else { return batch }
        dropped += UInt64(count - batch.entries.count)
        if batch.entries.isEmpty {
            endPending()
            return nil
        }
        pending = batch
        return batch
    }

    /// - Returns: whether the place moved.
    private mutating func readPage(_ source: any ReportSource, _ batch: inout ReportBatch) -> Bool {
        if place.needsStates, place.states == nil {
            place.states = (max(source.newest, place.sequence), nil)
        }
        if let (sequence, cursor) = place.states {
            return readStates(source, as: sequence, after: cursor, &batch)
        }
        guard source.newest > place.sequence else { return false }
        switch source.reports(after: place.sequence, limit: limit, bytes: ReportBatch.sizeLimit) {
        case .gap:
            place.needsStates = true
            return true
        case .events(let reports, let through):
            for report in reports.prefix(limit) {
                let position = LocalPosition(sequence: report.sequence, index: 0)
                if position > place.last {
                    append(report, at: position, &batch)
                } else {
                    dropped += 1
                }
            }
            let end = reports.count > limit ? reports[limit - 1].sequence : through
            guard end > place.sequence else { return false }
            place.sequence = end
            return true
        }
    }

    private mutating func readStates(
        _ source: any ReportSource,
        as sequence: UInt64,
        after cursor: String?,
        _ batch: inout ReportBatch
    ) -> Bool {
        let page = source.states(after: cursor, limit: limit, bytes: ReportBatch.sizeLimit)
        for (index, report) in page.reports.enumerated() {
            let isLast = page.next == nil && index == page.reports.count - 1
            append(report, at: next(sequence, from: isLast ? LocalPosition.firstComplete : 1), &batch)
        }
        if let next = page.next, next != cursor {
            place.states = (sequence, next)
        } else {
            place.states = nil
            place.needsStates = false
            place.sequence = sequence
        }
        return true
    }

    private mutating func appendConfirmations(_ source: any ReportSource, _ batch: inout ReportBatch) {
        let room = limit - batch.entries.count
        if confirmations.count < room {
            confirmations += source.takeAdditions(through: place.sequence, limit: room - confirmations.count)
        }
        // After a loss of the database's data the votes before a confirmation are sent again first.
        let taken = confirmations.prefix(max(0, room)).prefix { $0.sequence <= place.sequence }
        pendingConfirmations = taken.count
        for report in taken {
            append(
                report,
                at: next(max(place.sequence, place.last.sequence), from: LocalPosition.firstComplete),
                &batch
            )
        }
    }

    /// The next free number that belongs to an event.
    private func next(_ sequence: UInt64, from index: UInt64) -> LocalPosition {
        let follows = place.last.sequence == sequence ? place.last.index + 1 : 0
        return LocalPosition(sequence: sequence, index: max(index, follows))
    }

    private mutating func append(_ report: Report, at position: LocalPosition, _ batch: inout ReportBatch) {
        place.last = position
        batch.entries.append(ReportBatch.Entry(position: position, report: report))
    }
}
