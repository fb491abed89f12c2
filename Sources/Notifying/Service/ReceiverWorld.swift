// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring

/// What receivers share. On the loop's thread.
struct ReceiverWorld {
    let loop: EventLoop
    let registry: Registry
    let sender: MessageSender
    let clock: any WallClock
    let render: @Sendable ([Event]) -> [StoredEvent]
    let log: @Sendable (NotificationNote) -> Void

    /// The changes that lead to what is the case now, of targets that are not up.
    func problems() -> [StateChange] {
        var changes: [StateChange] = []
        var ordinal: UInt64 = 0
        while true {
            let page = registry.page(after: ordinal, limit: 1_000)
            for record in page.records {
                guard let target = record.target, record.state.isJudgement, record.state != .up else { continue }
                changes.append(
                    StateChange(
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
                )
            }
            guard !page.isLast, let last = page.records.last?.target?.ordinal else { return changes }
            ordinal = last
        }
    }
}
