// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// What receivers see of an event of the log.
enum LogEntry: Sendable, Hashable {
    /// A target changed its state.
    case change(StateChange)
    /// A target is gone: a change to `unknown` that nothing follows.
    case removal(StateChange)
    /// A target's declaration is another: its group and tags may be.
    case update(StateChange)
    /// Nothing that anybody is told.
    case other(id: EventID, at: Timestamp)

    init(_ event: RecordedEvent, epoch: String) {
        let entry: LogEntry? =
            switch event.action {
            case .removed: StateChange(declaration: event, epoch: epoch).map { .removal($0.ended(.removed)) }
            case .updated: StateChange(declaration: event, epoch: epoch).map { .update($0) }
            case .added, nil: StateChange(event, epoch: epoch).map { .change($0) }
            }
        self = entry ?? .other(id: EventID(epoch: epoch, sequence: event.sequence), at: event.at)
    }

    var sequence: UInt64 {
        switch self {
        case .change(let change), .removal(let change), .update(let change): change.sequence
        case .other(let id, _): id.sequence
        }
    }

    var at: Timestamp {
        switch self {
        case .change(let change), .removal(let change), .update(let change): change.at
        case .other(_, let moment): moment
        }
    }
}
