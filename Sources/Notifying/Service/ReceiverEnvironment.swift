// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring

/// What receivers share. On the loop's thread.
struct ReceiverEnvironment {
    let loop: EventLoop
    let events: any ReceiverLog
    let sender: MessageSender
    let clock: any WallClock
    let log: @Sendable (LogMessage) -> Void
    /// Whether requests may be made now.
    var permits: () -> Bool = { true }
    /// How many requests of a receiver may be repeated after the end of the process: those on their way, and those whose offset is not
    /// stored.
    var repeatLimit = Int.max
}

/// A log that receivers are served from. On the loop's thread.
protocol ReceiverLog {
    /// The number of the newest event.
    var sequence: UInt64 { get }

    /// Returns what follows a number as receivers see it; nothing while it cannot be read.
    func entries(after sequence: UInt64, limit: Int) -> EventSlice<LogEntry>

    /// The changes that led to the current states of targets that are not up.
    func problems() -> [StateChange]
}

/// This node's own log.
struct OwnLog: ReceiverLog {
    let source: any BlockingEventSource & TargetSource
    /// Whether targets of a fleet are among those of the node: their states here are only votes.
    let hasFleet: Bool

    var sequence: UInt64 { source.sequence }

    func entries(after sequence: UInt64, limit: Int) -> EventSlice<LogEntry> {
        let slice = source.events(after: sequence, limit: limit)
        return slice.with(slice.events.map { entry($0, epoch: slice.epoch) })
    }

    private func entry(_ event: RecordedEvent, epoch: String) -> LogEntry {
        // A target that is gone may have been the fleet's. If it was the node's own, its removal follows.
        if hasFleet, event.transition != nil, event.target.map({ target($0) == nil }) ?? false {
            return .other(id: EventID(epoch: epoch, sequence: event.sequence), at: event.at)
        }
        return LogEntry(event, epoch: epoch) { target($0)?.name }
    }

    /// The settings of a target whose state this node decides; nil for any other.
    func target(_ id: String) -> TargetSettings? {
        source.target(id)?.target.flatMap { isOwn($0.settings) ? $0.settings : nil }
    }

    private func isOwn(_ settings: TargetSettings) -> Bool { !hasFleet || settings.origin != .fleet }

    func problems() -> [StateChange] { changes(source.records) }

    /// The changes that led to the states after an event, as far as memory has the events since.
    func problems(through sequence: UInt64) -> [StateChange] { changes(source.records(asOf: sequence)) }

    private func changes(_ records: [StatusRecord]) -> [StateChange] {
        records.compactMap { change($0) }.sorted { $0.sequence < $1.sequence }
    }

    private func change(_ record: StatusRecord) -> StateChange? {
        guard let target = record.target, isOwn(target.settings), record.state.isJudgement, record.state != .up else {
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
        change.name = target.settings.name
        change.evidence = record.reason.flatMap { FaultEvidence($0) }
        return change
    }
}
