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

    init(_ event: StoredEvent, epoch: String) {
        if let change = StateChange(event, epoch: epoch) {
            self = .change(change)
        } else if event.type == .target, event.data.starts(with: Self.removed),
            let removal = StateChange(declaration: event, epoch: epoch)
        {
            self = .removal(removal.ended(.removed))
        } else if event.type == .target, event.data.starts(with: Self.updated),
            let update = StateChange(declaration: event, epoch: epoch)
        {
            self = .update(update)
        } else {
            self = .other(id: EventID(epoch: epoch, sequence: event.sequence), at: event.at)
        }
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

    /// How the data of a `target` event begins.
    private static let removed = Array(#"{"action":"removed""#.utf8)
    private static let updated = Array(#"{"action":"updated""#.utf8)
}
