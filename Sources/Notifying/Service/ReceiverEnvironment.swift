// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring

/// What receivers share. On the loop's thread.
struct ReceiverEnvironment {
    let loop: EventLoop
    let source: any BlockingEventSource & TargetSource
    let sender: MessageSender
    let clock: any WallClock
    let log: @Sendable (LogMessage) -> Void

    /// The changes that led to the current states of targets that are not up.
    func problems() -> [StateChange] { changes(source.records) }

    /// The changes that led to the states after an event, as far as memory has the events since.
    func problems(through sequence: UInt64) -> [StateChange] { changes(source.records(asOf: sequence)) }

    private func changes(_ records: [StatusRecord]) -> [StateChange] {
        records.compactMap { change($0) }.sorted { $0.sequence < $1.sequence }
    }

    private func change(_ record: StatusRecord) -> StateChange? {
        guard let target = record.target, record.state.isJudgement, record.state != .up else { return nil }
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
