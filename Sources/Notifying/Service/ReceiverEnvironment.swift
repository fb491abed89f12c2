// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring

/// What receivers share. On the loop's thread.
struct ReceiverEnvironment {
    let loop: EventLoop
    let registry: Registry
    let sender: MessageSender
    let clock: any WallClock
    let log: @Sendable (LogMessage) -> Void

    /// The changes that lead to what is the case now, of targets that are not up.
    func problems() -> [StateChange] { records().values.compactMap { change($0) }.sorted { $0.sequence < $1.sequence } }

    /// The same of what was the case after an event, as far as memory has what happened since.
    func problems(through sequence: UInt64) -> [StateChange] {
        var records = records()
        let events = registry.changes(after: sequence, limit: .max).events
        for event in events.reversed() {
            switch event.content {
            case .state(let record, let previous): if let id = record.target?.settings.id { records[id] = previous }
            case .target(.added, let record): if let id = record.target?.settings.id { records[id] = nil }
            case .target(.removed, let record): if let id = record.target?.settings.id { records[id] = record }
            case .target(.updated, _), .reachability, .path, .certificate, .routeChange, .config: break
            }
        }
        return records.values.compactMap { change($0) }.sorted { $0.sequence < $1.sequence }
    }

    private func records() -> [String: StatusRecord] {
        var records: [String: StatusRecord] = [:]
        var ordinal: UInt64 = 0
        while true {
            let page = registry.page(after: ordinal, limit: 1_000)
            for record in page.records {
                if let id = record.target?.settings.id { records[id] = record }
            }
            guard !page.isLast, let last = page.records.last?.target?.ordinal else { return records }
            ordinal = last
        }
    }

    private func change(_ record: StatusRecord) -> StateChange? {
        guard let target = record.target, record.state.isJudgement, record.state != .up else { return nil }
        var change = StateChange(
            id: EventID(epoch: registry.epoch, sequence: record.sequence),
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
