// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// This node's own log.
struct OwnLog: ReceiverLog {
    /// Which targets receivers are notified of.
    enum Scope: Sendable {
        /// All.
        case all
        /// Those that the node declares itself: the states of a fleet's targets are only votes here.
        case own
        /// Those of the fleet that fulfil a condition, as a location sees them.
        case fleet(seenFrom: String, isHeld: @Sendable (_ target: String) -> Bool)

        /// The location that alone sees them so.
        var location: String? {
            if case .fleet(let location, _) = self { location } else { nil }
        }
    }

    let source: any BlockingEventSource & TargetSource & IncidentSource
    let scope: Scope

    var sequence: UInt64 { source.sequence }

    func entries(after sequence: UInt64, limit: Int) -> EventSlice<LogEntry> {
        let slice = source.events(after: sequence, limit: limit)
        return slice.with(slice.events.map { entry($0, epoch: slice.epoch) })
    }

    private func entry(_ event: RecordedEvent, epoch: String) -> LogEntry {
        // A target that is gone may have been of the other kind. If it was not, its removal follows.
        if case .all = scope {
        } else if event.transition != nil || event.type == .certificate,
            event.target.map({ target($0) == nil }) ?? false
        {
            return .other(id: EventID(epoch: epoch, sequence: event.sequence), at: event.at)
        }
        return LogEntry(event, epoch: epoch, seenFrom: scope.location) { target($0)?.name }
    }

    /// The settings of a target in the scope; nil for any other.
    func target(_ id: String) -> TargetSettings? {
        source.target(id)?.target.flatMap { isIncluded($0.settings) ? $0.settings : nil }
    }

    /// The node's incidents, with targets in the scope.
    var incidents: ReceiverIncidents {
        var includesRemoved = false
        if case .all = scope { includesRemoved = true }
        return ReceiverIncidents(source: source, target: { target($0) }, includesRemoved: includesRemoved)
    }

    private func isIncluded(_ settings: TargetSettings) -> Bool {
        switch scope {
        case .all: true
        case .own: settings.origin != .fleet
        case .fleet(_, let isHeld): settings.origin == .fleet && isHeld(settings.id)
        }
    }

    func problems() -> [StateChange] { changes(source.records) }

    /// The changes that led to the states after an event, as far as memory has the events since.
    func problems(through sequence: UInt64) -> [StateChange] { changes(source.records(asOf: sequence)) }

    private func changes(_ records: [StatusRecord]) -> [StateChange] {
        records.compactMap { change($0) }.sorted { $0.sequence < $1.sequence }
    }

    private func change(_ record: StatusRecord) -> StateChange? {
        guard let target = record.target, isIncluded(target.settings), record.state.isJudgement, record.state != .up
        else {
            return nil
        }
        var change = StateChange(
            id: EventID(epoch: source.epoch, sequence: record.sequence),
            at: record.since,
            target: target.settings.id,
            group: target.settings.group,
            tags: target.settings.tags,
            from: .unknown,
            to: record.state,
            reason: record.reason?.code.rawValue,
            detail: record.reason?.detail,
            cause: record.reason?.cause
        )
        (change.name, change.seenFrom) = (target.settings.name, scope.location)
        change.evidence = record.reason.flatMap { FaultEvidence($0) }
        return change
    }
}
